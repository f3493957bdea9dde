package import DepotProtocol
package import DepotSQLite
package import FoundationEssentials

/// A predicate as SQL for a `WHERE` clause.
package struct PredicateSQL: Sendable {
  /// The `FROM` clause: the entity's table, with the alias `t0`, and the tables joined to it.
  package var source: String
  /// The condition, where NULL means false.
  package var sql: String
  /// The values of the `?` parameters in both clauses, those of the source first.
  package var parameters: [SQLiteValue]
  /// Whether it can be slow even for one row, such as a regular expression.
  package var isSlow: Bool

  /// Translates a predicate on the rows of an entity.
  ///
  /// All names are taken from its layout, and all values are bound.
  package static func compile(
    _ expression: QueryExpression,
    for layout: EntityLayout,
    in catalog: Catalog,
    now: Date = Date()
  ) throws(DepotError) -> PredicateSQL {
    var compiler = QueryCompiler(layout, in: catalog, now: now)
    let filter = try compiler.filter(expression)
    let source = compiler.source
    try (source + filter).checkSize()
    return PredicateSQL(
      source: source.sql,
      sql: filter.sql,
      parameters: source.parameters + filter.parameters,
      isSlow: compiler.isSlow
    )
  }
}
