/// A table with a line for each value: the row's identifier or number, and its values below.
struct ExpandedTable {
  private let headings: [String]
  private let style: RowStyle
  private var count = 0

  private static let margin = 2
  private static let gap = 2
  /// The least room for values beside their names; with less they go below the names.
  private static let narrowest = 16

  init(_ headings: [String], _ style: RowStyle) {
    self.headings = headings
    self.style = style
  }

  /// Returns the next row.
  ///
  /// Nothing of it is cut: text wider than the terminal continues below.
  mutating func text(_ cells: [TableCell]) -> String {
    count += 1
    let title = style.showsIdentifier ? cells.first?.text ?? "" : "row \(count)"
    let first = style.showsIdentifier ? 1 : 0
    var text = count > 1 ? "\n" : ""
    text += title.painted("1", if: style.usesColor) + "\n"
    let names = headings.dropFirst(first)
    let widest = names.map(TextWidth.columns).max() ?? 0
    let column = Self.margin + widest + Self.gap
    let isStacked = style.width.map { $0 - column < Self.narrowest } ?? false
    let start = isStacked ? Self.margin * 2 : column
    let indentation = String(repeating: " ", count: start)
    for (name, cell) in zip(names, cells.dropFirst(first)) {
      let lines = lines(cell.text, room: style.width.map { max(1, $0 - start) })
      let heading = String(repeating: " ", count: Self.margin) + name
      if isStacked {
        text += heading + "\n"
        if lines != [""] { text += lines.map { indentation + $0 + "\n" }.joined() }
      } else {
        let padding = TextWidth.fit("", to: column - Self.margin - TextWidth.columns(name))
        let value = lines.joined(separator: "\n" + indentation)
        text += value.isEmpty ? heading + "\n" : heading + padding + value + "\n"
      }
    }
    return text
  }

  /// Divides a value into lines that fit, between words where that is possible.
  private func lines(_ text: String, room: Int?) -> [String] {
    guard let room, TextWidth.columns(text) > room else { return [text] }
    var lines = [""]
    var used = 0
    for word in Self.words(text) {
      let columns = TextWidth.columns(word)
      if used > 0, used + columns > room {
        while lines[lines.count - 1].last == " " { lines[lines.count - 1].removeLast() }
        lines.append("")
        used = 0
      }
      if columns <= room {
        lines[lines.count - 1] += word
        used += columns
        continue
      }
      for character in word {
        let columns = TextWidth.columns(character)
        if used > 0, used + columns > room {
          lines.append("")
          used = 0
        }
        lines[lines.count - 1].append(character)
        used += columns
      }
    }
    return lines
  }

  /// Splits a text after each run of spaces, keeping all of it.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var isBehindSpace = true
    for character in text {
      if isBehindSpace, character != " " { words.append("") }
      if words.isEmpty { words.append("") }
      words[words.count - 1].append(character)
      isBehindSpace = character == " "
    }
    return words
  }
}
