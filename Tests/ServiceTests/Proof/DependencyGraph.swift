/// Which transaction has to come before which, and why.
struct DependencyGraph {
  /// Why one transaction comes before another.
  enum Reason: String, Sendable {
    /// It made the version before.
    case writeWrite = "ww"
    /// The other saw what it made.
    case writeRead = "wr"
    /// The other replaced what it saw.
    case readWrite = "rw"
    /// It was over before the other began.
    case time = "rt"
    /// Its token is smaller.
    case token

    var isData: Bool { self != .time && self != .token }
  }

  struct Edge: Hashable, Sendable {
    var target: Int
    var reason: Reason
    var row: Int64?
  }

  private(set) var edges: [[Edge]]
  /// How many of the nodes are transactions; the others are moments.
  let transactionCount: Int

  init(transactions: Int) {
    transactionCount = transactions
    edges = Array(repeating: [], count: transactions)
  }

  mutating func connect(_ source: Int, _ target: Int, _ reason: Reason, row: Int64? = nil) {
    guard source != target else { return }
    let edge = Edge(target: target, reason: reason, row: row)
    if edges[source].last != edge { edges[source].append(edge) }
  }

  /// Adds a node that stands for a moment.
  mutating func addMoment() -> Int {
    edges.append([])
    return edges.count - 1
  }

  /// Returns a shortest cycle of each set of nodes that all come before each other.
  func cycles(where isIncluded: (Edge) -> Bool) -> [[(node: Int, edge: Edge)]] {
    components(where: isIncluded).map { shortestCycle(in: Set($0), where: isIncluded) }
  }

  /// Tarjan's algorithm without recursion; only components of more than one node.
  private func components(where isIncluded: (Edge) -> Bool) -> [[Int]] {
    var found: [[Int]] = []
    var index = Array(repeating: -1, count: edges.count)
    var low = Array(repeating: 0, count: edges.count)
    var isOnStack = Array(repeating: false, count: edges.count)
    var stack: [Int] = []
    var calls: [(node: Int, next: Int)] = []
    var counter = 0
    for root in edges.indices where index[root] < 0 {
      calls.append((root, 0))
      while let (node, next) = calls.last {
        if next == 0 {
          index[node] = counter
          low[node] = counter
          counter += 1
          stack.append(node)
          isOnStack[node] = true
        }
        if next < edges[node].count {
          calls[calls.count - 1].next += 1
          let edge = edges[node][next]
          guard isIncluded(edge) else { continue }
          if index[edge.target] < 0 {
            calls.append((edge.target, 0))
          } else if isOnStack[edge.target] {
            low[node] = min(low[node], index[edge.target])
          }
          continue
        }
        calls.removeLast()
        if let parent = calls.last?.node { low[parent] = min(low[parent], low[node]) }
        guard low[node] == index[node] else { continue }
        var component: [Int] = []
        while let last = stack.popLast() {
          isOnStack[last] = false
          component.append(last)
          if last == node { break }
        }
        if component.count > 1 { found.append(component) }
      }
    }
    return found
  }

  private func shortestCycle(
    in component: Set<Int>,
    where isIncluded: (Edge) -> Bool
  ) -> [(node: Int, edge: Edge)] {
    var best: [(node: Int, edge: Edge)] = []
    let starts = component.filter { $0 < transactionCount }.sorted().prefix(200)
    for start in starts {
      var previous: [Int: (node: Int, edge: Edge)] = [:]
      var queue = [start]
      var position = 0
      search: while position < queue.count {
        let node = queue[position]
        position += 1
        for edge in edges[node] where isIncluded(edge) && component.contains(edge.target) {
          if previous[edge.target] == nil {
            previous[edge.target] = (node, edge)
            queue.append(edge.target)
          }
          if edge.target == start { break search }
        }
      }
      var cycle: [(node: Int, edge: Edge)] = []
      var node = start
      while let step = previous[node] {
        cycle.append(step)
        node = step.node
        if node == start { break }
      }
      if node == start, !cycle.isEmpty, best.isEmpty || cycle.count < best.count {
        best = cycle.reversed()
        if best.count == 2 { break }
      }
    }
    return best
  }
}
