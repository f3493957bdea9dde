/// A diagram in the line drawing characters of a terminal.
struct TextDiagram {
  /// The directions of the lines that leave a cell.
  private struct Directions: OptionSet {
    let rawValue: Int

    static let up = Directions(rawValue: 1)
    static let right = Directions(rawValue: 2)
    static let down = Directions(rawValue: 4)
    static let left = Directions(rawValue: 8)

    var character: Character { Array(" ╵╶└╷│┌├╴┘─┴┐┤┬┼")[rawValue] }
  }

  private var lines: [[Directions]]
  /// The text of each cell; a wide character leaves the next cell empty.
  private var characters: [[String?]]

  /// Returns a schema's diagram, in one column if it would be wider than `width`.
  static func text(_ graph: DiagramGraph, width: Int? = nil) -> String {
    let layout = DiagramLayout(graph)
    let isTooWide = width.map { layout.width > $0 } ?? false
    return TextDiagram(isTooWide ? DiagramLayout(graph, isColumn: true) : layout).text
  }

  private init(_ layout: DiagramLayout) {
    let row: [Directions] = Array(repeating: [], count: layout.width)
    lines = Array(repeating: row, count: layout.height)
    characters = Array(
      repeating: Array(repeating: nil, count: layout.width),
      count: layout.height
    )
    for route in layout.routes { draw(route) }
    for placed in layout.boxes { draw(placed) }
  }

  private var text: String {
    zip(lines, characters).map { lines, characters in
      var line = zip(lines, characters).map { $1 ?? String($0.character) }
      while line.last == " " { line.removeLast() }
      return line.joined() + "\n"
    }.joined()
  }

  private mutating func draw(_ route: DiagramLayout.Route) {
    for (start, end) in zip(route.points, route.points.dropFirst()) {
      if start.y == end.y {
        for x in min(start.x, end.x)...max(start.x, end.x) {
          if x > min(start.x, end.x) { lines[start.y][x].insert(.left) }
          if x < max(start.x, end.x) { lines[start.y][x].insert(.right) }
        }
      } else {
        for y in min(start.y, end.y)...max(start.y, end.y) {
          if y > min(start.y, end.y) { lines[y][start.x].insert(.up) }
          if y < max(start.y, end.y) { lines[y][start.x].insert(.down) }
        }
      }
    }
    for (point, (isRight, mark)) in zip(
      [route.points.first, route.points.last].compactMap(\.self),
      zip(route.isRightOfBox, route.marks)
    ) {
      lines[point.y][point.x].formUnion([.left, .right])
      for (distance, character) in Self.characters(mark, isRightOfBox: isRight).enumerated() {
        characters[point.y][point.x + (isRight ? distance : -distance)] = String(character)
      }
    }
  }

  /// The characters of a mark, the one at the box first.
  private static func characters(_ mark: DiagramEdge.Mark, isRightOfBox: Bool) -> [Character] {
    let foot: Character = isRightOfBox ? ">" : "<"
    return switch mark {
    case .none: []
    case .one: ["┼", "┼"]
    case .zeroOrOne: ["┼", "o"]
    case .many: [foot, "o"]
    case .oneOrMany: [foot, "┼"]
    case .parent: [isRightOfBox ? "◁" : "▷"]
    }
  }

  private mutating func draw(_ placed: DiagramLayout.Placed) {
    let right = placed.width - 1
    for (row, line) in placed.box.lines.enumerated() {
      let y = placed.y + row
      switch line {
      case .edge:
        let isTop = row == 0
        put(isTop ? "┌" : "└", placed.x, y)
        put(String(repeating: "─", count: right - 1), placed.x + 1, y)
        put(isTop ? "┐" : "┘", placed.x + right, y)
      case .separator:
        put("├" + String(repeating: "─", count: right - 1) + "┤", placed.x, y)
      case .title(let name, let note):
        frame(placed, y)
        put(name, placed.x + 2, y)
        put(note, placed.x + placed.width - 2 - TextWidth.columns(note), y)
      case .cells(let cells):
        frame(placed, y)
        for (column, cell) in cells.enumerated() {
          put(cell, placed.x + placed.box.offset(ofColumn: column), y)
        }
      }
    }
  }

  private mutating func frame(_ placed: DiagramLayout.Placed, _ y: Int) {
    put("│" + String(repeating: " ", count: placed.width - 2) + "│", placed.x, y)
  }

  private mutating func put(_ text: String, _ x: Int, _ y: Int) {
    var place = x
    for character in text {
      let columns = TextWidth.columns(character)
      if columns == 0 { continue }
      characters[y][place] = String(character)
      for rest in 1..<columns { characters[y][place + rest] = "" }
      place += columns
    }
  }
}

extension DiagramLayout.Placed {
  /// The width of the box.
  var width: Int { box.width }
}
