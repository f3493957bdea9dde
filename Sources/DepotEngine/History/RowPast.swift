/// The state of a row at a moment, found by going back from the present one.
struct RowPast: Equatable {
  /// Whether there was such a row.
  var exists: Bool
  /// Its values, by their paths.
  var values: [String: HistoryValue]
  /// The properties that the history says nothing of but that they had other values.
  var unknown: Set<String> = []

  /// How many bytes it takes, about.
  var byteCount: Int { values.values.reduce(64 * values.count) { $0 + $1.byteCount } }

  static let none = RowPast(exists: false, values: [:])

  /// Goes back over a change of the row.
  mutating func undo(_ change: RecordedChange) {
    switch change.kind {
    case .insert: self = .none
    case .update:
      for property in change.properties {
        if case .values(let old, _) = property.content {
          // The page that it stands in shall not stay in memory.
          values[property.name] = old.copy
          unknown.remove(property.name)
        } else {
          values[property.name] = nil
          unknown.insert(property.name)
        }
      }
    case .delete:
      self = RowPast(exists: true, values: [:])
      for property in change.properties {
        if case .last(let value) = property.content {
          values[property.name] = value.copy
        }
      }
    case .links: break
    }
  }
}
