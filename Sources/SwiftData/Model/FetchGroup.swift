private import DepotLinux

/// The objects of one fetch; when one of them needs related objects, the next ones get theirs too.
final class FetchGroup {
  /// How many objects are examined when one of them needs data.
  private static let reach = 1000

  private let locked = RegistrationLock()
  private var members: [Unmanaged<ModelStorage>?] = []
  /// The objects that outlive the same context; `nil` while the context exists.
  fileprivate(set) var orphanedObjects: OrphanedObjects?

  func add(_ storage: ModelStorage) {
    if storage.group?.orphanedObjects?.hasSuccessor == true { return }
    storage.group?.forget(storage.groupIndex)
    storage.group = self
    locked {
      storage.groupIndex = members.count
      members.append(Unmanaged.passUnretained(storage))
    }
  }

  /// Removes an object, on the thread that releases it.
  func forget(_ index: Int) { locked { members[index] = nil } }

  /// Calls `body` with an object and some of the following ones, until it returns `false`.
  func forEach(from storage: ModelStorage, _ body: (ModelStorage) -> Bool) {
    let start = storage.groupIndex
    for index in start..<start + Self.reach {
      let member: ModelStorage?? = locked {
        index < members.count ? .some(members[index]?.ifAlive) : nil
      }
      guard let member else { return }
      if let member, !body(member) { return }
    }
  }

  /// The objects that are in the store and in no context.
  fileprivate var orphans: [ModelStorage] {
    locked { members.compactMap { $0?.ifAlive } }.filter { storage in
      storage.context == nil && storage.phase == .stored && storage.model != nil
    }
  }
}

/// The objects that outlive their context, by their fetches.
///
/// One successor context reads for all of them. It is made when the first object needs data, and
/// lasts as long as one of them.
final class OrphanedObjects {
  /// Whether relationships may lead to objects of an entity.
  private let isReached: (EntityDescription) -> Bool
  /// Makes the context that reads; returns `nil` if the container no longer exists.
  private let makeReader: () -> (any ObjectContext)?
  private var groups: [WeakGroup] = []
  /// The group of the objects that weren't fetched.
  private weak var others: FetchGroup?
  private var readingContext: (any ObjectContext)?

  private struct WeakGroup { weak var group: FetchGroup? }

  init(
    isReached: @escaping (EntityDescription) -> Bool,
    makeReader: @escaping () -> (any ObjectContext)?
  ) {
    self.isReached = isReached
    self.makeReader = makeReader
  }

  var hasSuccessor: Bool { readingContext != nil }

  func add(_ storage: ModelStorage) {
    if let group = storage.group {
      if group.orphanedObjects !== self { enter(group) }
      return
    }
    if storage.isWhole, !isReached(storage.description) { return }
    let group = others ?? FetchGroup()
    if others == nil { enter(group) }
    others = group
    group.add(storage)
  }

  private func enter(_ group: FetchGroup) {
    group.orphanedObjects = self
    groups.append(WeakGroup(group: group))
  }

  /// Returns the context that reads; `nil` if the container no longer exists.
  func successor() -> (any ObjectContext)? {
    if let readingContext { return readingContext }
    guard let context = makeReader() else { return nil }
    readingContext = context
    for entry in groups {
      for storage in entry.group?.orphans ?? [] { context.register(storage) }
    }
    return context
  }
}

extension ModelStorage {
  /// Whether all values of the object were read.
  fileprivate final var isWhole: Bool {
    guard description.relationships.isEmpty else { return false }
    return !slots.indices.contains(where: isUnloaded)
  }
}
