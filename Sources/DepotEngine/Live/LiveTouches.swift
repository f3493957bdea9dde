internal import DepotProtocol

/// What commits did to the rows that a watched query depends on, as far as its client wasn't told yet.
struct LiveTouches {
  /// The rows of each node of ``QueryDependencies``, and what happened to them.
  private(set) var rows: [[Int64: RowTouch]]
  private(set) var count = 0
  /// Whether only the whole query tells what changed.
  var isUnknown = false
  /// Whether another connection did some of what isn't known.
  var isForeign = false
  private(set) var authors = Authors.none

  /// Who changed what.
  enum Authors: Equatable {
    case none
    case one(String?)
    case several

    mutating func add(_ author: String?) {
      switch self {
      case .none: self = .one(author)
      case .one(let other): if other != author { self = .several }
      case .several: break
      }
    }
  }

  init(nodeCount: Int) {
    rows = Array(repeating: [:], count: nodeCount)
  }

  var isEmpty: Bool { count == 0 && !isUnknown }

  /// Notes what happened to a row of a node.
  mutating func add(_ identifier: Int64, of node: Int, _ touch: RowTouch) {
    if rows[node][identifier] == nil { count += 1 }
    rows[node][identifier, default: RowTouch()].formUnion(touch)
  }

  /// Whether another connection did some of it.
  var hasForeign: Bool { isForeign || rows.contains { $0.values.contains(where: \.isForeign) } }

  /// Notes that there is no one author.
  mutating func forgetAuthors() { authors = .several }

  mutating func add(author: String?) { authors.add(author) }

  mutating func removeAll() {
    self = LiveTouches(nodeCount: rows.count)
  }

  /// Forgets which rows changed, as there are too many of them.
  mutating func forgetRows() {
    let rows = rows.lazy.flatMap(\.values)
    isForeign = isForeign || rows.contains(where: \.isForeign)
    isUnknown = true
    self.rows = Array(repeating: [:], count: self.rows.count)
    count = 0
  }
}

extension QueryDependencies {
  /// Notes what a commit did to a table's rows, as far as it matters for a node of that table.
  ///
  /// - Returns: Whether any of it matters.
  @discardableResult
  func note(
    _ changes: TableChanges,
    of node: Int,
    isForeign: Bool,
    in touches: inout LiveTouches
  ) -> Bool {
    let subject = nodes[node]
    var isConcerned = false
    for change in changes.rows where matters(change, to: subject) {
      isConcerned = true
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
    return isConcerned
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

  /// Whether a change can concern the answer through a node.
  func matters(_ change: RowChange, to node: Node) -> Bool {
    guard node.numbers.contains(change.entityNumber) else { return false }
    if isOpaque || node.readsEverything || change.kind != .update { return true }
    return !change.places.isDisjoint(with: node.places)
  }
}
