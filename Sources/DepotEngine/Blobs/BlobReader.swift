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

  /// Returns the first bytes of a value.
  func value(_ reference: BlobReference, limit: Int = .max) throws -> [UInt8] {
    let length = min(reference.length, limit)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length)
    for index in 0..<reference.chunkCount where index == 0 || bytes.count < length {
      try chunk(index, of: reference) { bytes.append(contentsOf: $0.prefix(length - bytes.count)) }
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
