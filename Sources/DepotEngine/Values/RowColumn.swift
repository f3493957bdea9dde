internal import DepotProtocol

/// A column of the rows that are read.
struct RowColumn: Hashable {
  /// The name for clients.
  var name: String
  var form: Form
  /// The index among the columns of the statement.
  var index: Int
  /// Whether it is the sum of a group, where null means an overflow.
  var isSum = false

  /// The conversion of SQLite's value to JSON.
  enum Form: Hashable {
    case scalar(AttributeType)
    /// The JSON array of a collection attribute, with elements of this type.
    case list(AttributeType)
    /// The reference to a value outside the row, which becomes its length.
    case external
    /// Any JSON.
    case json
    /// The number of the row's entity, which becomes its name.
    case entity
    /// Comma-separated identifiers, which become a list.
    case identifiers

    init(_ attribute: Attribute) {
      if attribute.options.contains(.externalStorage) {
        self = .external
      } else if attribute.collection != nil {
        self = .list(attribute.type)
      } else if attribute.type == .json {
        self = .json
      } else {
        self = .scalar(attribute.type)
      }
    }
  }
}
