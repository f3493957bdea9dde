internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

/// A query about rows of one entity while its parts are being translated.
struct RowQuery {
  let layout: EntityLayout
  var compiler: QueryCompiler
  private var conditions: [Fragment] = []

  init(
    _ entity: String,
    where predicate: QueryExpression? = nil,
    includesSubentities: Bool = true,
    in catalog: Catalog
  ) throws(DepotError) {
    layout = try catalog.layout(of: entity)
    compiler = QueryCompiler(layout, in: catalog, now: Date())
    if let condition = layout.kindCondition(in: "t0", includingDescendants: includesSubentities) {
      conditions.append(Fragment(sql: condition))
    }
    guard let predicate else { return }
    do {
      conditions.append(try compiler.filter(predicate))
    } catch {
      throw error.at("/args/where")
    }
  }

  /// Returns the `FROM` and `WHERE` clauses; translate all other parts of the query before.
  func clauses(and condition: Fragment? = nil) -> Fragment {
    let all = conditions + (condition.map { [$0] } ?? [])
    let clause = " FROM " + compiler.source
    guard !all.isEmpty else { return clause }
    return clause + " WHERE " + .joined(all.map(\.parenthesized)[...], by: "AND")
  }

  /// Returns the statement with its values.
  func statement(_ fragment: Fragment) -> ReadStatement {
    ReadStatement(fragment, isSlow: compiler.isSlow)
  }
}
