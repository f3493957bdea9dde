internal import DepotProtocol

/// A writer of rows as a table whose columns are as wide as the first rows want them.
final class TablePrinter: RowPrinter {
  private static let sampleCount = 200

  private let style: RowStyle
  private let sink: ByteSink
  private var headings: [String] = []
  private var sample: [[TableCell]] = []
  private var layout: TableLayout?
  /// How many columns didn't fit into the terminal.
  private(set) var omittedColumns = 0

  init(_ style: RowStyle, _ sink: ByteSink) {
    self.style = style
    self.sink = sink
  }

  func begin(columns: [String]) {
    headings = style.headings(columns)
  }

  /// Takes the names of columns of a table that isn't of rows.
  func begin(headings: [String]) {
    self.headings = headings
  }

  func print(_ row: inout RowReader) throws {
    var cells: [TableCell] = []
    if style.showsIdentifier {
      cells.append(TableCell(text: "\(style.entity)/\(row.identifier)"))
    }
    if style.showsVersion { cells.append(TableCell(text: String(row.version), isNumber: true)) }
    while !row.isAtEndOfRow() { cells.append(TableCell(try row.field(), nullText: style.nullText)) }
    try print(cells)
  }

  /// Writes a row of cells.
  func print(_ cells: [TableCell]) throws {
    if layout != nil { return try write(cells) }
    sample.append(cells)
    if sample.count == Self.sampleCount { try writeSample() }
  }

  func end() throws {
    if layout == nil, !sample.isEmpty { try writeSample() }
  }

  private func writeSample() throws {
    var natural = headings.map(TextWidth.columns)
    var areNumbers = Array(repeating: false, count: headings.count)
    for cells in sample {
      for (index, cell) in cells.enumerated() where index < natural.count {
        natural[index] = max(natural[index], TextWidth.columns(cell.text))
        if cell.isNumber { areNumbers[index] = true }
      }
    }
    let layout = TableLayout(
      natural: natural,
      limit: style.width,
      keepsFirst: style.showsIdentifier
    )
    self.layout = layout
    omittedColumns = layout.omitted
    let header = layout.line(
      zip(headings, areNumbers).map { TableCell(text: $0, isNumber: $1) }
    )
    sink.append(style.usesColor ? "\u{1B}[1m\(header)\u{1B}[0m\n" : header + "\n")
    for cells in sample { try write(cells) }
    sample = []
  }

  private func write(_ cells: [TableCell]) throws {
    guard let layout else { return }
    sink.append(layout.line(cells))
    sink.append("\n")
    try sink.flushIfLarge()
  }
}
