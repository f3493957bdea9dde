/// Draws the line being typed, over as many rows of the terminal as it needs.
struct LineDrawing {
  /// The row of the cursor, counted from the prompt's row.
  private var cursorRow = 0

  /// Returns the text and escape sequences that draw the line in place of the last one.
  mutating func draw(prompt: String, text: [Character], cursor: Int, width: Int) -> String {
    let indentation = min(TextWidth.columns(prompt), max(0, width / 2))
    var output = start() + prompt
    var row = 0
    var column = TextWidth.columns(prompt)
    var place = (row: row, column: column)
    func breakLine(to next: Int) {
      output += "\r\n" + String(repeating: " ", count: next)
      row += 1
      column = next
    }
    for (index, character) in text.enumerated() {
      let isBreak = character == "\n"
      let columns = isBreak ? 0 : TextWidth.columns(character)
      if column + columns > width || column == width { breakLine(to: 0) }
      if index == cursor { place = (row, column) }
      if isBreak {
        breakLine(to: indentation)
      } else {
        output += TextWidth.printable(String(character))
        column += columns
      }
    }
    // In the last column a terminal delays the new row until more is written.
    if column >= width { breakLine(to: 0) }
    if cursor >= text.count { place = (row, column) }
    if row > place.row { output += "\u{1B}[\(row - place.row)A" }
    output += "\r" + (place.column > 0 ? "\u{1B}[\(place.column)C" : "")
    cursorRow = place.row
    return output
  }

  /// Returns the sequence that moves the cursor to the prompt's start and wipes all below.
  private func start() -> String {
    (cursorRow > 0 ? "\u{1B}[\(cursorRow)A" : "") + "\r\u{1B}[J"
  }

  /// Drops the drawn state, because the cursor is in a new row.
  mutating func reset() {
    cursorRow = 0
  }
}
