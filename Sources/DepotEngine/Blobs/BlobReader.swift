internal import DepotProtocol
internal import DepotSQLite

/// Reads values that are stored outside their rows.
struct BlobReader {
  let connection: Connection
  let table: BlobTable

  /// A chunk is missing or damaged.
  struct Damage: Error {
    var message: String

    /// The row's reference to its value can't be read.
    static let reference = Damage(message: "The reference can't be read.")
  }

  /// Calls `body` with the bytes of a chunk.
  func chunk(
    _ index: Int,
    of reference: BlobReference,
    _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) throws {
    let statement = try connection.statement(
      "SELECT data FROM \(table.name) WHERE blob = ?1 AND chunk = ?2"
    )
    defer { statement.reset() }
    try statement.bind(reference.number, at: 1)
    try statement.bind(Int64(index), at: 2)
    let expected = min(
      BlobTable.chunkBytes,
      reference.length - index * BlobTable.chunkBytes
    )
    guard try statement.step() else { throw damage(index, reference, "is missing") }
    let bytes = statement.row.blobBytes(0)
    guard bytes.count == expected else { throw damage(index, reference, "has another length") }
    body(bytes)
  }

  private func damage(_ index: Int, _ reference: BlobReference, _ what: String) -> Damage {
    Damage(message: "Chunk \(index) of value \(reference.number) in \(table.name) \(what).")
  }

  /// Returns all bytes of a value.
  func value(_ reference: BlobReference) throws -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(reference.length)
    for index in 0..<reference.chunkCount {
      try chunk(index, of: reference) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  /// Reads all chunks of a value; throws if any is damaged.
  func verify(_ reference: BlobReference) throws {
    var found = BlobReference(number: reference.number)
    for index in 0..<reference.chunkCount {
      try chunk(index, of: reference) { found.add($0, at: index) }
    }
    guard found.sum == reference.sum else {
      throw Damage(
        message: "The chunks of value \(reference.number) in \(table.name) are of another value."
      )
    }
  }
}

/// The SQL function that reads values stored outside their rows.
enum BlobFunctions {
  static func register(on connection: Connection) throws(SQLiteError) {
    // The connection owns the function.
    try connection.addFunction("depot_external", argumentCount: 3) { [unowned connection] call in
      guard call[1].kind != .null else { return }
      let isText = call[1].kind == .blob
      let name = String(decoding: call[0].bytes, as: UTF8.self)
      guard let reference = BlobReference(call[1].bytes) else {
        return call.fail("A reference to a value of \(name) is damaged.", code: 11)
      }
      let limit = call[2].integer
      guard reference.length <= limit else {
        return call.fail(
          "A value of \(reference.length) bytes is over the limit of \(limit).",
          code: 18
        )
      }
      let table = BlobTable(String(name.dropFirst(3).dropLast()))
      do {
        let value = try BlobReader(connection: connection, table: table).value(reference)
        value.withUnsafeBufferPointer {
          if isText { call.result(text: $0) } else { call.result(blob: $0) }
        }
      } catch let damage as BlobReader.Damage {
        call.fail(damage.message, code: 11)
      } catch {
        call.fail("\(error)", code: (error as? SQLiteError)?.code ?? 1)
      }
    }
  }
}
