internal import DepotProtocol

/// Rows that wait to be sent together.
struct ImportBatch {
  private(set) var json: [UInt8] = Array("[".utf8)
  /// The line of each row in the input.
  private(set) var lines: [Int] = []
  /// The input of each row, if rejects are wanted.
  private(set) var inputs: [[UInt8]] = []
  var columns: [String] = []

  var count: Int { lines.count }
  var byteCount: Int { json.count }
  var rows: RowBatch { RowBatch(json: json + [UInt8(ascii: "]")], count: count) }

  /// Adds the row that `body` writes.
  mutating func append(
    line: Int,
    input: [UInt8]?,
    _ body: (inout [UInt8]) throws(DepotError) -> Void
  ) throws(DepotError) {
    let end = json.count
    if count > 0 { json.append(UInt8(ascii: ",")) }
    do throws(DepotError) {
      try body(&json)
    } catch {
      json.removeSubrange(end...)
      throw error
    }
    lines.append(line)
    if let input { inputs.append(input) }
  }

  /// Adds a row that was encoded before.
  mutating func append(encoded: [UInt8], line: Int, input: [UInt8]?) {
    if count > 0 { json.append(UInt8(ascii: ",")) }
    json.append(contentsOf: encoded)
    lines.append(line)
    if let input { inputs.append(input) }
  }

  /// Forgets all rows.
  mutating func removeAll() {
    json.removeSubrange(1...)
    lines.removeAll(keepingCapacity: true)
    inputs.removeAll()
  }
}
