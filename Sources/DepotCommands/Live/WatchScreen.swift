internal import DepotClientCore
internal import DepotProtocol

/// Draws a watched table on a terminal whose cursor can be moved.
///
/// It remembers the drawn lines and sends only the ones that differ.
@Memberwise("style")
struct WatchScreen {
  /// The size of a terminal.
  struct Size: Equatable {
    var width: Int
    var height: Int
  }

  private let style: RowStyle
  private var drawn: [String] = []
  private var size: Size?
  /// The widest cells of the columns so far, so that the columns don't jump.
  private var widths: [Int] = []

  /// The escape sequences that enter and leave the alternate screen.
  static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
  static let leave = "\u{1B}[?25h\u{1B}[?1049l"

  /// Returns the control sequences and text that show a table with its status below.
  mutating func draw(_ table: WatchTable, columns: [String], status: String, size: Size) -> String {
    var text = ""
    if size != self.size {
      self.size = size
      drawn = []
      widths = []
      text += "\u{1B}[2J"
    }
    let lines = lines(table, columns: columns, status: status, size: size, isLast: false)
    for (index, line) in lines.enumerated()
    where !drawn.indices.contains(index) || drawn[index] != line {
      text += "\u{1B}[\(index + 1);1H\(line)\u{1B}[K"
    }
    if drawn.count > lines.count { text += "\u{1B}[\(lines.count + 1);1H\u{1B}[J" }
    drawn = lines
    return text
  }

  /// Returns the lines of a table: its header, as many rows as fit, and the status.
  ///
  /// If these are the last lines, nothing is marked.
  mutating func lines(
    _ table: WatchTable,
    columns: [String],
    status: String,
    size: Size,
    isLast: Bool
  ) -> [String] {
    let room = max(1, size.height - 2)
    var shown = table.lines(room)
    if isLast {
      shown = table.rows.prefix(room).map { WatchTable.Line(row: $0, mark: nil) }
    }
    let hidden = table.rows.count - shown.count { $0.mark != .removed }
    if hidden > 0, shown.count == room { shown.removeLast() }
    let cells = shown.map { line in
      style.cells(line.row.identifier, line.row.version)
        + line.row.content.cells(nullText: style.nullText)
    }
    let headings = style.headings(columns)
    let (natural, areNumbers) = TableLayout.measure(headings, cells)
    widths = widths.count == natural.count ? zip(widths, natural).map { max($0, $1) } : natural
    // The first two columns are for marks.
    let limit = max(10, size.width - 2)
    let layout = TableLayout(
      natural: widths,
      limit: limit,
      // A line wider than the window would destroy the layout.
      whole: style.showsIdentifier && widths[0] <= limit ? [0] : []
    )
    var lines = ["  " + paint(layout.line(headings: headings, areNumbers), "1")]
    for (line, cells) in zip(shown, cells) { lines.append(text(cells, line.mark, layout)) }
    if hidden > 0 {
      let count = table.rows.count - shown.count { $0.mark != .removed }
      lines.append("  " + paint("… \(Numbers.counted(count, "more row"))", "2"))
    }
    let omitted =
      layout.omitted > 0 ? " · \(Numbers.counted(layout.omitted, "column")) left out" : ""
    let last = status + omitted
    lines.append(paint(TextWidth.fit(last, to: min(size.width, TextWidth.columns(last))), "2"))
    return lines
  }

  /// Returns the line of a row with its mark.
  private func text(
    _ cells: [TableCell],
    _ mark: WatchTable.Mark?,
    _ layout: TableLayout
  ) -> String {
    switch mark {
    case nil: return "  " + layout.line(cells)
    case .inserted: return paint("+ " + layout.line(cells), "32")
    case .removed: return paint("- " + layout.line(cells), "31;2")
    case .updated(let places):
      let first = (style.showsIdentifier ? 1 : 0) + (style.showsVersion ? 1 : 0)
      let highlighted = Set(places.map { $0 + first })
      return paint("~ ", "33")
        + layout.line(cells) { column, text in
          highlighted.contains(column) ? paint(text, "7") : text
        }
    }
  }

  private func paint(_ text: String, _ color: String) -> String {
    text.painted(color, if: style.usesColor)
  }
}
