/// Rows as the JSON text of an array of arrays, which is how they travel.
public struct RowBatch: Hashable, Sendable {
  /// The text, from `[` to `]`.
  package var json: [UInt8]
  /// How many rows there are.
  public private(set) var count: Int

  /// Takes over the text of rows that were counted.
  package init(json: [UInt8], count: Int) {
    self.json = json
    self.count = count
  }

  /// Creates a batch of rows.
  public init(_ rows: [[Value]] = []) {
    self.init(json: Array("[]".utf8), count: 0)
    for row in rows { append(row) }
  }

  /// Adds a row.
  public mutating func append(_ values: [Value]) {
    appendRow { row in
      for value in values { row.append(value) }
    }
  }

  /// Adds the row whose values `body` writes.
  public mutating func appendRow<Failure: Error>(
    _ body: (inout RowWriter) throws(Failure) -> Void
  ) throws(Failure) {
    var row = RowWriter(json)
    json = []
    row.begin()
    do {
      try body(&row)
    } catch {
      json = row.abandon()
      throw error
    }
    json = row.end()
    count += 1
  }

  /// Adds the rows of another batch.
  package mutating func append(_ other: RowBatch) {
    guard other.count > 0 else { return }
    guard count > 0 else {
      self = other
      return
    }
    json[json.count - 1] = UInt8(ascii: ",")
    json.append(contentsOf: other.json.dropFirst())
    count += other.count
  }

  /// The JSON texts of the values of all rows, which needn't be such as the service takes.
  ///
  /// - Throws: ``DepotError`` if a value refused to be encoded, or the batch holds something else.
  package func texts() throws(DepotError) -> [[ArraySlice<UInt8>]] {
    if let refusal = RefusedValue.error(in: json) { throw refusal }
    var result: [[ArraySlice<UInt8>]] = []
    try json.withUnsafeBufferPointer { bytes throws(DepotError) in
      var reader = try RowReader(bytes)
      while try reader.beginRow() {
        var row: [ArraySlice<UInt8>] = []
        while !reader.isAtEndOfRow() {
          let text = try reader.text()
          row.append(json[reader.offset - text.count..<reader.offset])
        }
        try reader.endRow()
        result.append(row)
      }
    }
    return result
  }

  /// The size of the text in bytes.
  public var byteCount: Int { json.count }
}

/// A writer of the values of one row.
public struct RowWriter: ~Copyable {
  private var writer: JSONWriter
  private var start: Int

  init(_ bytes: consuming [UInt8]) {
    writer = JSONWriter(capacity: 0)
    writer.bytes = bytes
    start = 0
  }

  /// Opens the row in place of the closing bracket of the batch.
  mutating func begin() {
    writer.bytes.removeLast()
    start = writer.bytes.count
    writer.separate()
    writer.raw("[")
  }

  consuming func end() -> [UInt8] {
    writer.raw("]]")
    return writer.bytes
  }

  /// Takes the row back.
  consuming func abandon() -> [UInt8] {
    writer.bytes.removeSubrange(start...)
    writer.raw("]")
    return writer.bytes
  }

  /// Writes the next value.
  public mutating func append(_ value: Value) {
    writer.separate()
    writer.write(value)
  }

  /// Writes the next value.
  public mutating func append(_ value: some AttributeValue) {
    append(value.attributeValue)
  }
}
