/// The registered objects of a context, one for each identifier.
final class IdentityMap {
  /// The objects by the topmost entities of their stores.
  private var tablesByRoot: [ObjectIdentifier: IdentityTable] = [:]

  /// Finds the storage of an object.
  subscript(identifier: PersistentIdentifier) -> ModelStorage? {
    tablesByRoot[ObjectIdentifier(identifier.entity.root)]?[identifier.key]
  }

  /// Returns the objects of a hierarchy.
  func table(of entity: EntityKey) -> IdentityTable {
    let key = ObjectIdentifier(entity.root)
    if let table = tablesByRoot[key] { return table }
    let table = IdentityTable()
    tablesByRoot[key] = table
    return table
  }

  /// The tables of all hierarchies.
  var tables: [IdentityTable] { Array(tablesByRoot.values) }
}

/// The registered objects of one hierarchy of entities in one store, by their keys.
///
/// It keeps nothing alive: objects take themselves out when they end. One whose values somebody keeps
/// after its end isn't found any more, and makes room for another one.
final class IdentityTable {
  private typealias Entry = Unmanaged<ModelStorage>

  private var rows: [Int64: Entry] = [:]
  private var others: [PersistentIdentifier.Key: Entry] = [:]

  subscript(key: PersistentIdentifier.Key) -> ModelStorage? {
    if case .row(let row) = key { return rows[row]?.alive }
    return others[key]?.alive
  }

  /// Makes an object the one for its identifier.
  func add(_ storage: ModelStorage) {
    let entry = Entry.passUnretained(storage)
    let old =
      if case .row(let row) = storage.identifier.key {
        rows.updateValue(entry, forKey: row)
      } else {
        others.updateValue(entry, forKey: storage.identifier.key)
      }
    if let old, old.toOpaque() != entry.toOpaque() { old.takeUnretainedValue().context = nil }
  }

  /// Takes an object out, if it is the one for its identifier.
  func remove(_ storage: ModelStorage) {
    if case .row(let row) = storage.identifier.key {
      Self.remove(storage, row, from: &rows)
    } else {
      Self.remove(storage, storage.identifier.key, from: &others)
    }
  }

  private static func remove<Key>(
    _ storage: ModelStorage,
    _ key: Key,
    from entries: inout [Key: Entry]
  ) {
    guard let index = entries.index(forKey: key),
      entries.values[index].toOpaque() == Entry.passUnretained(storage).toOpaque()
    else { return }
    entries.remove(at: index)
  }

  /// The objects that are registered now, kept alive.
  var links: [Link] { everything.compactMap(\.link) }

  /// The storages of the objects that are registered now.
  var all: [ModelStorage] { everything.filter { $0.model != nil } }

  /// The storages, also of objects that have ended.
  var everything: [ModelStorage] {
    rows.values.map { $0.takeUnretainedValue() } + others.values.map { $0.takeUnretainedValue() }
  }
}

extension Unmanaged<ModelStorage> {
  /// The storage of an object that hasn't ended.
  @inline(__always)
  fileprivate var alive: ModelStorage? {
    let storage = takeUnretainedValue()
    return storage.model == nil ? nil : storage
  }
}
