internal import DepotProtocol

/// A writer of rows as CSV (RFC 4180), or with tabs and the line ends of Unix, under a header row.
final class DelimitedPrinter: RowPrinter {
  private let style: RowStyle
  private let entity: [UInt8]
  private let sink: ByteSink
  private var writer: DelimitedWriter
  /// The unwritten header; it is written before the first row or at the end.
  private var headings: [String] = []
  /// Whether each column is JSON.
  private var areJSON: [Bool] = []
  /// How many values were printed as their lengths, which look like texts here.
  private(set) var lengthCount = 0

  init(_ style: RowStyle, _ sink: ByteSink, delimiter: UInt8) {
    self.style = style
    self.sink = sink
    entity = Array(style.entity.utf8)
    writer = DelimitedWriter(delimiter: delimiter, nullText: style.nullText)
  }

  func begin(columns: [String]) {
    headings = style.headings(columns)
    areJSON = columns.dropFirst(2).map(style.jsonColumns.contains)
  }

  private func writeHeader() {
    guard !headings.isEmpty else { return }
    for name in headings { writer.append(name, to: &sink.bytes) }
    writer.endRow(&sink.bytes)
    headings = []
  }

  func print(_ row: inout RowReader) throws {
    writeHeader()
    if style.showsIdentifier {
      writer.separate(&sink.bytes)
      sink.append(identifier: row.identifier, of: entity)
    }
    if style.showsVersion {
      writer.separate(&sink.bytes)
      sink.append(integer: row.version)
    }
    var column = 0
    while !row.isAtEndOfRow() {
      let field = try row.field()
      if field.isLength { lengthCount += 1 }
      if field.kind == .string, areJSON.indices.contains(column), areJSON[column] {
        writer.append("\"\(String(decoding: field.bytes, as: UTF8.self))\"", to: &sink.bytes)
      } else {
        writer.append(field, to: &sink.bytes)
      }
      column += 1
    }
    writer.endRow(&sink.bytes)
    try sink.flushIfLarge()
  }

  func end() { writeHeader() }

  /// Writes nothing: written rows have their header already, and without rows there is none.
  func breakOff() {}
}

extension RowField {
  /// Whether it is only the length of a value; other objects aren't parsed for that.
  fileprivate var isLength: Bool {
    kind == .object && bytes.starts(with: "{\"$length\":".utf8) && externalLength != nil
  }
}

/// A writer of fields, quoted where necessary.
struct DelimitedWriter {
  private let delimiter: UInt8
  private let nullText: [UInt8]
  private let lineEnd: [UInt8]
  private var isFirst = true

  init(delimiter: UInt8, nullText: String = "") {
    self.delimiter = delimiter
    // Tools that split lines at tabs take CR for a part of the last field.
    lineEnd = delimiter == UInt8(ascii: "\t") ? [0x0A] : [0x0D, 0x0A]
    self.nullText = Array(nullText.utf8)
  }

  /// Writes the delimiter before a field, except the first.
  mutating func separate(_ output: inout [UInt8]) {
    if !isFirst { output.append(delimiter) }
    isFirst = false
  }

  /// Ends a row.
  mutating func endRow(_ output: inout [UInt8]) {
    isFirst = true
    output.append(contentsOf: lineEnd)
  }

  /// Writes a field.
  mutating func append(_ text: String, to output: inout [UInt8]) {
    separate(&output)
    var text = text
    text.withUTF8 { append($0, to: &output) }
  }

  /// Writes the value of a row.
  mutating func append(_ field: RowField, to output: inout [UInt8]) {
    if field.isNull {
      separate(&output)
      output.append(contentsOf: nullText)
    } else if field.kind == .string, field.isComplex {
      append(field.text, to: &output)
    } else {
      separate(&output)
      append(field.bytes, to: &output)
    }
  }

  /// Writes text, in quotation marks if it could be misread, also as null.
  private func append(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    let isAmbiguous = text.elementsEqual(nullText)
    let needsQuotes = text.contains {
      $0 == delimiter || $0 == quote || $0 == 0x0A || $0 == 0x0D
    }
    guard needsQuotes || isAmbiguous else { return output.append(contentsOf: text) }
    output.append(quote)
    for byte in text {
      if byte == quote { output.append(quote) }
      output.append(byte)
    }
    output.append(quote)
  }
}
