internal import DepotProtocol
internal import DepotSQLite

/// The progress of chunked writes with idempotency keys, so that a repeated request continues.
///
/// The row of the key holds an array until the write is finished. Until then, the identifiers are
/// stored in separate rows, one for each chunk.
extension IdempotencyTable {
  /// Returns the progress of the write with `key`, or its result if it is finished.
  ///
  /// The key must not belong to a different request.
  func progress(
    of key: String,
    hash: Int64,
    in period: Int64
  ) throws -> (ChunkProgress?, result: [UInt8]?) {
    guard let found = try result(of: key, hash: hash, in: period) else { return (nil, nil) }
    guard found.first == UInt8(ascii: "[") else { return (nil, found) }
    let numbers = Self.numbers(in: found.dropFirst().dropLast())
    guard numbers.count == 5 else { throw damaged }
    let progress = ChunkProgress(
      after: numbers[0],
      through: numbers[1],
      done: Int(numbers[2]),
      parts: Int(numbers[3]),
      storedBytes: Int(numbers[4])
    )
    return (progress, nil)
  }

  /// Stores the progress of a write, with its new identifiers as a separate part.
  func store(_ progress: inout ChunkProgress, key: String, hash: Int64, in period: Int64) throws {
    try renew(key, parts: progress.parts, in: period)
    let part = Array(Self.text(progress.identifiers).utf8)
    if !part.isEmpty {
      progress.parts += 1
      progress.storedBytes += part.count
      progress.identifiers = []
    }
    let numbers = [
      progress.after ?? 0, progress.through, Int64(progress.done), Int64(progress.parts),
      Int64(progress.storedBytes),
    ]
    try connection.statement(
      """
      INSERT INTO depot_outcome (period, key, request_hash, reply) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (period, key) DO UPDATE SET reply = ?4
      """
    ).run([
      .integer(period), .text(key), .integer(hash),
      .blob(Array("[\(Self.text(numbers))]".utf8)),
    ])
    guard !part.isEmpty else { return }
    try store(part, key: partKey(key, progress.parts), hash: hash, in: period)
  }

  /// Moves the rows of a write into the current period.
  private func renew(_ key: String, parts: Int, in period: Int64) throws {
    let statement = try connection.statement(
      "UPDATE depot_outcome SET period = ?1 WHERE period = ?1 - 1 AND key = ?2"
    )
    let place = SQLiteValue.integer(period)
    try statement.run([place, .text(key)])
    guard connection.changeCount > 0 else { return }
    for part in 0..<parts { try statement.run([place, .text(partKey(key, part + 1))]) }
  }

  /// Inserts the stored identifiers before the others.
  func join(_ progress: inout ChunkProgress, key: String, hash: Int64, in period: Int64) throws {
    guard progress.parts > 0 else { return }
    var identifiers: [Int64] = []
    for part in 1...progress.parts {
      guard let text = try result(of: partKey(key, part), hash: hash, in: period) else {
        throw damaged
      }
      identifiers += Self.numbers(in: text[...])
    }
    progress.identifiers = identifiers + progress.identifiers
  }

  /// Replaces the progress by the result.
  func finish(
    _ progress: ChunkProgress,
    _ result: [UInt8],
    key: String,
    hash: Int64,
    in period: Int64
  ) throws {
    let statement = try connection.statement(
      "DELETE FROM depot_outcome WHERE period IN (?1, ?1 - 1) AND key = ?2"
    )
    let place = SQLiteValue.integer(period)
    try statement.run([place, .text(key)])
    for part in 0..<progress.parts { try statement.run([place, .text(partKey(key, part + 1))]) }
    try store(result, key: key, hash: hash, in: period)
  }

  private static func text(_ numbers: [Int64]) -> String {
    numbers.map(String.init).joined(separator: ",")
  }

  private static func numbers(in text: ArraySlice<UInt8>) -> [Int64] {
    text.split(separator: UInt8(ascii: ",")).compactMap {
      Int64(String(decoding: $0, as: UTF8.self))
    }
  }

  /// Returns a key that no client can use: clients' keys begin with the user's number.
  private func partKey(_ key: String, _ part: Int) -> String { "part \(part) of \(key)" }

  private var damaged: DepotError {
    DepotError(.corrupt, "The progress of the request can't be read.")
      .hint("See which rows were changed, and send the rest with another key.")
  }
}
