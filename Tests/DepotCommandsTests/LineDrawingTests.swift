import TestSupport
import Testing

@testable import DepotCommands

@Suite struct LineDrawingTests {
  /// A terminal that knows what the drawing of a line needs.
  private struct Screen {
    let width: Int
    var cells: [[Character?]] = [[]]
    var row = 0
    var column = 0

    mutating func write(_ text: String) {
      // Character by character would take "\r\n" for one.
      var scalars = text.unicodeScalars[...]
      while let scalar = scalars.popFirst() {
        switch scalar {
        case "\r": column = 0
        case "\n":
          row += 1
          if row == cells.count { cells.append([]) }
        case "\u{1B}":
          scalars.removeFirst()
          let number = scalars.prefix { ("0"..."9").contains($0) }
          scalars = scalars.dropFirst(number.count)
          let count = Int(String(number)) ?? 1
          switch scalars.popFirst() {
          case "A": row -= count
          case "C": column += count
          case "J":
            cells.removeSubrange((row + 1)...)
            cells[row].removeSubrange(min(column, cells[row].count)...)
          case let other: Issue.record("unknown \(String(describing: other))")
          }
        default: put(scalar)
        }
      }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
      let columns = ScalarWidth.columns(scalar)
      #expect(column + columns <= width, "the terminal would have wrapped")
      while cells[row].count < column + columns { cells[row].append(" ") }
      cells[row][column] = Character(scalar)
      if columns == 2 { cells[row][column + 1] = nil }
      column += columns
    }

    var lines: [String] { cells.map { String($0.compactMap(\.self)) } }
  }

  @Test func `a line wraps and the cursor is where it belongs`() {
    var screen = Screen(width: 10)
    var drawing = LineDrawing()
    screen.write(drawing.draw(prompt: "> ", text: Array("abcdefghijkl"), cursor: 12, width: 10))
    #expect(screen.lines == ["> abcdefgh", "ijkl"])
    #expect((screen.row, screen.column) == (1, 4))
    screen.write(drawing.draw(prompt: "> ", text: Array("abcdefghijkl"), cursor: 1, width: 10))
    #expect((screen.row, screen.column) == (0, 3))
    screen.write(drawing.draw(prompt: "> ", text: Array("x"), cursor: 1, width: 10))
    #expect(screen.lines == ["> x"])
  }

  @Test func `a full row has the cursor below it`() {
    var screen = Screen(width: 6)
    var drawing = LineDrawing()
    screen.write(drawing.draw(prompt: "> ", text: Array("abcd"), cursor: 4, width: 6))
    #expect(screen.lines == ["> abcd", ""])
    #expect((screen.row, screen.column) == (1, 0))
    screen.write(drawing.draw(prompt: "> ", text: Array("abc"), cursor: 3, width: 6))
    #expect(screen.lines == ["> abc"])
  }

  @Test func `wide characters are not cut`() {
    var screen = Screen(width: 7)
    var drawing = LineDrawing()
    screen.write(drawing.draw(prompt: "> ", text: Array("日本語é"), cursor: 2, width: 7))
    #expect(screen.lines == ["> 日本", "語é"])
    #expect((screen.row, screen.column) == (1, 0))
  }

  @Test func `lines of a paste stand below each other`() {
    var screen = Screen(width: 20)
    var drawing = LineDrawing()
    screen.write(drawing.draw(prompt: "> ", text: Array("ab\ncd"), cursor: 4, width: 20))
    #expect(screen.lines == ["> ab", "  cd"])
    #expect((screen.row, screen.column) == (1, 3))
  }

  @Test(arguments: seeds(100))
  func `every change leaves the screen as a new drawing would`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let width = Int.random(in: 5...12, using: &generator)
    var screen = Screen(width: width)
    var drawing = LineDrawing()
    for _ in 0..<20 {
      let count = Int.random(in: 0...20, using: &generator)
      let text = (0..<count).compactMap { _ in "ab日é\n ".randomElement(using: &generator) }
      let cursor = Int.random(in: 0...text.count, using: &generator)
      screen.write(drawing.draw(prompt: "> ", text: text, cursor: cursor, width: width))
      var fresh = Screen(width: width)
      var first = LineDrawing()
      fresh.write(first.draw(prompt: "> ", text: text, cursor: cursor, width: width))
      #expect(screen.lines == fresh.lines)
      #expect((screen.row, screen.column) == (fresh.row, fresh.column))
    }
  }
}
