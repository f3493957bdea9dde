internal import DepotProtocol
internal import DepotSQLite

/// The plan for reading the rows of a watched query: all of them, or some by identifier.
struct LivePlan {
  let request: FetchRequest
  /// The plan for streaming all rows.
  let stream: StreamPlan
  let order: LiveOrder
  let window: LiveResult.Window?
  let dependencies: QueryDependencies
  let names: [String]
  /// The additional columns of the statements' rows.
  let keys: LiveEntry.Keys
  /// Whether the rows depend on the time, random numbers, or a rank, so that the plan is valid once.
  let isTimeDependent: Bool
  /// The steps that it shares with all watches of the same shape.
  var shared = SharedRows()
  /// The statement for rows of a list of identifiers.
  private let some: ReadStatement
  /// The statement for the row of one identifier.
  private let one: ReadStatement

  init(_ request: FetchRequest, in catalog: Catalog) throws(DepotError) {
    self.request = request
    var query = try RowQuery(request, in: catalog)
    let shape = try RowShape(
      query.layout,
      select: request.select,
      includesSubentityColumns: request.includesSubentityColumns,
      in: &query.compiler
    )
    let sort = try RowOrder(request.sort, in: &query.compiler)
    // The last term is the identifier.
    let terms = sort.terms.dropLast()
    order = LiveOrder(
      descending: terms.map(\.isDescending),
      isIdentifierDescending: sort.terms.last?.isDescending ?? false
    )
    keys = LiveEntry.Keys(
      columns: shape.selectionCount..<shape.selectionCount + terms.count,
      countsVersion: request.select == nil
    )
    names = shape.names
    var selection = shape.selection
    for term in terms { selection = selection + ", " + term.value }
    window =
      request.limit != nil || request.offset > 0
      ? LiveResult.Window(limit: request.limit ?? .max, offset: request.offset) : nil
    let isOne = Fragment(sql: "t0.id = ?", parameters: [.null])
    one = try query.select(selection, and: isOne)
    some = try query.select(selection, and: .isListed)
    let all = "SELECT " + selection + query.clauses() + " ORDER BY " + sort.sql
    dependencies = try QueryDependencies(request, in: catalog)
    isTimeDependent = dependencies.isOpaque
    stream = StreamPlan(
      statement: try ReadStatement(
        all.cut(request.limit, offset: request.offset),
        isSlow: query.compiler.isSlow
      ),
      form: StreamForm(
        RowWriting(shape),
        names: shape.names,
        batch: request.batch,
        entity: request.entity,
        prefetch: try PrefetchNode.tree(request, from: shape, in: catalog),
        liveKeys: keys
      )
    )
  }

  /// Returns the statement for those among some rows that satisfy the query, in any order.
  func statement(for identifiers: [Int64]) -> ReadStatement {
    identifiers.count == 1
      ? one.binding(last: .integer(identifiers[0])) : some.listing(identifiers)
  }
}
