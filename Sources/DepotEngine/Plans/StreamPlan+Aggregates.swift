internal import DepotProtocol
internal import DepotSQLite

extension StreamPlan {
  /// Makes the plan for groups of rows.
  init(_ request: AggregateRequest, in catalog: Catalog) throws(DepotError) {
    let groups = try RowGroups(request, in: catalog)
    var query = try RowQuery(RowGroups.entityName, in: groups.catalog)
    query.compiler.scopes[0].from = "(" + groups.statement + ") AS t0"
    let having = try request.having.map { condition throws(DepotError) in
      try DepotError.at("/args/having", try query.compiler.filter(condition))
    }
    var order = try RowOrder(request.sort, isByIdentifier: false, in: &query.compiler)
    order.append(groups.columns.prefix(request.keys.count).map { $0.reference })
    var sql = "SELECT " + Fragment.list(groups.columns.map(\.reference))
    sql = sql + query.clauses(and: having)
    if !order.terms.isEmpty { sql = sql + " ORDER BY " + order.sql }
    sql = sql.cut(request.limit, offset: request.offset)
    statement = try ReadStatement(sql, isSlow: query.compiler.isSlow || groups.isSlow)
    let columns = groups.columns.enumerated().map { index, column in
      RowColumn(
        name: column.name,
        form: .scalar(column.type),
        index: index,
        isSum: column.isSum
      )
    }
    form = StreamForm(
      RowWriting(columns: columns),
      names: groups.columns.map(\.name),
      batch: request.batch,
      entity: request.entity
    )
  }
}
