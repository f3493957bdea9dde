internal import DepotProtocol
internal import DepotSQLite

/// Reads values of rows, for reports of conflicts.
final class StoredProperties {
  private let entity: String
  private let paths: [String]
  private let catalog: Catalog
  private let connection: Connection
  private let query: Query
  /// The query for rows with a value too large for an answer; it reads the value's length instead.
  private lazy var lengths = Result { try Query(self, tellsLengths: true) }

  /// Prepares reading properties; composites are read as their parts.
  init(_ entity: String, _ paths: [String], in catalog: Catalog, _ connection: Connection) throws {
    self.entity = entity
    self.paths = paths
    self.catalog = catalog
    self.connection = connection
    query = try Query(entity, paths, catalog, connection, tellsLengths: false)
  }

  /// Returns the values of a row; `nil` if it doesn't exist.
  func read(_ identifier: Int64) throws -> [String: HistoryValue]? {
    do {
      return try query.read(identifier)
    } catch let error as SQLiteError where error.kind == .tooBig {
      return try lengths.get().read(identifier)
    }
  }

  fileprivate struct Query {
    let statement: Statement
    let parameters: [SQLiteValue]
    let layout: EntityLayout
    let columns: [RowColumn]
  }
}

extension StoredProperties.Query {
  fileprivate init(_ properties: StoredProperties, tellsLengths: Bool) throws {
    try self.init(
      properties.entity,
      properties.paths,
      properties.catalog,
      properties.connection,
      tellsLengths: tellsLengths
    )
  }

  fileprivate init(
    _ entity: String,
    _ paths: [String],
    _ catalog: Catalog,
    _ connection: Connection,
    tellsLengths: Bool
  ) throws {
    var query = try RowQuery(entity, in: catalog)
    let shape = try RowShape(
      query.layout,
      select: paths,
      tellsLengths: tellsLengths,
      in: &query.compiler
    )
    let read = try query.select(shape.selection, and: Fragment(sql: "t0.id = ?"))
    statement = try connection.statement(read.sql)
    parameters = read.parameters
    layout = shape.layout
    columns = shape.columns
  }

  fileprivate func read(_ identifier: Int64) throws -> [String: HistoryValue]? {
    defer { statement.reset() }
    statement.restart()
    for (index, value) in parameters.enumerated() { try statement.bind(value, at: index + 1) }
    try statement.bind(identifier, at: parameters.count + 1)
    guard try statement.step() else { return nil }
    var result: [String: HistoryValue] = [:]
    for column in columns {
      var cell = Cell(statement.row, column.index)
      if cell.isNull, column.form == .identifiers { cell = .text(.init(start: nil, count: 0)) }
      try column.check(cell, of: layout, identifier)
      result[column.name] = HistoryValue(cell, column.form)
    }
    return result
  }
}
