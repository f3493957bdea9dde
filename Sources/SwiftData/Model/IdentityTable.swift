private import DepotLinux

/// The registered objects of a context, one for each identifier.
final class IdentityMap {
  /// The objects by the topmost entities of their stores.
  private var tablesByRoot: [ObjectIdentifier: IdentityTable] = [:]
  /// The objects of the entity that was asked for last, and most often is again.
  @exclusivity(unchecked) private var latest: (root: EntityKey, table: IdentityTable)?
  /// The context, which owns this.
  unowned(unsafe) var context: (any ObjectContext)?
  /// The use of the context by threads.
  let accessGuard = ContextAccessGuard()

  /// Finds the storage of an object.
  subscript(identifier: PersistentIdentifier) -> ModelStorage? {
    known(identifier.entity.root)?[identifier.key]
  }

  /// Returns the objects of a hierarchy.
  func table(of entity: EntityKey) -> IdentityTable {
    let root = entity.root
    if let table = known(root) { return table }
    let table = IdentityTable(context, accessGuard)
    tablesByRoot[ObjectIdentifier(root)] = table
    return table
  }

  private func known(_ root: EntityKey) -> IdentityTable? {
    if let latest, latest.root === root { return latest.table }
    guard let table = tablesByRoot[ObjectIdentifier(root)] else { return nil }
    latest = (root, table)
    return table
  }

  /// The tables of all hierarchies.
  var tables: [IdentityTable] { Array(tablesByRoot.values) }
}

/// The registered objects of one hierarchy of entities in one store, by their keys.
///
/// The table keeps nothing alive: an object removes itself when it ends, on the thread of its last
/// owner. All other work is done on the context's thread. An object whose values are kept after its
/// end isn't found any more, and makes room for another one.
final class IdentityTable {
  private typealias Entry = Unmanaged<ModelStorage>

  /// The context; `nil` after its end.
  @exclusivity(unchecked) private(set) unowned(unsafe) var context: (any ObjectContext)?
  /// The use of the context by threads.
  let accessGuard: ContextAccessGuard
  private let locked = RegistrationLock()
  /// The objects with numbers.
  @exclusivity(unchecked) private var numbered: [ObjectNumber: Entry] = [:]
  /// The objects with text keys instead of numbers.
  @exclusivity(unchecked) private var others: [PersistentIdentifier.Key: Entry] = [:]

  fileprivate init(_ context: (any ObjectContext)?, _ accessGuard: ContextAccessGuard) {
    self.context = context
    self.accessGuard = accessGuard
  }

  subscript(key: PersistentIdentifier.Key) -> ModelStorage? {
    let storage = locked {
      if let number = key.number { numbered[number]?.ifAlive } else { others[key]?.ifAlive }
    }
    return storage?.model == nil ? nil : storage
  }

  /// Registers an object for its identifier; returns the one that was registered before.
  @discardableResult
  func add(_ storage: ModelStorage) -> ModelStorage? {
    let entry = Entry.passUnretained(storage)
    let displaced = locked { () -> ModelStorage? in
      let old =
        if let number = storage.identifier.key.number {
          numbered.updateValue(entry, forKey: number)
        } else {
          others.updateValue(entry, forKey: storage.identifier.key)
        }
      return old?.toOpaque() == entry.toOpaque() ? nil : old?.ifAlive
    }
    displaced?.table = nil
    storage.table = self
    return displaced
  }

  /// Unregisters an object, if it is the one for its identifier.
  func remove(_ storage: ModelStorage) {
    let entry = Entry.passUnretained(storage)
    locked {
      if let number = storage.identifier.key.number {
        Self.remove(entry, number, from: &numbered)
      } else {
        Self.remove(entry, storage.identifier.key, from: &others)
      }
    }
    storage.table = nil
  }

  private static func remove<Key>(_ entry: Entry, _ key: Key, from entries: inout [Key: Entry]) {
    guard let index = entries.index(forKey: key),
      entries.values[index].toOpaque() == entry.toOpaque()
    else { return }
    entries.remove(at: index)
  }

  /// Unregisters all objects at the context's end, and returns their storages.
  func end() -> [ModelStorage] {
    context = nil
    defer { locked { (numbered, others) = ([:], [:]) } }
    return everything
  }

  /// The objects that are registered now, kept alive.
  var links: [ObjectReference] { everything.compactMap(\.link) }

  /// The storages of the objects that are registered now.
  var all: [ModelStorage] { everything.filter { $0.model != nil } }

  /// The storages, also of objects that have ended.
  private var everything: [ModelStorage] {
    locked { (Array(numbered.values) + others.values).compactMap { $0.ifAlive } }
  }
}

extension PersistentIdentifier.Key {
  /// The number of the object, below 0 if it was never saved; `nil` if it has a text.
  fileprivate var number: ObjectNumber? {
    switch self {
    case .row(let number): ObjectNumber(value: number)
    case .temporary(let number): ObjectNumber(value: ~Int64(bitPattern: number))
    case .custom: nil
    }
  }
}

/// The number of an object, whose hash value takes a few instructions.
///
/// Nobody gains by choosing numbers that collide: they are the store's.
private struct ObjectNumber: Hashable {
  let value: Int64

  // swift-format-ignore: NoLeadingUnderscores
  func _rawHashValue(seed: Int) -> Int {
    let product = (Int(value) ^ seed).multipliedFullWidth(by: 0x1E37_79B9_7F4A_7C15)
    return product.high ^ Int(bitPattern: product.low)
  }
}
