internal import DepotProtocol

/// A writer of rows as a table, or with a line for each value where a table would be too wide.
///
/// The columns are as wide as the first rows need, since nobody waits for the last row to see the
/// first. Later cells can be wider: identifiers and numbers, which are useless when cut, get the
/// room that they need when they come (see ``TableLayout/grow(for:)``). If there are many rows,
/// identifiers have room for a million from the start, so that their column rarely moves.
@Memberwise("style", "sink")
final class TablePrinter: RowPrinter {
  /// The number of rows that are measured before the widths are chosen.
  static let sampleCount = 500
  /// The digits that identifiers get if there are more rows than that.
  private static let reservedDigits = 6

  private let style: RowStyle
  private let sink: ByteSink
  private var headings: [String] = []
  private var sample: [[TableCell]] = []
  private var layout: TableLayout?
  private var expanded: ExpandedTable?
  /// The columns whose cells are never cut.
  private var whole: Set<Int> = []
  /// The columns whose cells are sentences.
  private var sentences: Set<Int> = []
  /// The number of columns that didn't fit into the terminal.
  private(set) var omittedColumns: Int = 0

  func begin(columns: [String]) {
    begin(headings: style.headings(columns))
  }

  /// Begins a table of other things than rows.
  ///
  /// - Parameters:
  ///   - headings: The names of the columns.
  ///   - whole: The columns that must not be cut.
  ///   - sentences: The columns that need more room than others.
  func begin(headings: [String], whole: Set<Int> = [], sentences: Set<Int> = []) {
    self.whole = whole
    self.sentences = sentences
    self.headings = headings.map(TextWidth.printable)
    if style.format == .expanded { expanded = ExpandedTable(self.headings, style) }
  }

  /// Writes a whole table of other things than rows.
  static func write(
    _ headings: [String],
    _ rows: [[TableCell]],
    whole: Set<Int> = [],
    _ style: RowStyle,
    to sink: ByteSink
  ) throws {
    let printer = TablePrinter(style, sink)
    printer.begin(headings: headings, whole: whole)
    for row in rows { try printer.print(row) }
    try printer.end()
  }

  func print(_ row: inout RowReader) throws {
    var cells = style.cells(row.identifier, row.version)
    while !row.isAtEndOfRow() {
      cells.append(TableCell(try row.field(), nullText: style.nullText))
    }
    try print(cells)
  }

  /// Writes a row of cells.
  func print(_ cells: [TableCell]) throws {
    if layout != nil || expanded != nil { return try write(cells) }
    sample.append(cells)
    if sample.count == Self.sampleCount { try writeSample() }
  }

  func end() throws {
    if layout == nil, !sample.isEmpty { try writeSample() }
  }

  private func writeSample() throws {
    let (widths, areNumbers) = TableLayout.measure(headings, sample)
    var natural = widths
    whole.formUnion(areNumbers.indices.filter { areNumbers[$0] })
    if style.showsIdentifier, !natural.isEmpty {
      whole.insert(0)
      if sample.count == Self.sampleCount, !style.entity.isEmpty {
        natural[0] = max(natural[0], TextWidth.columns(style.entity) + 1 + Self.reservedDigits)
      }
    }
    let layout = TableLayout(
      natural: natural,
      limit: style.width,
      whole: whole,
      sentences: sentences
    )
    if layout.omitted > 0, style.mayExpand {
      expanded = ExpandedTable(headings, style)
    } else {
      self.layout = layout
      omittedColumns = layout.omitted
      let header = layout.line(headings: headings, areNumbers)
      sink.append(header.painted("1", if: style.usesColor) + "\n")
    }
    for cells in sample { try write(cells) }
    sample = []
  }

  private func write(_ cells: [TableCell]) throws {
    if expanded != nil {
      sink.append(expanded?.text(cells) ?? "")
    } else {
      layout?.grow(for: cells)
      sink.append(layout?.line(cells) ?? "")
      sink.append("\n")
    }
    try sink.flushIfLarge()
  }
}
