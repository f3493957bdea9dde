internal import DepotProtocol

extension InsertRequest {
  /// Holds the values of encodable rows.
  ///
  /// The columns are all keys that any row encodes; a row without one of them gets null there.
  /// Keys that begin with `$` are left out.
  ///
  /// - Throws: ``DepotError`` `request.type` if a value isn't one that an attribute can have.
  init(encoding rows: [some Encodable], into entity: String, onConflict: OnConflict) throws {
    var positions: [String: Int] = [:]
    var columns: [String] = []
    var encoded: [[(column: String, value: Value)]] = []
    for row in rows {
      let values = try RowEncoder.encode(row)
      for (column, _) in values where positions[column] == nil {
        positions[column] = columns.count
        columns.append(column)
      }
      encoded.append(values)
    }
    var batch = RowBatch()
    for row in encoded {
      var values = [Value](repeating: .null, count: columns.count)
      for (column, value) in row { values[positions[column, default: 0]] = value }
      batch.append(values)
    }
    self.init(entity: entity, columns: columns, rows: batch, onConflict: onConflict)
  }
}

/// The decoding of a stream of rows whose columns are named once.
struct RowsDecoding<Content: Decodable> {
  private var columns: [String: Int] = [:]
  private(set) var contents: [Content] = []

  /// Takes the names of the columns.
  mutating func begin(_ names: [String]) {
    // The first two are the identifier and the version.
    for (index, name) in names.dropFirst(2).enumerated() { columns[name] = index }
  }

  /// Decodes a row.
  mutating func append(_ row: inout RowReader) throws {
    contents.append(try Content(from: RowDecoder(&row, columns: columns)))
  }
}
