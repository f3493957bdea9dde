/// The layers of a diagram, from left to right, and the order within each.
///
/// An edge that crosses a layer has a slot in it, so that it passes between the boxes.
struct DiagramLayers {
  /// A box, or a passing edge, in a layer.
  enum Node: Hashable {
    case box(Int)
    /// The slot of a passing edge.
    case slot(edge: Int, layer: Int)
  }

  private(set) var layers: [[Node]]
  /// The layer of each box.
  let layerOfBox: [Int]
  private let graph: DiagramGraph

  /// Divides a graph into layers, or puts all boxes into one.
  init(_ graph: DiagramGraph, isColumn: Bool = false) {
    self.graph = graph
    layerOfBox =
      isColumn ? Array(repeating: 0, count: graph.boxes.count) : Self.longestPaths(graph)
    layers = Array(repeating: [], count: (layerOfBox.max() ?? -1) + 1)
    for (box, layer) in layerOfBox.enumerated() { layers[layer].append(.box(box)) }
    for index in graph.edges.indices {
      for layer in span(index).dropFirst().dropLast() {
        layers[layer].append(.slot(edge: index, layer: layer))
      }
    }
    reduceCrossings()
  }

  /// The layers from one end of an edge to the other.
  func span(_ edge: Int) -> ClosedRange<Int> {
    let first = layerOfBox[graph.edges[edge].from.box]
    let second = layerOfBox[graph.edges[edge].to.box]
    return min(first, second)...max(first, second)
  }

  /// Returns the ends of an edge, the left one first.
  func ends(_ edge: Int) -> (left: DiagramEdge.End, right: DiagramEdge.End) {
    let edge = graph.edges[edge]
    return layerOfBox[edge.from.box] <= layerOfBox[edge.to.box]
      ? (edge.from, edge.to) : (edge.to, edge.from)
  }

  /// Returns the node of an edge in a layer of its span, and the line if it is a box.
  func place(of edge: Int, in layer: Int) -> (node: Node, row: Int) {
    let span = span(edge)
    let ends = ends(edge)
    if layer == span.lowerBound { return (.box(ends.left.box), ends.left.row) }
    if layer == span.upperBound { return (.box(ends.right.box), ends.right.row) }
    return (.slot(edge: edge, layer: layer), 0)
  }

  /// Assigns boxes to layers, each after the last box that must be left of it.
  ///
  /// Edges that close a cycle don't count.
  private static func longestPaths(_ graph: DiagramGraph) -> [Int] {
    var followers: [[Int]] = Array(repeating: [], count: graph.boxes.count)
    for edge in graph.edges where edge.from.box != edge.to.box {
      let ends = [edge.from.box, edge.to.box]
      followers[ends[edge.isForward ? 0 : 1]].append(ends[edge.isForward ? 1 : 0])
    }
    var isOpen = Array(repeating: false, count: followers.count)
    var isDone = isOpen
    var finished: [Int] = []
    func visit(_ box: Int) {
      isOpen[box] = true
      followers[box].removeAll { isOpen[$0] && !isDone[$0] }
      for follower in followers[box] where !isDone[follower] { visit(follower) }
      isDone[box] = true
      finished.append(box)
    }
    for box in followers.indices where !isDone[box] { visit(box) }
    var layers = Array(repeating: 0, count: followers.count)
    for box in finished.reversed() {
      for follower in followers[box] { layers[follower] = max(layers[follower], layers[box] + 1) }
    }
    return layers
  }
}

extension DiagramLayers {
  /// Sorts each layer by its neighbors in both directions, and keeps the best order found.
  private mutating func reduceCrossings() {
    var best = layers
    var fewest = crossings()
    for round in 0..<8 where fewest > 0 && layers.count > 1 {
      let isRightwards = round % 2 == 0
      let order = isRightwards ? Array(1..<layers.count) : (0..<layers.count - 1).reversed()
      for layer in order { sort(layer, by: isRightwards ? layer - 1 : layer + 1) }
      let count = crossings()
      if count < fewest { (best, fewest) = (layers, count) }
    }
    layers = best
  }

  private mutating func sort(_ layer: Int, by neighbour: Int) {
    let positions = positions(in: neighbour)
    var sums: [Node: (total: Double, count: Double)] = [:]
    for edge in graph.edges.indices {
      let span = span(edge)
      guard span.contains(layer), span.contains(neighbour) else { continue }
      let place = place(of: edge, in: neighbour)
      let height = Double(positions[place.node] ?? 0) + Double(place.row) / 1000
      sums[self.place(of: edge, in: layer).node, default: (0, 0)].total += height
      sums[self.place(of: edge, in: layer).node, default: (0, 0)].count += 1
    }
    let keyed = layers[layer].enumerated().map { position, node in
      (key: sums[node].map { $0.total / $0.count } ?? Double(position), position: position, node)
    }
    layers[layer] = keyed.sorted { ($0.key, $0.position) < ($1.key, $1.position) }.map(\.2)
  }

  private func positions(in layer: Int) -> [Node: Int] {
    Dictionary(uniqueKeysWithValues: layers[layer].enumerated().map { ($1, $0) })
  }

  /// The number of crossing pairs of edges between neighbouring layers.
  private func crossings() -> Int {
    let positions = layers.indices.map(positions(in:))
    var count = 0
    for left in layers.indices.dropLast() {
      let segments: [((Int, Int), (Int, Int))] = graph.edges.indices.compactMap { edge in
        guard span(edge).contains(left), span(edge).contains(left + 1) else { return nil }
        let (first, second) = (place(of: edge, in: left), place(of: edge, in: left + 1))
        return (
          (positions[left][first.node] ?? 0, first.row),
          (positions[left + 1][second.node] ?? 0, second.row)
        )
      }
      for (index, segment) in segments.enumerated() {
        for other in segments[..<index]
        where (segment.0 < other.0) != (segment.1 < other.1)
          && segment.0 != other.0 && segment.1 != other.1
        {
          count += 1
        }
      }
    }
    return count
  }
}
