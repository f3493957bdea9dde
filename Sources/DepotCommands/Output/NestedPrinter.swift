internal import DepotClientCore
internal import DepotProtocol

/// A writer of rows as JSON objects that contain their prefetched rows.
final class NestedPrinter: EndedOutput {
  private let style: RowStyle
  private let sink: ByteSink
  private let sequence: JSONSequence
  private var columns: [String] = []

  init(_ style: RowStyle, _ sink: ByteSink) {
    self.style = style
    self.sink = sink
    sequence = JSONSequence(sink, isArray: style.format == .json)
  }

  /// Writes the rows of a frame.
  func print(_ frame: RowFrame) throws {
    if let names = frame.columns { columns = Array(names.dropFirst(2)) }
    let related = try PrefetchedRows(frame.related())
    try frame.withRows(hasIdentity: true) { row in
      let values = try row.values()
      sequence.beginElement()
      let version = style.showsVersion ? row.version : nil
      sink.writer.beginRow(style.entity, row.identifier, version: version)
      related.write(row.identifier, columns: columns, values, to: &sink.writer)
      sink.writer.raw("}")
      sequence.endElement()
      try sink.flushIfLarge()
    }
  }

  func end() { sequence.end() }
  func breakOff() { sequence.breakOff() }
}

extension RowReader {
  /// Reads the remaining values of a row as JSON texts.
  mutating func values() throws(DepotError) -> [[UInt8]] {
    var values: [[UInt8]] = []
    while !isAtEndOfRow() { values.append(try field().json) }
    return values
  }
}

extension RowField {
  /// The JSON text of the value.
  var json: [UInt8] {
    let quote = kind == .string ? [UInt8(ascii: "\"")] : []
    return quote + bytes + quote
  }
}
