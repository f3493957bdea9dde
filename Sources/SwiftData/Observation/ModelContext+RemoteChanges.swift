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
  /// A context that is told to merge after it has read something reads its objects anew once, since it
  /// wasn't told what was saved in between.
  public final var automaticallyMergesChanges: Bool {
    get { inbox.isOpen }
    set {
      if newValue, hasRead, !inbox.isOpen { hasMissedChanges = true }
      inbox.isOpen = newValue
      if newValue, hasRead {
        watch()
        inbox.schedule()
      } else if !newValue {
        isWatching = false
        partialMerge = nil
      }
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

  /// Notes that a save of this context was made.
  final func noteOwn(_ sequence: Int64, store: String) {
    guard automaticallyMergesChanges else { return }
    inbox.noteOwn(sequence, store: store)
    if !hasRead {
      hasRead = true
      watch()
    }
  }

  /// Begins to take what others save; does nothing if no service answers, until it is called again.
  final func watch() {
    guard !isWatching else { return }
    inbox.adopt(self)
    core.remote.add(inbox)
    do {
      try core.remote.begin()
    } catch {
      hasMissedChanges = true
      return
    }
    isWatching = true
    if hasMissedChanges { inbox.noteGap() }
    hasMissedChanges = false
  }

  /// Merges what others have saved so far.
  ///
  /// What observers do when they are told merges nothing in its turn.
  final func mergeRemoteChanges() {
    if !isWatching, hasMissedChanges, automaticallyMergesChanges { watch() }
    guard isWatching, !isMerging, !inbox.isEmpty || partialMerge != nil else { return }
    isMerging = true
    defer { isMerging = false }
    var summary = MergedChanges()
    while mergeNext(.max, &summary) != nil {}
    tell(summary)
  }

  /// Merges a part of what others have saved, and lets what waits on the same queue have its turn.
  final func work() {
    if !isMerging {
      isMerging = true
      defer { isMerging = false }
      var summary = MergedChanges()
      var rest = Self.changesAtOnce
      while rest > 0, let count = mergeNext(rest, &summary) { rest -= max(count, 1) }
      if rest <= 0 { inbox.schedule() }
      tell(summary)
    }
    for observer in observers { observer.didReachTurn() }
  }

  private func tell(_ summary: MergedChanges) {
    guard !summary.isEmpty else { return }
    for observer in observers { observer.didMerge(summary) }
  }

  /// How many changes are merged at once where others wait.
  private static var changesAtOnce: Int { 500 }

  /// Merges up to `limit` changes of a transaction; returns how many, and `nil` if there was nothing to
  /// merge.
  private func mergeNext(_ limit: Int, _ summary: inout MergedChanges) -> Int? {
    if isInDoubt {
      do { try settleSaves() } catch { return nil }
    }
    if let (event, standing, _) = partialMerge, standing == .foreign { inbox.resume(event) }
    // What others have changed isn't undone with what the program has changed before.
    if partialMerge != nil || !inbox.isEmpty { undoRecorder?.registerChanges() }
    guard let (event, standing, start) = partialMerge ?? inbox.next().map({ ($0, $1, 0) }) else {
      return nil
    }
    partialMerge = nil
    switch event.event {
    case .objects(let changes):
      summary.formUnion(merge(changes))
      return changes.all.count
    case .gap:
      refreshAllObjects()
      summary.isUnknown = true
      return limit
    case .transaction(let transaction):
      let end = start + min(transaction.changes.count - start, limit)
      let merge = RemoteMerge(self, event.store, standing)
      for change in transaction.changes[start..<end] { merge.giveUp(change) }
      for change in transaction.changes[start..<end] { merge.take(change) }
      merge.finish()
      summary.formUnion(merge.summary)
      if end < transaction.changes.count { partialMerge = (event, standing, end) }
      return end - start
    }
  }
}
