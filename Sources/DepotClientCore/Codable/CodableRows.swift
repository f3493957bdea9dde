internal import DepotProtocol

extension InsertRequest {
  /// Holds the values of encodable rows.
  ///
  /// The columns are all keys that any row encodes; a row without one of them gets null there.
  /// Keys that begin with `$` are left out.
  ///
  /// - Throws: ``DepotError`` `request.type` if a row has no keys.
  init(encoding rows: [some Encodable], into entity: String, onConflict: OnConflict) throws {
    var positions: [String: Int] = [:]
    var columns: [String] = []
    var missing: [Value] = []
    let encoded = try rows.map { try RowEncoder($0) }
    for row in encoded {
      for (column, _) in row.values where positions[column] == nil {
        positions[column] = columns.count
        columns.append(column)
        // Without a value, an optional composite is missing.
        missing.append(row.presences.contains(column) ? .bool(false) : .null)
      }
    }
    var batch = RowBatch()
    for row in encoded {
      var values = missing
      for (column, value) in row.values { values[positions[column, default: 0]] = value }
      batch.append(values)
    }
    self.init(entity: entity, columns: columns, rows: batch, onConflict: onConflict)
  }
}

/// The decoding of a stream of rows whose columns are named once.
struct RowsDecoding<Content: Decodable> {
  private var columns = RowColumns([])
  private(set) var contents: [Content] = []

  /// Takes the names of the columns.
  mutating func begin(_ names: [String]) {
    // The first two are the identifier and the version.
    columns = RowColumns(names.dropFirst(2))
  }

  /// Decodes a row.
  mutating func append(_ row: inout RowReader) throws {
    contents.append(try Content(from: RowDecoder(&row, columns: columns)))
  }
}

/// The columns of decoded rows by their names.
struct RowColumns {
  private(set) var positions: [String: Int] = [:]
  /// The names that have parts.
  private(set) var composites: Set<String> = []

  init(_ names: some Sequence<String>) {
    for (index, name) in names.enumerated() {
      positions[name] = index
      for (offset, character) in zip(name.indices, name) where character == "." {
        composites.insert(String(name[..<offset]))
      }
    }
  }
}
