internal import DepotProtocol
internal import DepotSQLite

/// The change of a column of texts or data so that it may refer to values outside the row.
///
/// It is made for the first value that is too large for the row. The rows stay as they are: SQLite
/// stores their values alike in both columns, and the new references are of the other type.
struct ColumnWidening {
  /// The root entity, whose table has the column.
  let root: EntityLayout
  /// The column before the change.
  let column: StoredColumn
  /// The same schema with the widened column.
  let next: Catalog

  /// Makes the change for a path of an entity; `nil` if it isn't needed or not possible.
  init?(_ entity: String, _ path: String, in catalog: Catalog) {
    guard let layout = try? catalog.layout(of: entity),
      let root = try? catalog.layout(of: layout.root), let position = layout.position(of: path),
      let place = layout.storedPositions[position], !layout.stored[place].isExternal,
      let owner = catalog.schema[layout.fields[position].owner],
      catalog.schema.isWidenable(layout.fields[position], of: owner)
    else { return nil }
    self.root = root
    column = layout.stored[place]
    next = Catalog(
      catalog.schema,
      catalog.storage.widening(layout.fields[position]),
      generation: catalog.generation + 1
    )
  }

  /// Changes the table and the schema's description, inside a transaction.
  func run(on connection: Connection) throws {
    guard
      let widened = next.tables.first(where: { $0.name == root.name })?.stored
        .first(where: { $0.name == column.name })
    else { throw DepotError(.bug, "\(root.name) has no column \(column.name).") }
    try connection.retype(
      column.name,
      of: "e_\(root.name)",
      from: column.sqlType,
      to: widened.sqlType
    )
    try CatalogTables(connection: connection).store(next)
  }
}
