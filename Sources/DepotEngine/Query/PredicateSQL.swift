package import DepotProtocol
package import DepotSQLite
package import FoundationEssentials

/// A predicate as SQL for a `WHERE` clause.
package struct PredicateSQL: Sendable {
  /// The condition, whose NULL counts as false.
  package var sql: String
  /// The values of its `?` parameters in their order.
  package var parameters: [SQLiteValue]
  /// Whether it can take long even for one row, as regular expressions can.
  package var isSlow: Bool

  /// Translates a predicate about the rows of an entity.
  ///
  /// - Parameters:
  ///   - expression: The predicate.
  ///   - layout: The entity's layout; all identifiers come from it, and all values are bound.
  ///   - now: What `now` means.
  /// - Returns: The condition with its values.
  /// - Throws: ``DepotError`` `request.predicate` that names the part that is wrong, or
  ///   `schema.unknown_attribute`.
  package static func compile(
    _ expression: QueryExpression,
    for layout: EntityLayout,
    now: Date = Date()
  ) throws(DepotError) -> PredicateSQL {
    var compiler = PredicateCompiler(layout: layout, now: now)
    let condition = try compiler.condition(expression, isFilter: true)
    return PredicateSQL(
      sql: condition.fragment.sql,
      parameters: condition.fragment.parameters,
      isSlow: compiler.isSlow
    )
  }
}
