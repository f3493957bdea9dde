internal import DepotProtocol
internal import DepotSQLite

/// The outcomes of writes with idempotency keys, kept in the transactions of their effects.
struct OutcomeTable {
  /// How long an outcome is kept at least, in seconds.
  static let lifetime: Int64 = 600

  let connection: Connection

  /// Returns the result of the write that had `key`, which must not be another request's, or `nil`
  /// if there was none.
  func result(of key: String, hash: Int64) throws -> [UInt8]? {
    var found: (hash: Int64, reply: [UInt8])?
    try connection.statement("SELECT request_hash, reply FROM depot_outcome WHERE key = ?1")
      .run([.text(key)]) { found = ($0.integer(0), $0.blob(1)) }
    guard let found else { return nil }
    guard found.hash == hash else {
      throw DepotError(.keyReused, "Another request had the same idempotency key.")
        .hint("Make a new key for each request; repeat one only with the same request.").at("/key")
    }
    return found.reply
  }

  func store(_ result: [UInt8], key: String, hash: Int64, at time: Int64) throws {
    try connection.statement(
      "INSERT INTO depot_outcome (key, request_hash, reply, at) VALUES (?1, ?2, ?3, ?4)"
    ).run([.text(key), .integer(hash), .blob(result), .integer(time)])
  }

  /// Deletes some of the outcomes that were stored before `time`, the oldest first, and returns
  /// whether there may be more.
  func prune(before time: Int64) throws -> Bool {
    let limit = 256
    var last: Int64?
    var count = 0
    var isPastEnd = false
    try connection.statement("SELECT sequence, at FROM depot_outcome ORDER BY sequence LIMIT ?1")
      .run([.integer(Int64(limit))]) { row in
        isPastEnd = isPastEnd || row.integer(1) >= time
        guard !isPastEnd else { return }
        last = row.integer(0)
        count += 1
      }
    guard let last else { return false }
    try connection.statement("DELETE FROM depot_outcome WHERE sequence <= ?1")
      .run([.integer(last)])
    return count == limit
  }

  /// Returns what tells one request from another.
  static func hash(_ operation: Operation) -> Int64 {
    var writer = JSONWriter()
    writer.string(operation.name)
    var checksum = Checksum()
    if case .save(let request) = operation, request.byteCount > Limits.frameBytes {
      let rest = request.withoutRows { rows in rows.withUnsafeBytes { checksum.add($0) } }
      writer.write(.save(rest))
    } else {
      writer.write(operation)
    }
    writer.bytes.withUnsafeBytes { checksum.add($0) }
    return Int64(bitPattern: checksum.value)
  }
}

extension SaveRequest {
  /// Returns the rest of a request that is too large to be written out again, after `body` was called with
  /// its rows.
  fileprivate func withoutRows(_ body: ([UInt8]) -> Void) -> SaveRequest {
    var rest = self
    func take(_ rows: inout RowBatch) {
      body(rows.json)
      rows = RowBatch()
    }
    for index in rest.inserts.indices { take(&rest.inserts[index].rows) }
    for index in rest.updates.indices {
      take(&rest.updates[index].rows)
      if rest.updates[index].base != nil { rest.updates[index].base?.rows = RowBatch() }
      if let base = updates[index].base { body(base.rows.json) }
    }
    return rest
  }
}
