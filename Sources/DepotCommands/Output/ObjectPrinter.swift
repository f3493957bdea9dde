internal import DepotProtocol

/// A writer of rows as JSON objects: one in each line, or all in one array.
///
/// The text of each value is copied from the frame unchanged.
final class ObjectPrinter: RowPrinter {
  private let style: RowStyle
  private let entity: [UInt8]
  private let sink: ByteSink
  private let sequence: JSONSequence
  private var prefixes: [[UInt8]] = []

  init(_ style: RowStyle, _ sink: ByteSink, isArray: Bool) {
    self.style = style
    self.sink = sink
    sequence = JSONSequence(sink, isArray: isArray)
    entity = Array(style.entity.utf8)
  }

  /// Sets the names of the columns, again if later rows have others.
  func begin(columns: [String]) {
    let hasIdentity = style.showsIdentifier || style.showsVersion
    prefixes = columns.dropFirst(2).enumerated().map { index, name in
      var writer = JSONWriter()
      if index > 0 || hasIdentity { writer.raw(",") }
      writer.string(name)
      writer.raw(":")
      return writer.bytes
    }
  }

  func print(_ row: inout RowReader) throws {
    sequence.beginElement()
    sink.append("{")
    if style.showsIdentifier {
      sink.append("\"$id\":\"")
      sink.append(identifier: row.identifier, of: entity)
      sink.append("\"")
    }
    if style.showsVersion {
      sink.append(style.showsIdentifier ? ",\"$version\":" : "\"$version\":")
      sink.append(integer: row.version)
    }
    for prefix in prefixes {
      sink.bytes.append(contentsOf: prefix)
      sink.bytes.append(contentsOf: try row.text())
    }
    sink.append("}")
    sequence.endElement()
    try sink.flushIfLarge()
  }

  func end() { sequence.end() }
  func breakOff() { sequence.breakOff() }
}
