internal import DepotProtocol

/// A writer of output that must be ended properly.
protocol EndedOutput {
  /// Writes the end of the output, after the last row.
  func end() throws

  /// Completes the output after an error: closes open rows, and writes nothing else.
  func breakOff()
}

extension EndedOutput {
  /// Runs `body`, which writes the rows, and ends the output, also after an error.
  @discardableResult
  func writing<Result>(_ body: () throws -> Result) throws -> Result {
    let result: Result
    do {
      result = try body()
    } catch {
      breakOff()
      throw error
    }
    try end()
    return result
  }
}

/// A writer of rows in one of the output formats.
protocol RowPrinter: AnyObject, EndedOutput {
  /// Sets the names of the columns, `$id` and `$version` first.
  func begin(columns: [String]) throws

  /// Writes a row whose identity was read already.
  func print(_ row: inout RowReader) throws
}

extension RowPrinter {
  func breakOff() { try? end() }
}

/// The style of the rows of an output.
struct RowStyle: Sendable {
  var entity: String
  var format: OutputFormat
  /// Whether each row has its `$id` first.
  var showsIdentifier = true
  /// Whether each row has its `$version`.
  var showsVersion = false
  /// The text for null in tables and CSV.
  var nullText = ""
  /// The columns of JSON, whose texts CSV has in quotation marks, as import reads them.
  var jsonColumns: Set<String> = []
  /// The maximal width of a table, if it is limited.
  var width: Int?
  /// Whether a table may have a line for each value if its columns don't fit.
  var mayExpand = false
  /// Whether the header of a table is written in bold.
  var usesColor = false

  /// Creates the printer of the format.
  func printer(to sink: ByteSink) -> any RowPrinter {
    switch format {
    case .ndjson: ObjectPrinter(self, sink, isArray: false)
    case .json: ObjectPrinter(self, sink, isArray: true)
    case .csv: DelimitedPrinter(self, sink, delimiter: UInt8(ascii: ","))
    case .tsv: DelimitedPrinter(self, sink, delimiter: UInt8(ascii: "\t"))
    case .ids: IdentifierPrinter(self, sink)
    case .table, .expanded: TablePrinter(self, sink)
    }
  }

  /// The names of the visible columns.
  func headings(_ columns: [String]) -> [String] {
    (showsIdentifier ? ["$id"] : []) + (showsVersion ? ["$version"] : []) + columns.dropFirst(2)
  }

  /// The visible cells of a row's identity.
  func cells(_ identifier: Int64, _ version: Int64) -> [TableCell] {
    (showsIdentifier ? [TableCell(text: "\(entity)/\(identifier)")] : [])
      + (showsVersion ? [.number("\(version)")] : [])
  }
}

extension ByteSink {
  /// Appends `Entity/identifier`.
  @inline(__always)
  func append(identifier: Int64, of entity: [UInt8]) {
    bytes.append(contentsOf: entity)
    bytes.append(UInt8(ascii: "/"))
    append(integer: identifier)
  }

  /// Appends a whole number.
  @inline(__always)
  func append(integer: Int64) {
    var text = String(integer)
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }
}

/// A writer of one `Entity/identifier` in each line.
final class IdentifierPrinter: RowPrinter {
  private let entity: [UInt8]
  private let sink: ByteSink

  init(_ style: RowStyle, _ sink: ByteSink) {
    entity = Array(style.entity.utf8)
    self.sink = sink
  }

  func begin(columns: [String]) {}

  func print(_ row: inout RowReader) throws {
    while !row.isAtEndOfRow() { _ = try row.field() }
    sink.append(identifier: row.identifier, of: entity)
    sink.bytes.append(UInt8(ascii: "\n"))
    try sink.flushIfLarge()
  }

  func end() {}
}
