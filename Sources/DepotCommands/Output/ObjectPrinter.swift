internal import DepotProtocol

/// A writer of rows as JSON objects: one in each line, or all in one array.
///
/// The text of each value goes from the frame to the output as it is.
final class ObjectPrinter: RowPrinter {
  private let style: RowStyle
  private let entity: [UInt8]
  private let sink: ByteSink
  private let isArray: Bool
  private var prefixes: [[UInt8]] = []
  private var isFirst = true

  init(_ style: RowStyle, _ sink: ByteSink, isArray: Bool) {
    self.style = style
    self.sink = sink
    self.isArray = isArray
    entity = Array(style.entity.utf8)
  }

  func begin(columns: [String]) {
    let hasIdentity = style.showsIdentifier || style.showsVersion
    prefixes = columns.dropFirst(2).enumerated().map { index, name in
      var writer = JSONWriter()
      if index > 0 || hasIdentity { writer.raw(",") }
      writer.string(name)
      writer.raw(":")
      return writer.bytes
    }
    if isArray { sink.append("[") }
  }

  func print(_ row: inout RowReader) throws {
    if isArray { sink.append(isFirst ? "\n" : ",\n") }
    isFirst = false
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
      let field = try row.field()
      sink.bytes.append(contentsOf: prefix)
      if field.kind == .string {
        sink.bytes.append(UInt8(ascii: "\""))
        sink.bytes.append(contentsOf: field.bytes)
        sink.bytes.append(UInt8(ascii: "\""))
      } else {
        sink.bytes.append(contentsOf: field.bytes)
      }
    }
    sink.append(isArray ? "}" : "}\n")
    try sink.flushIfLarge()
  }

  func end() {
    guard isArray else { return }
    sink.append(isFirst ? "]\n" : "\n]\n")
  }
}
