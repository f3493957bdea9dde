internal import DepotProtocol
internal import DepotSQLite

/// The uploads that connections have begun, to which no row refers yet.
struct BlobUploads {
  let connection: Connection

  struct Key {
    var connection: Int64
    var name: String
  }

  /// Returns an upload, and the value that it is to be.
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

  /// Forgets an upload, but not what it brought.
  func forget(_ key: Key) throws {
    try connection.statement("DELETE FROM depot_upload WHERE connection = ?1 AND name = ?2")
      .run([.integer(key.connection), .text(key.name)])
  }

  /// Removes what a connection uploaded and didn't finish.
  func remove(ofConnection number: Int64, _ catalog: Catalog) throws {
    try remove("connection = \(number)", catalog)
  }

  /// Removes what connections uploaded and didn't finish.
  func remove(ofConnections numbers: Range<Int64>, _ catalog: Catalog) throws {
    try remove(
      "connection >= \(numbers.lowerBound) AND connection < \(numbers.upperBound)",
      catalog
    )
  }

  /// Removes all that wasn't finished, as no connection outlives the service.
  func removeAll(_ catalog: Catalog) throws {
    try remove("1", catalog)
  }

  private func remove(_ condition: String, _ catalog: Catalog) throws {
    guard catalog.specialTables.contains(BlobTable.uploads) else { return }
    var found: [(table: String, reference: BlobReference)] = []
    try connection.statement("SELECT blobs, reference FROM depot_upload WHERE \(condition)").run {
      if let reference = BlobReference($0.bytes(1)) { found.append(($0.text(0), reference)) }
    }
    let tables = Set(catalog.tables.map { BlobTable($0.root).name })
    for (name, reference) in found where tables.contains(name) {
      let table = BlobTable(String(name.dropFirst(3).dropLast()))
      try BlobWriter(connection: connection, table: table).delete(reference.number)
    }
    if !found.isEmpty {
      try connection.execute("DELETE FROM depot_upload WHERE \(condition)")
    }
  }
}
