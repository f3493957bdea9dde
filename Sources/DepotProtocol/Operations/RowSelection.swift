/// Which rows a change is about.
public enum RowSelection: Hashable, Sendable {
  /// These rows, all of which must exist.
  case identifiers([Int64])
  /// The rows that satisfy a predicate.
  case predicate(QueryExpression)
}

extension MemberCoder {
  /// Passes which rows a change is about: `ids` or `where`.
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
