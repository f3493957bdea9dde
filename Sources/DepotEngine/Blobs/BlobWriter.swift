internal import DepotProtocol
internal import DepotSQLite

/// Writes values that are stored outside their rows, inside a transaction.
struct BlobWriter {
  let connection: Connection
  let table: BlobTable

  /// Stores a new value.
  func create(_ bytes: UnsafeBufferPointer<UInt8>) throws(SQLiteError) -> BlobReference {
    var reference = BlobReference(number: try nextNumber())
    var start = 0
    repeat {
      let end = min(start + BlobTable.chunkBytes, bytes.count)
      let chunk = UnsafeBufferPointer(rebasing: bytes[start..<end])
      try store(chunk, start / BlobTable.chunkBytes, of: &reference)
      start = end
    } while start < bytes.count
    reference.length = bytes.count
    return reference
  }

  /// Stores a copy of another table's value.
  func copy(
    _ original: BlobReference,
    from reader: BlobReader
  ) throws -> BlobReference {
    var reference = BlobReference(number: try nextNumber())
    reference.length = original.length
    var bytes: [UInt8] = []
    for index in 0..<original.chunkCount {
      try reader.chunk(index, of: original) { bytes = Array($0) }
      try bytes.withUnsafeBufferPointer { try store($0, index, of: &reference) }
    }
    return reference
  }

  /// Returns a number that no value has.
  private func nextNumber() throws(SQLiteError) -> Int64 {
    try connection.integer("SELECT max(blob) FROM \(table.name)").map { $0 + 1 } ?? 1
  }

  /// Stores a chunk, and adds its checksum to the reference.
  private func store(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ index: Int,
    of reference: inout BlobReference
  ) throws(SQLiteError) {
    let statement = try connection.statement(
      """
      INSERT INTO \(table.name) (blob, chunk, data) VALUES (?1, ?2, ?3) \
      ON CONFLICT (blob, chunk) DO UPDATE SET data = excluded.data
      """
    )
    try statement.bind(reference.number, at: 1)
    try statement.bind(Int64(index), at: 2)
    try statement.bind(borrowingBlob: bytes, at: 3)
    try statement.runBound()
    reference.add(bytes, at: index)
  }

  /// Writes bytes of a value from `offset` on, also beyond its end, and updates `reference`.
  func write(_ bytes: [UInt8], at offset: Int, of reference: inout BlobReference) throws {
    var written = 0
    while written < bytes.count {
      let position = offset + written
      let index = position / BlobTable.chunkBytes
      let start = position % BlobTable.chunkBytes
      let count = min(bytes.count - written, BlobTable.chunkBytes - start)
      let part = bytes[written..<written + count]
      try change(index, of: &reference) { chunk in
        let end = min(start + count, chunk.count)
        chunk.replaceSubrange(start..<end, with: part)
      }
      written += count
      reference.length = max(reference.length, position + count)
    }
  }

  /// Shortens a value.
  func truncate(_ reference: inout BlobReference, to length: Int) throws {
    guard length < reference.length else { return }
    let before = reference.chunkCount
    let rest = length % BlobTable.chunkBytes
    let kept = length / BlobTable.chunkBytes
    let keepsPart = rest > 0 || length == 0
    for index in kept..<before {
      if index == kept, keepsPart {
        try change(index, of: &reference) { $0.removeSubrange(rest...) }
        continue
      }
      try BlobReader(connection: connection, table: table).chunk(index, of: reference) { bytes in
        reference.remove(bytes, at: index)
      }
    }
    let first = keepsPart ? kept + 1 : kept
    try connection.statement("DELETE FROM \(table.name) WHERE blob = ?1 AND chunk >= ?2")
      .run([.integer(reference.number), .integer(Int64(first))])
    reference.length = length
  }

  /// Stores a chunk changed by `body`; the chunk is empty if it doesn't exist yet.
  private func change(
    _ index: Int,
    of reference: inout BlobReference,
    _ body: (inout [UInt8]) -> Void
  ) throws {
    var chunk: [UInt8] = []
    if index < reference.chunkCount {
      try BlobReader(connection: connection, table: table).chunk(index, of: reference) { bytes in
        chunk = Array(bytes)
        reference.remove(bytes, at: index)
      }
    }
    body(&chunk)
    try chunk.withUnsafeBufferPointer { try store($0, index, of: &reference) }
  }

  /// The most chunks that are deleted at once.
  private static let deletedChunks = 256

  /// Deletes some chunks of a value that no row refers to; returns whether there are more.
  ///
  /// Afterwards a new value may get the number if there are none.
  func deleteSome(of number: Int64) throws -> Bool {
    try connection.statement(
      """
      DELETE FROM \(table.name) WHERE blob = ?1 AND chunk IN \
      (SELECT chunk FROM \(table.name) WHERE blob = ?1 LIMIT \(Self.deletedChunks))
      """
    ).run([.integer(number)])
    let rest = try connection.integer(
      "SELECT 1 FROM \(table.name) WHERE blob = ?1 LIMIT 1",
      [.integer(number)]
    )
    return rest != nil
  }

  /// Deletes a value that no row refers to.
  func delete(_ number: Int64) throws {
    try connection.statement("DELETE FROM \(table.name) WHERE blob = ?1").run([.integer(number)])
  }
}
