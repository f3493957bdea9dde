/// A change of one row of an entity, as the history has it.
struct RecordedChange: Equatable {
  /// The row of the history, and its transaction.
  var record: Int64
  var token: Int64
  var kind: HistoryTable.Kind
  /// The entity that the row is of; of links, the one that declares the relationship.
  var entity: String
  var identifier: Int64
  /// The row's version: after an update, before a deletion.
  var version: Int64?
  /// The properties that changed; none of an insertion.
  var properties: [Property] = []

  struct Property: Equatable {
    var name: String
    var content: Content

    /// How many bytes its values have.
    var byteCount: Int {
      switch content {
      case .name: 0
      case .values(let old, let new): old.byteCount + new.byteCount
      case .last(let value): value.byteCount
      case .links(let added, let removed): 8 * (added.count + removed.count)
      }
    }
  }

  /// How many bytes its values have.
  var byteCount: Int { properties.reduce(0) { $0 + $1.byteCount } }

  /// The part of a property that is kept.
  enum Content: Equatable {
    /// Only that it changed.
    case name
    case values(old: HistoryValue, new: HistoryValue)
    /// The last value of a deleted row.
    case last(HistoryValue)
    /// The rows that a relationship from many to many was changed by; none if only their order was.
    case links(added: [Int64], removed: [Int64])
  }
}
