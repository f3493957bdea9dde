internal import DepotProtocol

/// The values of a batch's rows as the client wrote them, found at their first use.
@Memberwise("batch")
final class RowTexts {
  private let batch: RowBatch
  private var rows: [[Range<Int>]]?

  /// Returns the values of a row.
  func values(_ row: Int) throws(DepotError) -> [ArraySlice<UInt8>] {
    let rows = try rows.getOrInsert { () throws(DepotError) in try batch.places() }
    guard rows.indices.contains(row) else {
      throw DepotError(.usage, "There is no row \(row).")
    }
    return rows[row].map { batch.json[$0] }
  }

  /// Returns the values of a row by column name.
  func members(_ row: Int, _ columns: [String]) throws(DepotError) -> [String: ConflictValue] {
    var result: [String: ConflictValue] = [:]
    for (name, value) in zip(columns, try values(row)) { result[name] = .text(value) }
    return result
  }

  /// Returns the text of a row of some values, or of a batch of some rows.
  static func list(_ parts: [some Collection<UInt8>]) -> [UInt8] {
    [UInt8(ascii: "[")] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
  }
}

extension RowBatch {
  /// Returns the places of each row's values in the bytes.
  fileprivate func places() throws(DepotError) -> [[Range<Int>]] {
    try json.withUnsafeBufferPointer { (bytes) throws(DepotError) in
      var rows: [[Range<Int>]] = []
      var reader = try RowReader(bytes)
      while try reader.beginRow() {
        var places: [Range<Int>] = []
        while !reader.isAtEndOfRow() {
          let count = try reader.text().count
          places.append(reader.offset - count..<reader.offset)
        }
        try reader.endRow()
        rows.append(places)
      }
      return rows
    }
  }
}

extension ArraySlice<UInt8> {
  /// Calls `body` with the value whose text this is.
  func withField<Result>(_ body: (RowField) -> Result) throws(DepotError) -> Result {
    try withUnsafeBufferPointer { (bytes) throws(DepotError) in
      var reader = RowReader(value: bytes)
      return body(try reader.field())
    }
  }
}
