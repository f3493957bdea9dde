internal import DepotProtocol
internal import DepotSQLite

/// How the rows of a watched query are read: all of them, or those of some identifiers.
struct LivePlan {
  let request: FetchRequest
  /// How all rows are streamed.
  let stream: StreamPlan
  let order: LiveOrder
  let window: LiveResult.Window?
  let dependencies: QueryDependencies
  let names: [String]
  /// What of the statements' rows matters besides what the client gets.
  let keys: LiveEntry.Keys
  /// Whether the statements are right only for the moment at which they were made.
  let isMomentary: Bool
  private let some: ReadStatement
  private let one: ReadStatement

  /// - Throws: ``DepotError`` if a part of the request doesn't fit the entity.
  init(_ request: FetchRequest, in catalog: Catalog) throws(DepotError) {
    self.request = request
    var query = try RowQuery(
      request.entity,
      where: request.predicate,
      includesSubentities: request.includesSubentities,
      in: catalog
    )
    let shape = try RowShape(
      query.layout,
      select: request.select,
      includesSubentityColumns: request.includesSubentityColumns,
      in: &query.compiler
    )
    let sort = try RowOrder(request.sort, in: &query.compiler)
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
    var select = "SELECT " + shape.selection
    for term in terms { select = select + ", " + term.value }
    var all = select + query.clauses() + " ORDER BY " + sort.sql
    if request.limit != nil || request.offset > 0 {
      all =
        all + " LIMIT " + .bound(.integer(Int64(request.limit ?? -1)))
        + " OFFSET " + .bound(.integer(Int64(request.offset)))
      window = LiveResult.Window(limit: request.limit ?? .max, offset: request.offset)
    } else {
      window = nil
    }
    let isOne = Fragment(sql: "t0.id = ?", parameters: [.null])
    let isOneOfSome = Fragment(
      sql: "t0.id IN (SELECT value FROM depot_each(?, 0))",
      parameters: [.null]
    )
    one = query.statement(select + query.clauses(and: isOne))
    some = query.statement(select + query.clauses(and: isOneOfSome))
    dependencies = try QueryDependencies(request, in: catalog)
    isMomentary = dependencies.isOpaque
    stream = StreamPlan(
      statement: query.statement(all),
      reading: RowReading(shape),
      names: shape.names,
      batch: request.batch,
      entity: request.entity,
      prefetch: try PrefetchNode.tree(
        request.prefetch,
        from: shape,
        namesColumns: request.namesColumns,
        includesSubentityColumns: request.includesSubentityColumns,
        in: catalog
      ),
      liveKeys: keys
    )
  }

  /// Returns what reads those of some rows that satisfy the query, in any order.
  func statement(for identifiers: [Int64]) -> ReadStatement {
    // The condition is the last of its clause.
    var result = identifiers.count == 1 ? one : some
    result.parameters[result.parameters.count - 1] =
      identifiers.count == 1
      ? .integer(identifiers[0])
      : .blob(ListValue.pack(identifiers.map(SQLiteValue.integer)))
    return result
  }
}
