internal import DepotProtocol
internal import DepotSQLite

/// The reading of rows as clients get them, for what is told of conflicts.
final class StoredProperties {
  private let statement: Statement
  private let parameters: [SQLiteValue]
  private let writing: RowWriting
  private let names: [String]

  /// Prepares the reading of properties; composites come as their parts.
  init(_ entity: String, _ paths: [String], in catalog: Catalog, _ connection: Connection) throws {
    var query = try RowQuery(entity, in: catalog)
    let shape = try RowShape(query.layout, select: paths, in: &query.compiler)
    let read = try query.select(shape.selection, and: Fragment(sql: "t0.id = ?"))
    statement = try connection.statement(read.sql)
    parameters = read.parameters
    writing = RowWriting(shape)
    names = shape.columns.map(\.name)
  }

  /// Returns what a row has; `nil` if there is no such row.
  func read(_ identifier: Int64) throws -> [String: JSONValue]? {
    defer { statement.reset() }
    statement.restart()
    for (index, value) in parameters.enumerated() { try statement.bind(value, at: index + 1) }
    try statement.bind(identifier, at: parameters.count + 1)
    guard try statement.step() else { return nil }
    var writer = JSONWriter()
    try writing.write(statement.row, int64: .number, to: &writer)
    let values = try JSONDocument(writer.bytes).root.elements().dropFirst(2)
    var result: [String: JSONValue] = [:]
    for (name, value) in zip(names, values) { result[name] = try JSONValue(value) }
    return result
  }
}
