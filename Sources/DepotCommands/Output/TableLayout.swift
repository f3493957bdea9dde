/// The widths of the columns of a table.
struct TableLayout: Equatable {
  /// The columns that fit, from the left.
  var widths: [Int]
  /// How many columns don't fit.
  var omitted: Int

  private static let gap = 2
  private static let narrowest = 6

  /// Chooses widths for columns.
  ///
  /// Columns that need more than their share give room to the others; if even narrow columns don't
  /// fit, the last ones are left out.
  ///
  /// - Parameters:
  ///   - natural: The width that each column would like.
  ///   - limit: The width that there is; no limit if `nil`.
  init(natural: [Int], limit: Int?) {
    widths = natural
    omitted = 0
    guard let limit else { return }
    while widths.count > 1, Self.total(widths.map { min($0, Self.narrowest) }) > limit {
      widths.removeLast()
      omitted += 1
    }
    while Self.total(widths) > limit, let widest = widths.max(), widest > 1 {
      let excess = Self.total(widths) - limit
      let next = widths.filter { $0 < widest }.max() ?? 1
      let count = widths.filter { $0 == widest }.count
      let target = max(next, widest - (excess + count - 1) / count)
      widths = widths.map { min($0, max(1, target)) }
    }
  }

  private static func total(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + gap * max(0, widths.count - 1)
  }

  /// Returns one line of the table, without spaces at its end.
  func line(_ cells: [TableCell]) -> String {
    var parts: [String] = []
    for (cell, width) in zip(cells, widths) {
      parts.append(TextWidth.fit(cell.text, to: width, alignsRight: cell.isNumber))
    }
    var line = parts.joined(separator: String(repeating: " ", count: Self.gap))
    while line.utf8.last == 0x20 { line.removeLast() }
    return line
  }
}

/// A value of a table.
struct TableCell {
  var text: String
  var isNumber = false
}
