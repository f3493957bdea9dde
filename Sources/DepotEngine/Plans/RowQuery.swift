internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

/// A query on rows of one entity, during its translation.
struct RowQuery {
  let layout: EntityLayout
  var compiler: QueryCompiler
  private var conditions: [Fragment] = []

  /// Begins a query on all rows of an entity.
  init(
    _ entity: String,
    includesSubentities: Bool = true,
    in catalog: Catalog
  ) throws(DepotError) {
    layout = try catalog.layout(of: entity)
    compiler = QueryCompiler(layout, in: catalog, now: Date())
    if let condition = layout.kindCondition(in: "t0", includingDescendants: includesSubentities) {
      conditions.append(Fragment(sql: condition))
    }
  }

  /// Begins a query on the rows of a request.
  init(_ request: some RowRequest, in catalog: Catalog) throws(DepotError) {
    try self.init(request.entity, includesSubentities: request.includesSubentities, in: catalog)
    guard let predicate = request.predicate else { return }
    conditions.append(try DepotError.at("/args/where", try compiler.filter(predicate)))
  }

  /// Returns the statement for columns of the rows that satisfy a condition.
  func select(
    _ columns: Fragment,
    and condition: Fragment? = nil
  ) throws(DepotError) -> ReadStatement {
    try ReadStatement("SELECT " + columns + clauses(and: condition), isSlow: compiler.isSlow)
  }

  /// Returns the `FROM` and `WHERE` clauses; translate all other parts of the query first.
  func clauses(and condition: Fragment? = nil) -> Fragment {
    let all = conditions + (condition.map { [$0] } ?? [])
    let clause = " FROM " + compiler.source
    guard !all.isEmpty else { return clause }
    return clause + " WHERE " + .joined(all.map(\.parenthesized)[...], by: "AND")
  }
}
