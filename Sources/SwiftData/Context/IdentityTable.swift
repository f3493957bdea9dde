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

  func reserve(_ count: Int) { rows.reserveCapacity(rows.count + count) }

  /// The objects that are registered now, kept alive.
  var links: [Link] { everything.compactMap(\.link) }

  /// What holds the values of the objects that are registered now.
  var all: [ModelStorage] { everything.filter { $0.model != nil } }

  /// What holds values, also of objects that have ended.
  var everything: [ModelStorage] {
    rows.values.map { $0.takeUnretainedValue() } + others.values.map { $0.takeUnretainedValue() }
  }
}

extension Unmanaged<ModelStorage> {
  /// What holds the values of an object that hasn't ended.
  @inline(__always)
  fileprivate var alive: ModelStorage? {
    let storage = takeUnretainedValue()
    return storage.model == nil ? nil : storage
  }
}
