package import DepotProtocol
package import DepotSQLite
package import FoundationEssentials

/// A predicate as SQL for a `WHERE` clause.
package struct PredicateSQL: Sendable {
  /// What to select from: the entity's table, called `t0`, and what is joined to it.
  package var source: String
  /// The condition, whose NULL counts as false.
  package var sql: String
  /// The values of the `?` parameters of both in their order, the source first.
  package var parameters: [SQLiteValue]
  /// Whether it can take long even for one row, as regular expressions can.
  package var isSlow: Bool

  /// Translates a predicate about the rows of an entity.
  ///
  /// - Parameters:
  ///   - expression: The predicate.
  ///   - layout: The entity's layout; all names come from it, and all values are bound.
  ///   - catalog: The layouts of the entities that it refers to.
  ///   - now: What `now` means.
  /// - Returns: The condition with its values.
  /// - Throws: ``DepotError`` `request.predicate` that names the part that is wrong, or
  ///   `schema.unknown_attribute`.
  package static func compile(
    _ expression: QueryExpression,
    for layout: EntityLayout,
    in catalog: Catalog,
    now: Date = Date()
  ) throws(DepotError) -> PredicateSQL {
    var compiler = QueryCompiler(layout, in: catalog, now: now)
    let filter = try compiler.filter(expression)
    let source = compiler.source
    return PredicateSQL(
      source: source.sql,
      sql: filter.sql,
      parameters: source.parameters + filter.parameters,
      isSlow: compiler.isSlow
    )
  }
}
