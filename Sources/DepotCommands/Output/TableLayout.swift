/// The widths of the columns of a table.
struct TableLayout: Equatable {
  /// The columns that fit, from the left.
  var widths: [Int]
  /// How many columns don't fit.
  var omitted: Int

  private static let gap = 2
  private static let narrowest = 8

  /// Chooses widths for columns.
  ///
  /// Columns that need more than their share give room to the others; if even narrow columns don't
  /// fit, the last ones are left out.
  ///
  /// - Parameters:
  ///   - natural: The width that each column would like.
  ///   - limit: The width that there is; no limit if `nil`.
  ///   - keepsFirst: Whether the first column is useless when cut, and so keeps its width if that is
  ///     no more than half of what there is.
  init(natural: [Int], limit: Int?, keepsFirst: Bool = false) {
    widths = natural
    omitted = 0
    guard let limit else { return }
    let kept = keepsFirst && (natural.first ?? 0) <= limit / 2 ? natural.first : nil
    let least = natural.enumerated().map { index, width in
      index == 0 ? kept ?? min(width, Self.narrowest) : min(width, Self.narrowest)
    }
    while widths.count > 1, Self.total(least.prefix(widths.count)) > limit {
      widths.removeLast()
      omitted += 1
    }
    var shrinking = kept == nil ? widths : Array(widths.dropFirst())
    let room = limit - (kept.map { $0 + (shrinking.isEmpty ? 0 : Self.gap) } ?? 0)
    while Self.total(shrinking[...]) > room, let widest = shrinking.max(), widest > 1 {
      let excess = Self.total(shrinking[...]) - room
      let next = shrinking.filter { $0 < widest }.max() ?? 1
      let count = shrinking.filter { $0 == widest }.count
      let target = max(next, widest - (excess + count - 1) / count)
      shrinking = shrinking.map { min($0, max(1, target)) }
    }
    widths = (kept.map { [$0] } ?? []) + shrinking
  }

  private static func total(_ widths: ArraySlice<Int>) -> Int {
    widths.reduce(0, +) + gap * max(0, widths.count - 1)
  }

  /// Returns one line of the table, without spaces at its end.
  ///
  /// - Parameters:
  ///   - cells: The values of the line.
  ///   - paint: Returns the text of a column as the terminal is to get it, without making it wider.
  /// - Returns: The line.
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

/// A value of a table.
struct TableCell {
  var text: String
  var isNumber = false
}
