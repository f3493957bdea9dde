internal import DepotClient
internal import DepotProtocol

/// A writer of rows as JSON objects with the rows that came along inside of them.
final class NestedPrinter {
  private let style: RowStyle
  private let sink: ByteSink
  private let isArray: Bool
  private var columns: [String] = []
  private(set) var count = 0

  init(_ style: RowStyle, _ sink: ByteSink) {
    self.style = style
    self.sink = sink
    isArray = style.format == .json
    if isArray { sink.append("[") }
  }

  /// Writes the rows of a frame.
  func print(_ frame: StreamFrame) throws {
    if let names = frame.columns { columns = Array(names.dropFirst(2)) }
    let related = try RelatedRows(frame.member("related"))
    try frame.withRows(hasIdentity: true) { row in
      var values: [ArraySlice<UInt8>] = []
      while !row.isAtEndOfRow() { values.append(try row.field().json[...]) }
      if isArray { sink.append(count == 0 ? "\n" : ",\n") }
      var writer = JSONWriter(capacity: 0)
      swap(&writer.bytes, &sink.bytes)
      writer.raw("{\"$id\":")
      writer.string("\(style.entity)/\(row.identifier)")
      if style.showsVersion {
        writer.raw(",\"$version\":")
        writer.integer(row.version)
      }
      related.write(row.identifier, columns: columns, values, to: &writer)
      writer.raw(isArray ? "}" : "}\n")
      swap(&writer.bytes, &sink.bytes)
      count += 1
      try sink.flushIfLarge()
    }
  }

  /// Writes what comes after the last row.
  func end() {
    if isArray { sink.append(count == 0 ? "]\n" : "\n]\n") }
  }
}

extension RowField {
  /// The value as it was written in JSON.
  var json: [UInt8] {
    let quote = kind == .string ? [UInt8(ascii: "\"")] : []
    return quote + bytes + quote
  }
}
