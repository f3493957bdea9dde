/// A past state of a row, found by undoing its later changes.
struct RowState: Equatable {
  /// Whether the row existed.
  var exists: Bool
  /// Its values, by path.
  var values: [String: HistoryValue]
  /// The properties that had other values, which the history doesn't have.
  var unknown: Set<String> = []

  /// The approximate size in bytes.
  var byteCount: Int { values.values.reduce(64 * values.count) { $0 + $1.byteCount } }

  static let none = RowState(exists: false, values: [:])

  /// Undoes a change of the row.
  mutating func undo(_ change: RecordedChange) {
    switch change.kind {
    case .insert: self = .none
    case .update:
      for property in change.properties {
        if case .values(let old, _) = property.content {
          // The copy doesn't keep the value's page in memory.
          values[property.name] = old.copy
          unknown.remove(property.name)
        } else {
          values[property.name] = nil
          unknown.insert(property.name)
        }
      }
    case .delete:
      self = RowState(exists: true, values: [:])
      for property in change.properties {
        if case .last(let value) = property.content {
          values[property.name] = value.copy
        }
      }
    case .links: break
    }
  }
}
