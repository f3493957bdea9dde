internal import DepotProtocol
internal import DepotSQLite

/// The plan for reading rows of one entity by their identifiers.
final class GetPlan {
  let statement: Statement
  let connection: Connection
  let writing: RowWriting
  let entity: String
  /// The member `columns` of a frame, with the comma behind it.
  let names: [UInt8]
  /// The statement's parameters before the identifier.
  let parameters: [SQLiteValue]
  /// The prefetched relationships.
  let prefetch: [PrefetchNode]

  init(_ request: GetRequest, in catalog: Catalog, _ connection: Connection) throws {
    var query = try RowQuery(request.entity, in: catalog)
    let shape = try RowShape(
      query.layout,
      select: request.select,
      includesSubentityColumns: request.includesSubentityColumns,
      in: &query.compiler
    )
    let condition = Fragment(sql: "t0.id = ?")
    let read = try query.select(shape.selection, and: condition)
    statement = try connection.statement(read.sql)
    parameters = read.parameters
    prefetch = try PrefetchNode.tree(request, from: shape, in: catalog)
    self.connection = connection
    writing = RowWriting(shape)
    entity = shape.layout.name
    names = ReplyWriter.columns(shape.names).dropFirst() + [UInt8(ascii: ",")]
  }
}
