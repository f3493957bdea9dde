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

  private func remove(_ condition: String, _ catalog: Catalog) throws {
    guard catalog.specialTables.contains(BlobTable.uploads) else { return }
    var found: [(table: String, reference: BlobReference)] = []
    try connection.statement("SELECT blobs, reference FROM depot_upload WHERE \(condition)").run {
      if let reference = BlobReference($0.bytes(1)) { found.append(($0.text(0), reference)) }
    }
    for (name, reference) in found { try writer(of: name, catalog)?.delete(reference.number) }
    if !found.isEmpty {
      try connection.execute("DELETE FROM depot_upload WHERE \(condition)")
    }
  }

  /// Returns the writer for a table of values; `nil` if the table no longer exists.
  private func writer(of name: String, _ catalog: Catalog) -> BlobWriter? {
    let table = catalog.tables.lazy.map { BlobTable($0.root) }.first { $0.name == name }
    return table.map { BlobWriter(connection: connection, table: $0) }
  }
}
