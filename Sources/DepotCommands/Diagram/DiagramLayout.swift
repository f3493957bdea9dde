/// The positions of all parts of a diagram, in characters.
struct DiagramLayout: Equatable {
  struct Point: Hashable {
    var x: Int
    var y: Int
  }

  /// A box and its upper left corner.
  struct Placed: Equatable {
    var box: DiagramBox
    var x: Int
    var y: Int
  }

  /// The route of an edge between the boxes, in vertical and horizontal parts.
  struct Route: Equatable {
    var points: [Point]
    var edge: DiagramEdge
    /// Whether the first and the last point are at the right side of their boxes.
    var isRightOfBox: [Bool]
    /// The signs at the ends, in the order of the points.
    var marks: [DiagramEdge.Mark]
  }

  private(set) var boxes: [Placed] = []
  private(set) var routes: [Route] = []
  private(set) var width = 0
  private(set) var height = 0

  /// Lays out a diagram, perhaps in one column.
  init(_ graph: DiagramGraph, isColumn: Bool = false) {
    let layers = DiagramLayers(graph, isColumn: isColumn)
    let heights = DiagramHeights(graph, layers)
    var x = 0
    var columns: [(left: Int, tracks: [Int: Int])] = []
    for layer in layers.layers.indices {
      let right = x + (boxWidths(graph, layers.layers[layer]).max() ?? 0)
      let channel = DiagramChannel(layer, heights)
      let firstTrack = right + Self.markRoom
      columns.append((x, channel.tracks.mapValues { firstTrack + 2 * $0 }))
      let isLast = layer == layers.layers.count - 1
      x =
        channel.count == 0
        ? right + (isLast ? 0 : 2 * Self.markRoom)
        : firstTrack + 2 * channel.count - 1 + (isLast ? 0 : Self.markRoom)
    }
    width = x
    for (index, box) in graph.boxes.enumerated() {
      let y = heights.y[.box(index)] ?? 0
      boxes.append(Placed(box: box, x: columns[layers.layerOfBox[index]].left, y: y))
      height = max(height, y + box.height)
    }
    for edge in graph.edges.indices { addRoute(edge, heights, columns.map(\.tracks)) }
    for point in routes.flatMap(\.points) { height = max(height, point.y + 1) }
  }

  /// The width, in columns, of the marks and a piece of line at one side of a channel.
  private static let markRoom = 4

  private func boxWidths(_ graph: DiagramGraph, _ layer: [DiagramLayers.Node]) -> [Int] {
    layer.map { node in if case .box(let box) = node { graph.boxes[box].width } else { 0 } }
  }

  private mutating func addRoute(_ edge: Int, _ heights: DiagramHeights, _ tracks: [[Int: Int]]) {
    let ends = heights.layers.ends(edge)
    let span = heights.layers.span(edge)
    let isLoop = span.lowerBound == span.upperBound
    func edgeX(_ end: DiagramEdge.End) -> Int { boxes[end.box].x + boxes[end.box].box.width }
    var points = [Point(x: edgeX(ends.left), y: heights.y(of: ends.left))]
    for layer in span {
      guard let (start, end, _) = heights.crossing(of: edge, behind: layer),
        let track = tracks[layer][edge]
      else { continue }
      points += [Point(x: track, y: start), Point(x: track, y: end)]
    }
    let lastX = isLoop ? edgeX(ends.right) : boxes[ends.right.box].x - 1
    points.append(Point(x: lastX, y: heights.y(of: ends.right)))
    routes.append(
      Route(
        points: points,
        edge: heights.graph.edges[edge],
        isRightOfBox: [true, isLoop],
        marks: [ends.left.mark, ends.right.mark]
      )
    )
  }
}
