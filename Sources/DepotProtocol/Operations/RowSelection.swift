/// The rows of a change.
public enum RowSelection: Hashable, Sendable {
  /// The rows with these identifiers; each must exist.
  case identifiers([Int64])
  /// The rows that satisfy a predicate.
  case predicate(QueryExpression)

  /// The predicate of the rows, unless they are named.
  package var predicate: QueryExpression? {
    if case .predicate(let predicate) = self { predicate } else { nil }
  }
}

/// A request about the rows of an entity, or about its rows that satisfy a predicate.
package protocol RowRequest {
  var entity: String { get set }
  var predicate: QueryExpression? { get set }
  var includesSubentities: Bool { get set }
}

extension MemberCoder {
  /// Passes the selection of rows for a request.
  mutating func rows(_ request: inout some RowRequest) throws(Failure) {
    try variables()
    try required("entity", &request.entity)
    try predicate("where", &request.predicate)
    try value("subentities", &request.includesSubentities, default: true)
  }

  /// Passes the selection of rows for a change: `ids` or `where`.
  mutating func rows(_ rows: inout RowSelection) throws(Failure) {
    try custom { (reader) throws(DepotError) in
      switch (try reader.identifiers(), try reader.predicate("where")) {
      case (let identifiers?, nil): rows = .identifiers(identifiers)
      case (nil, let predicate?): rows = .predicate(predicate)
      default:
        throw DepotError(.usage, "Name the rows by exactly one of \"ids\" and \"where\".")
          .hint(#"For every row, write "where":"TRUEPREDICATE"."#).at(reader.node.pointer)
      }
    } write: { writer in
      switch rows {
      case .identifiers(var list): writer.required("ids", &list)
      case .predicate(let expression):
        writer.member("where")
        writer.expression(expression)
      }
    }
  }
}
