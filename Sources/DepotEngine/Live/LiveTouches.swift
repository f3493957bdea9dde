internal import DepotProtocol

/// The changes by commits of the rows that a watched query depends on, as far as its client wasn't
/// told yet.
struct LiveTouches {
  /// The changes of rows by one commit, which all queries of a kind share.
  private struct Waiting {
    let changes: TableChanges
    let node: Int
    let isForeign: Bool
  }

  /// The rows of each node of ``QueryDependencies``, and what happened to them.
  private(set) var rows: [[Int64: RowTouch]]
  private(set) var count = 0
  /// The changes that nobody has looked at row by row yet.
  private var waiting: [Waiting] = []
  /// How many rows changed at most.
  private(set) var bound = 0
  /// Whether there are very many changes that nobody has looked at.
  var isLong: Bool { waiting.count > Self.waitingLimit || bound > 10 * PathWalk.limit }
  /// Whether only the whole query tells what changed.
  var isUnknown = false
  /// Whether another connection did some of what isn't known.
  var isForeign = false
  private var authors: Set<String?> = []

  /// How many changes of tables wait to be looked at.
  private static let waitingLimit = 1000

  /// The author, if there is only one.
  var author: String? { authors.count == 1 ? authors.first ?? nil : nil }

  init(nodeCount: Int) {
    rows = Array(repeating: [:], count: nodeCount)
  }

  var isEmpty: Bool { count == 0 && waiting.isEmpty && !isUnknown }

  /// Notes what happened to rows of a node, to be looked at by ``settle(_:)``.
  mutating func add(_ changes: TableChanges, of node: Int, isForeign: Bool) {
    waiting.append(Waiting(changes: changes, node: node, isForeign: isForeign))
    bound += changes.rows.count
  }

  /// Compares rows one by one with their state before the commits.
  mutating func settle(_ dependencies: QueryDependencies) {
    let list = waiting
    waiting = []
    for entry in list {
      dependencies.note(entry.changes, of: entry.node, isForeign: entry.isForeign, in: &self)
    }
    bound = count
  }

  /// Notes what happened to a row of a node.
  mutating func add(_ identifier: Int64, of node: Int, _ touch: RowTouch) {
    if rows[node][identifier] == nil {
      count += 1
      bound += 1
    }
    rows[node][identifier, default: RowTouch()].formUnion(touch)
  }

  /// Whether another connection did some of it.
  var hasForeign: Bool {
    isForeign || waiting.contains(where: \.isForeign)
      || rows.contains { $0.values.contains(where: \.isForeign) }
  }

  mutating func forgetAuthors() { authors = [] }

  mutating func add(author: String?) { authors.insert(author) }

  mutating func removeAll() {
    self = LiveTouches(nodeCount: rows.count)
  }

  /// Forgets which rows changed, as there are too many of them.
  mutating func forgetRows() {
    isForeign = hasForeign
    isUnknown = true
    rows = Array(repeating: [:], count: rows.count)
    waiting = []
    (count, bound) = (0, 0)
  }
}

extension QueryDependencies {
  /// Notes what a commit did to a table's rows, as far as it matters for a node of that table.
  func note(
    _ changes: TableChanges,
    of node: Int,
    isForeign: Bool,
    in touches: inout LiveTouches
  ) {
    let subject = nodes[node]
    let sieve = sieve(subject)
    for change in changes.rows where sieve.lets(change) {
      var touch = RowTouch(isPrefetched: subject.isPrefetched, isForeign: isForeign)
      touch.isWhole = node == 0 && change.kind != .update
      if node == 0 { touch.places = change.places } else { touch.nodes.insert(node) }
      if node > 0 || identifiers?.contains(change.identifier) ?? true {
        touches.add(change.identifier, of: node, touch)
      }
      // Where the row led before, it doesn't lead any more.
      if let link = subject.link, let place = link.backPlace,
        let parent = change.oldReferences[place]
      {
        touches.add(parent, of: link.parent, touch)
      }
    }
  }

  /// Notes which rows a commit linked or unlinked.
  func note(
    _ links: LinkRows,
    of node: Int,
    isForeign: Bool,
    in touches: inout LiveTouches
  ) {
    guard let link = nodes[node].link, case .join(_, let near, _, _) = link.storage else { return }
    var touch = RowTouch(isPrefetched: nodes[node].isPrefetched, isForeign: isForeign)
    touch.nodes.insert(node)
    for pair in links.pairs {
      touches.add(near == "source" ? pair.source : pair.target, of: link.parent, touch)
    }
  }
}
