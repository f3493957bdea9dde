/// The registered objects of one hierarchy of entities in one store, by their keys.
///
/// It keeps nothing alive: objects take themselves out when they end.
final class IdentityTable {
  private var rows: [Int64: Unmanaged<ModelStorage>] = [:]
  private var others: [PersistentIdentifier.Key: Unmanaged<ModelStorage>] = [:]

  subscript(key: PersistentIdentifier.Key) -> ModelStorage? {
    get {
      if case .row(let row) = key { return rows[row]?.takeUnretainedValue() }
      return others[key]?.takeUnretainedValue()
    }
    set {
      let entry = newValue.map(Unmanaged.passUnretained)
      if case .row(let row) = key { rows[row] = entry } else { others[key] = entry }
    }
  }

  func reserve(_ count: Int) { rows.reserveCapacity(rows.count + count) }

  /// The objects that are registered now, kept alive.
  var links: [Link] { all.compactMap(\.link) }

  /// What holds the values of the objects that are registered now.
  var all: [ModelStorage] {
    rows.values.map { $0.takeUnretainedValue() } + others.values.map { $0.takeUnretainedValue() }
  }
}
