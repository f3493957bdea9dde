internal import DepotClient
internal import Dispatch

/// Merging what others save.
extension ModelContext {
  /// Whether what others save, in this program or another one, is merged into the objects of this context
  /// by itself.
  ///
  /// The main context and those of model actors do so unless they are told not to. They merge as soon as
  /// their actor has time; other contexts do so when they are next asked for something. Of an object that
  /// has changes which aren't saved, these are kept, or lost where ``mergePolicy`` lets the store win.
  public final var automaticallyMergesChanges: Bool {
    get { inbox.isOpen }
    set {
      inbox.isOpen = newValue
      if newValue, hasRead { watch() } else if !newValue { isWatching = false }
    }
  }

  /// Makes this the context of the main actor.
  final func settleOnMainQueue() {
    inbox.home = .main
    automaticallyMergesChanges = true
  }

  /// Makes this the context of an actor whose jobs run on a queue.
  final func settle(on queue: DispatchQueue) {
    inbox.home = .queue(queue)
    automaticallyMergesChanges = true
  }

  /// Prepares for rows that are about to be read.
  @inline(__always)
  final func willRead() {
    if !hasRead {
      hasRead = true
      if automaticallyMergesChanges { watch() }
    }
  }

  /// Notes that a save of this context was made, whose token is known.
  final func noteOwn(_ token: DefaultHistoryToken) {
    guard automaticallyMergesChanges else { return }
    inbox.noteOwn(token)
    if !hasRead {
      hasRead = true
      watch()
    }
  }

  /// Begins to take what others save.
  final func watch() {
    guard !isWatching else { return }
    isWatching = true
    inbox.adopt(self)
    core.remote.add(inbox)
    _ = noting { try core.remote.begin() }
  }

  /// Merges what others have saved so far.
  final func mergeRemoteChanges() {
    guard isWatching, !inbox.isEmpty || partialMerge != nil else { return }
    while mergeNext(.max) {}
  }

  /// Merges a part of what others have saved, and lets what waits on the same queue have its turn.
  final func work() {
    if mergeNext(Self.changesAtOnce) { inbox.schedule() }
    for observer in observers { observer.didReachTurn() }
  }

  /// How many changes are merged at once where others wait.
  private static var changesAtOnce: Int { 500 }

  /// Merges up to `limit` changes; returns whether there may be more.
  private final func mergeNext(_ limit: Int) -> Bool {
    if isInDoubt {
      do { try settleSaves() } catch { return false }
    }
    guard let (event, start) = partialMerge ?? inbox.next().map({ ($0, 0) }) else { return false }
    partialMerge = nil
    if case .objects(let changes) = event.event {
      merge(changes)
      return true
    }
    guard case .transaction(let transaction) = event.event else {
      refreshAll()
      return true
    }
    let count = transaction.changes.count - start
    let end = start + min(count, limit)
    let merge = RemoteMerge(self, event.store)
    for change in transaction.changes[start..<end] { merge.take(change) }
    merge.finish()
    if end < transaction.changes.count { partialMerge = (event, end) }
    return true
  }

  /// Reads all registered objects anew, of which nobody knows what happened to them.
  private final func refreshAll() {
    for table in allTables {
      let stored = table.all.filter { $0.phase == .stored && !$0.isFault }.compactMap(\.link)
      let groups = Dictionary(grouping: stored) { ObjectIdentifier($0.storage.description) }
      for group in groups.values {
        let description = group[0].storage.description
        let identifiers = group.map(\.storage.identifier)
        guard let links = readIfPossible(identifiers, of: description) else { continue }
        let found = Set(links.map { ObjectIdentifier($0.storage) })
        for link in group {
          if !found.contains(ObjectIdentifier(link.storage)) { vanish(link.storage) }
          for property in description.relationships
          where property.isToMany && !link.storage.changed.contains(property.slot)
            && !link.storage.isUnloaded(property.slot)
          {
            property.willSet(link.model)
            link.storage.slots[property.slot] = .unloaded
            property.didSet(link.model)
          }
        }
      }
    }
    var summary = MergedChanges()
    summary.isUnknown = true
    for observer in observers { observer.didMerge(summary) }
  }
}
