/// The widths of the columns of a table.
struct TableLayout: Equatable {
  /// The columns that fit, from the left.
  private(set) var widths: [Int]
  /// The number of columns that don't fit.
  private(set) var omitted: Int
  /// The available width; unlimited if `nil`.
  private let limit: Int?
  /// The columns whose cells are never cut.
  private let whole: Set<Int>
  /// The columns whose cells are sentences.
  private let sentences: Set<Int>

  private static let gap = 2
  private static let narrowest = 8
  /// The least room for a sentence, which says nothing if it is cut after a word.
  private static let narrowestSentence = 24

  /// Chooses widths for columns; the ones in `whole` are never cut, and `sentences` have more room than others.
  ///
  /// The first of these keeps its width even if nothing else fits. Columns that need more than
  /// their share give room to the others; if even narrow columns don't fit, the last ones are left
  /// out.
  init(natural: [Int], limit: Int?, whole: Set<Int> = [], sentences: Set<Int> = []) {
    widths = natural
    omitted = 0
    self.limit = limit
    self.whole = whole
    self.sentences = sentences
    guard let limit else { return }
    let least = natural.enumerated().map { index, width in
      if whole.contains(index) { return width }
      return min(width, sentences.contains(index) ? Self.narrowestSentence : Self.narrowest)
    }
    while widths.count > 1, Self.total(least.prefix(widths.count)) > limit {
      widths.removeLast()
      omitted += 1
    }
    shrink(to: limit)
  }

  /// Makes the widest columns narrower until all fit; columns in `whole` keep their widths.
  private mutating func shrink(to limit: Int) {
    while case let excess = Self.total(widths[...]) - limit, excess > 0 {
      let shrinking = widths.indices.filter { !whole.contains($0) && widths[$0] > least($0) }
      guard let widest = shrinking.map({ widths[$0] }).max() else { return }
      let next = shrinking.map { widths[$0] }.filter { $0 < widest }.max() ?? 1
      let count = shrinking.count { widths[$0] == widest }
      let target = max(1, next, widest - (excess + count - 1) / count)
      for index in shrinking { widths[index] = min(widths[index], max(target, least(index))) }
    }
  }

  /// Returns the width below which a column isn't made narrower.
  private func least(_ column: Int) -> Int {
    sentences.contains(column) ? Self.narrowestSentence : 1
  }

  /// Makes room for the cells of a row after the widths were chosen.
  ///
  /// A column in `whole` gets all the room that it needs, if necessary from the others; others get
  /// the rest of the window. Columns don't become narrower again, so that the table stays calm.
  mutating func grow(for cells: [TableCell]) {
    for (column, cell) in cells.enumerated() where column < widths.count {
      let excess = TextWidth.columns(cell.text) - widths[column]
      guard excess > 0 else { continue }
      if limit == nil || whole.contains(column) {
        widths[column] += excess
        if let limit { shrink(to: limit) }
      } else if let limit {
        widths[column] += min(excess, max(0, limit - Self.total(widths[...])))
      }
    }
  }

  private static func total(_ widths: ArraySlice<Int>) -> Int {
    widths.reduce(0, +) + gap * max(0, widths.count - 1)
  }

  /// Returns one line of the table, without trailing spaces, with each column painted.
  func line(_ cells: [TableCell], paint: (Int, String) -> String = { $1 }) -> String {
    var parts: [String] = []
    for (column, (cell, width)) in zip(cells, widths).enumerated() {
      parts.append(
        paint(column, TextWidth.fit(cell.text, to: width, alignsRight: cell.isNumber))
      )
    }
    var line = parts.joined(separator: String(repeating: " ", count: Self.gap))
    while line.utf8.last == 0x20 { line.removeLast() }
    return line
  }
}

extension TableLayout {
  /// Returns the widths of uncut columns, and which of them have numbers.
  static func measure(
    _ headings: [String],
    _ rows: [[TableCell]]
  ) -> (widths: [Int], areNumbers: [Bool]) {
    var widths = headings.map(TextWidth.columns)
    var areNumbers = Array(repeating: false, count: headings.count)
    for cells in rows {
      for (index, cell) in cells.enumerated() where index < widths.count {
        widths[index] = max(widths[index], TextWidth.columns(cell.text))
        if cell.isNumber { areNumbers[index] = true }
      }
    }
    return (widths, areNumbers)
  }

  /// Returns the line above the rows.
  func line(headings: [String], _ areNumbers: [Bool]) -> String {
    line(zip(headings, areNumbers).map { TableCell(text: $0, isNumber: $1) })
  }
}

/// A value of a table.
struct TableCell: Equatable {
  var text: String
  var isNumber = false

  /// Creates a right-aligned cell with a number.
  static func number(_ text: String) -> TableCell { TableCell(text: text, isNumber: true) }
}
