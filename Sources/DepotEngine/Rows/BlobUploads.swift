internal import DepotProtocol
internal import DepotSQLite

/// The unfinished uploads of connections, which no row refers to yet.
struct BlobUploads {
  let connection: Connection

  struct Key {
    var connection: Int64
    var name: String
  }

  /// Returns an upload's target and its value.
  func find(_ key: Key) throws -> (target: String, reference: BlobReference)? {
    try connection.statement(
      "SELECT target, reference FROM depot_upload WHERE connection = ?1 AND name = ?2"
    ).first([.integer(key.connection), .text(key.name)]) { row in
      BlobReference(row.bytes(1)).map { (row.text(0), $0) }
    } ?? nil
  }

  func store(
    _ key: Key,
    _ target: String,
    _ table: BlobTable,
    _ reference: BlobReference
  ) throws {
    try connection.statement(
      """
      INSERT INTO depot_upload (connection, name, blobs, target, reference) \
      VALUES (?1, ?2, ?3, ?4, ?5) \
      ON CONFLICT (connection, name) DO UPDATE SET reference = excluded.reference
      """
    ).run([
      .integer(key.connection), .text(key.name), .text(table.name), .text(target),
      .text(reference.text),
    ])
  }

  /// Deletes an upload's entry, but not its value.
  func forget(_ key: Key) throws {
    try connection.statement("DELETE FROM depot_upload WHERE connection = ?1 AND name = ?2")
      .run([.integer(key.connection), .text(key.name)])
  }

  /// Deletes one batch of a connection's unfinished uploads; returns `false` if none are left.
  func removeSome(ofConnection number: Int64, _ catalog: Catalog) throws -> Bool {
    guard catalog.specialTables.contains(BlobTable.uploads) else { return false }
    let found = try connection.statement(
      "SELECT name, blobs, reference FROM depot_upload WHERE connection = ?1 LIMIT 1"
    ).first([.integer(number)]) { ($0.text(0), $0.text(1), BlobReference($0.bytes(2))) }
    guard let (name, blobs, reference) = found else { return false }
    if let reference, let writer = writer(of: blobs, catalog),
      try writer.deleteSome(of: reference.number)
    {
      return true
    }
    try forget(Key(connection: number, name: name))
    return true
  }

  /// Deletes the unfinished uploads of some connections.
  func remove(ofConnections numbers: Range<Int64>, _ catalog: Catalog) throws {
    try remove(
      "connection >= \(numbers.lowerBound) AND connection < \(numbers.upperBound)",
      catalog
    )
  }

  /// Removes all unfinished uploads, since no connection survives the service.
  func removeAll(_ catalog: Catalog) throws {
    try remove("1", catalog)
  }

  /// Deletes uploads and their values, except values that rows have.
  ///
  /// An earlier program may have left uploads whose table was dropped, and perhaps made again with
  /// other values of the same numbers.
  private func remove(_ condition: String, _ catalog: Catalog) throws {
    guard catalog.specialTables.contains(BlobTable.uploads) else { return }
    let names = Set(
      try connection.texts("SELECT DISTINCT blobs FROM depot_upload WHERE \(condition)")
    )
    if names.isEmpty { return }
    for root in catalog.tables where BlobTable.table(of: root) != nil {
      let table = BlobTable(root.name).name
      guard names.contains(table) else { continue }
      try connection.execute(
        """
        DELETE FROM \(table) WHERE blob IN (SELECT CAST(reference AS INTEGER) FROM depot_upload \
        WHERE blobs = '\(table)' AND \(condition)) \
        AND blob NOT IN (\(BlobTable.references(in: root)))
        """
      )
    }
    try connection.execute("DELETE FROM depot_upload WHERE \(condition)")
  }

  /// Returns the writer for a table of values; `nil` if the table no longer exists.
  private func writer(of name: String, _ catalog: Catalog) -> BlobWriter? {
    let root = catalog.tables.first {
      BlobTable.table(of: $0) != nil && BlobTable($0.name).name == name
    }
    return root.map { BlobWriter(connection: connection, table: BlobTable($0.name)) }
  }
}
