/// The vertical positions of everything in the layers of a diagram.
struct DiagramHeights {
  /// The first line of each box, and the line of each slot.
  private(set) var y: [DiagramLayers.Node: Int] = [:]
  let graph: DiagramGraph
  let layers: DiagramLayers

  init(_ graph: DiagramGraph, _ layers: DiagramLayers) {
    self.graph = graph
    self.layers = layers
    place()
  }

  func y(of end: DiagramEdge.End) -> Int { (y[.box(end.box)] ?? 0) + end.row }

  func y(of edge: Int, in layer: Int) -> Int {
    let place = layers.place(of: edge, in: layer)
    return (y[place.node] ?? 0) + place.row
  }

  /// Places layer by layer, each box near the boxes that its edges come from.
  ///
  /// The lines on the left side of a channel have other heights than the ones on its right side, so
  /// that two edges are never drawn over each other.
  private mutating func place() {
    for layer in layers.layers.indices {
      let before = layer == 0 ? [] : portsRight(of: layer - 1)
      var free = 0
      for node in layers.layers[layer] {
        let own = portsLeft(of: node, in: layer)
        var line = max(free, wanted(own, before) ?? free)
        while isAmbiguous(own, at: line, before) { line += 1 }
        y[node] = line
        free = line + 1 + height(node)
      }
    }
  }

  /// Returns the heights where an edge enters and leaves the channel after a layer, or `nil`.
  func crossing(of edge: Int, behind layer: Int) -> (start: Int, end: Int, isLoop: Bool)? {
    let span = layers.span(edge)
    let isLoop = span.lowerBound == span.upperBound
    guard span.contains(layer), isLoop || span.upperBound > layer else { return nil }
    let end = isLoop ? y(of: layers.ends(edge).right) : y(of: edge, in: layer + 1)
    return (y(of: edge, in: layer), end, isLoop)
  }

  /// An edge at the side of a box or slot.
  private struct Port {
    var edge: Int
    var node: DiagramLayers.Node
    var row: Int
    /// Its height, once the box is placed.
    var line = 0
  }

  private func height(_ node: DiagramLayers.Node) -> Int {
    if case .box(let box) = node { graph.boxes[box].height } else { 1 }
  }

  private func portsRight(of layer: Int) -> [Port] {
    var ports: [Port] = []
    for edge in graph.edges.indices where layers.span(edge).contains(layer) {
      let span = layers.span(edge)
      let ends = layers.ends(edge)
      if span.upperBound > layer {
        let place = layers.place(of: edge, in: layer)
        ports.append(Port(edge: edge, node: place.node, row: place.row))
      } else if span.lowerBound == span.upperBound {
        for end in [ends.left, ends.right] {
          ports.append(Port(edge: edge, node: .box(end.box), row: end.row))
        }
      }
    }
    for index in ports.indices {
      ports[index].line = (y[ports[index].node] ?? 0) + ports[index].row
    }
    return ports
  }

  private func portsLeft(of node: DiagramLayers.Node, in layer: Int) -> [Port] {
    graph.edges.indices.compactMap { edge in
      let span = layers.span(edge)
      guard span.contains(layer), span.lowerBound < layer else { return nil }
      let place = layers.place(of: edge, in: layer)
      return place.node == node ? Port(edge: edge, node: node, row: place.row) : nil
    }
  }

  /// The height that makes the edges to the left as level as possible.
  private func wanted(_ own: [Port], _ before: [Port]) -> Int? {
    let lines = own.compactMap { port in
      before.first { $0.edge == port.edge }.map { $0.line - port.row }
    }
    return lines.isEmpty ? nil : max(0, lines.reduce(0, +) / lines.count)
  }

  private func isAmbiguous(_ own: [Port], at line: Int, _ before: [Port]) -> Bool {
    own.contains { port in
      let other = before.filter { $0.line == line + port.row }
      guard !other.isEmpty else { return false }
      let mine = before.first { $0.edge == port.edge }
      // Edges that begin at the same point may share a line.
      return !other.allSatisfy { $0.node == mine?.node && $0.row == mine?.row }
    }
  }
}

/// The vertical lines between a layer and the next one.
struct DiagramChannel {
  /// The track of each edge with a vertical line here, counted from the left.
  private(set) var tracks: [Int: Int] = [:]
  private(set) var count = 0

  init(_ layer: Int, _ heights: DiagramHeights) {
    var lines: [(edge: Int, lines: ClosedRange<Int>)] = []
    for edge in heights.graph.edges.indices {
      guard let (start, end, isLoop) = heights.crossing(of: edge, behind: layer) else { continue }
      if start != end || isLoop { lines.append((edge, min(start, end)...max(start, end))) }
    }
    var taken: [[ClosedRange<Int>]] = []
    for (edge, range) in lines.sorted(by: { ($0.lines.count, $0.edge) < ($1.lines.count, $1.edge) })
    {
      let free = taken.firstIndex { $0.allSatisfy { !$0.overlaps(range) } } ?? taken.count
      if free == taken.count { taken.append([]) }
      taken[free].append(range)
      tracks[edge] = free
    }
    count = taken.count
  }
}
