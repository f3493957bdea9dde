internal import DepotProtocol

/// A diagram as an SVG image for light and dark pages.
struct SVGDiagram {
  private static let cellWidth = 8
  private static let cellHeight = 18
  private static let margin = 12

  /// Returns a schema's diagram.
  static func text(_ graph: DiagramGraph) -> String {
    SVGDiagram(layout: DiagramLayout(graph)).text
  }

  /// Returns a schema's diagram for pages that draw it themselves, as elements without markup.
  static func json(_ graph: DiagramGraph) -> [String: JSONValue] {
    let diagram = SVGDiagram(layout: DiagramLayout(graph))
    return [
      "width": .int64(Int64(diagram.width)),
      "height": .int64(Int64(diagram.height)),
      "edges": .array(diagram.layout.routes.map { diagram.route($0).json }),
      "boxes": .array(
        zip(graph.names, diagram.layout.boxes).map { name, placed in
          .object(["entity": .string(name), "elements": .array(diagram.box(placed).map(\.json))])
        }
      ),
    ]
  }

  private let layout: DiagramLayout

  private var width: Int { layout.width * Self.cellWidth + 2 * Self.margin }
  private var height: Int { layout.height * Self.cellHeight + 2 * Self.margin }

  private var text: String {
    let elements = layout.routes.map(route) + layout.boxes.flatMap(box)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)">
      <style>
      text { font: 13px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; \
      fill: #24292f }
      .name { font-weight: bold }
      .note { fill: #6a737d }
      .box { fill: #f6f8fa; stroke: #6a737d }
      .line { fill: none; stroke: #6a737d }
      .mark { fill: #ffffff; stroke: #6a737d }
      @media (prefers-color-scheme: dark) {
      text { fill: #d0d7de }
      .note { fill: #8b949e }
      .box { fill: #21262d; stroke: #8b949e }
      .line { stroke: #8b949e }
      .mark { fill: #0d1117; stroke: #8b949e }
      }
      </style>
      \(elements.map(\.markup).joined())</svg>

      """
  }

  private func x(_ column: Int) -> Int { Self.margin + column * Self.cellWidth }
  private func y(_ row: Int) -> Int { Self.margin + row * Self.cellHeight }
  private func middle(_ row: Int) -> Int { y(row) + Self.cellHeight / 2 }

  private func box(_ placed: DiagramLayout.Placed) -> [SVGElement] {
    // The edges of a box run through the middle of their characters.
    let left = x(placed.x) + Self.cellWidth / 2
    let right = x(placed.x + placed.width) - Self.cellWidth / 2
    let top = middle(placed.y)
    let bottom = middle(placed.y + placed.box.height - 1)
    let size = [("width", right - left), ("height", bottom - top), ("rx", 4)]
    var elements = [SVGElement("rect", "box", [("x", left), ("y", top)] + size)]
    for (row, line) in placed.box.lines.enumerated() {
      let baseline = y(placed.y + row) + 13
      switch line {
      case .edge: break
      case .separator:
        elements.append(Self.path("line", "M\(left) \(middle(placed.y + row))H\(right)"))
      case .title(let name, let note):
        elements += words(name, "name", x(placed.x + 2), baseline)
        let end = placed.x + placed.width - 2
        elements += words(note, "note", x(end - TextWidth.columns(note)), baseline)
      case .cells(let cells):
        for (column, cell) in cells.enumerated() {
          let place = x(placed.x + placed.box.offset(ofColumn: column))
          elements += words(cell, column == 0 ? nil : "note", place, baseline)
        }
      }
    }
    return elements
  }

  private func words(_ words: String, _ style: String?, _ x: Int, _ y: Int) -> [SVGElement] {
    if words.isEmpty { return [] }
    // Some viewers drop spaces at the beginning.
    let text = words.drop { $0 == " " }
    let place = x + (words.count - text.count) * Self.cellWidth
    return [SVGElement("text", style, [("x", place), ("y", y)], text: String(text))]
  }

  private func route(_ route: DiagramLayout.Route) -> SVGElement {
    var group = SVGElement("g", "edge", [])
    group.children = [SVGElement("title", nil, [], text: route.edge.title)]
    guard let first = route.points.first, let last = route.points.last else { return group }
    let edges = zip([first, last], route.isRightOfBox).map { point, isRight in
      x(point.x) + (isRight ? -Self.cellWidth / 2 : Self.cellWidth * 3 / 2)
    }
    var path = "M\(edges[0]) \(middle(first.y))"
    for point in route.points.dropFirst().dropLast() {
      path += "L\(x(point.x) + Self.cellWidth / 2) \(middle(point.y))"
    }
    path += "L\(edges[1]) \(middle(last.y))"
    group.children.append(Self.path("line", path))
    group.children += [first, last].indices.flatMap { index in
      mark(
        route.marks[index],
        at: edges[index],
        middle([first, last][index].y),
        direction: route.isRightOfBox[index] ? 1 : -1
      )
    }
    return group
  }

  private func mark(
    _ mark: DiagramEdge.Mark,
    at x: Int,
    _ y: Int,
    direction: Int
  ) -> [SVGElement] {
    func bar(_ distance: Int) -> SVGElement {
      Self.path("line", "M\(x + distance * direction) \(y - 5)v10")
    }
    func circle(_ distance: Int) -> SVGElement {
      SVGElement("circle", "mark", [("cx", x + distance * direction), ("cy", y), ("r", 3)])
    }
    let tip = x + 10 * direction
    let foot = Self.path("line", "M\(x) \(y - 5)L\(tip) \(y)L\(x) \(y + 5)")
    return switch mark {
    case .none: []
    case .one: [bar(5), bar(10)]
    case .zeroOrOne: [bar(5), circle(13)]
    case .many: [foot, circle(13)]
    case .oneOrMany: [foot, bar(13)]
    case .parent: [Self.path("mark", "M\(x) \(y)L\(tip) \(y - 6)V\(y + 6)Z")]
    }
  }

  private static func path(_ style: String, _ path: String) -> SVGElement {
    var element = SVGElement("path", style, [])
    element.attributes["d"] = path
    return element
  }
}
