/// A change of one row in the history.
struct RecordedChange: Equatable {
  /// The identifier of the history's row, and the number of its transaction.
  var record: Int64
  var token: Int64
  var kind: HistoryTable.Kind
  /// The entity of the row; for links, the one that declares the relationship.
  var entity: String
  var identifier: Int64
  /// The row's version: after an update, before a deletion.
  var version: Int64?
  /// The changed properties; empty for an insertion.
  var properties: [Property] = []

  struct Property: Equatable {
    var name: String
    var content: Content

    /// The size of its values in bytes.
    var byteCount: Int {
      switch content {
      case .name: 0
      case .values(let old, let new): old.byteCount + new.byteCount
      case .last(let value): value.byteCount
      case .links(let added, let removed): 8 * (added.count + removed.count)
      }
    }
  }

  /// The size of its values in bytes.
  var byteCount: Int { properties.reduce(0) { $0 + $1.byteCount } }

  /// The recorded part of a property.
  enum Content: Equatable {
    /// Only the fact that it changed.
    case name
    case values(old: HistoryValue, new: HistoryValue)
    /// The last value of a deleted row.
    case last(HistoryValue)
    /// The added and removed links of a many-to-many relationship; none if only the order changed.
    case links(added: [Int64], removed: [Int64])

    /// The value before the change or the deletion, if it is recorded.
    var old: HistoryValue? {
      switch self {
      case .values(let old, _): old
      case .last(let value): value
      case .name, .links: nil
      }
    }

    /// The value after the change, if it is recorded.
    var new: HistoryValue? { if case .values(_, let new) = self { new } else { nil } }
  }
}
