internal import DepotProtocol

/// The changes of rows that a watched query depends on, which weren't sent to its client yet.
struct DirtyRows {
  /// The changes of rows by one commit, which similar queries share.
  private struct Waiting {
    let changes: TableChanges
    let node: Int
    let isForeign: Bool
  }

  /// The changed rows of each node of ``QueryDependencies``, with their changes.
  private(set) var rows: [[Int64: RowChangeSummary]]
  private(set) var count = 0
  /// The changes that weren't examined row by row yet.
  private var waiting: [Waiting] = []
  /// The greatest possible number of changed rows.
  private(set) var bound = 0
  /// Whether there are very many changes to examine.
  var isLong: Bool { waiting.count > Self.waitingLimit || bound > 10 * PathWalk.limit }
  /// Whether only a run of the whole query can find the changes.
  var isUnknown = false
  /// Whether another connection made some of the unknown changes.
  var isForeign = false
  private var authors: Set<String?> = []

  /// The most changes of tables that wait to be examined.
  private static let waitingLimit = 1000

  /// The author of the changes, if there is only one.
  var author: String? { authors.count == 1 ? authors.first ?? nil : nil }

  init(nodeCount: Int) {
    rows = Array(repeating: [:], count: nodeCount)
  }

  var isEmpty: Bool { count == 0 && waiting.isEmpty && !isUnknown }

  /// Adds changes of a node's rows, which ``settle(_:)`` examines later.
  mutating func add(_ changes: TableChanges, of node: Int, isForeign: Bool) {
    waiting.append(Waiting(changes: changes, node: node, isForeign: isForeign))
    bound += changes.rows.count
  }

  /// Compares each row with its state before the commits.
  mutating func settle(_ dependencies: QueryDependencies) {
    let list = waiting
    waiting = []
    for entry in list {
      dependencies.note(entry.changes, of: entry.node, isForeign: entry.isForeign, in: &self)
    }
    bound = count
  }

  /// Adds the change of a node's row.
  mutating func add(_ identifier: Int64, of node: Int, _ summary: RowChangeSummary) {
    if rows[node][identifier] == nil {
      count += 1
      bound += 1
    }
    rows[node][identifier, default: RowChangeSummary()].formUnion(summary)
  }

  /// Whether another connection made some of the changes.
  var hasForeign: Bool {
    isForeign || waiting.contains(where: \.isForeign)
      || rows.contains { $0.values.contains(where: \.isForeign) }
  }

  /// Whether other connections did all of it, as far as that is known.
  var isAllForeign: Bool {
    (isForeign || !isUnknown) && waiting.allSatisfy(\.isForeign)
      && rows.allSatisfy { $0.values.allSatisfy(\.isForeign) }
  }

  mutating func forgetAuthors() { authors = [] }

  mutating func add(author: String?) { authors.insert(author) }

  mutating func removeAll() {
    self = DirtyRows(nodeCount: rows.count)
  }

  /// Removes the changed rows, because there are too many.
  mutating func forgetRows() {
    isForeign = hasForeign
    isUnknown = true
    rows = Array(repeating: [:], count: rows.count)
    waiting = []
    (count, bound) = (0, 0)
  }
}

extension QueryDependencies {
  /// Adds the changes of a table's rows by a commit that are relevant for a node.
  func note(
    _ changes: TableChanges,
    of node: Int,
    isForeign: Bool,
    in dirtyRows: inout DirtyRows
  ) {
    let subject = nodes[node]
    let columnFilter = columnFilter(subject)
    for change in changes.rows where columnFilter.lets(change) {
      var summary = RowChangeSummary(isPrefetched: subject.isPrefetched, isForeign: isForeign)
      summary.isWhole = node == 0 && change.kind != .update
      if node == 0 { summary.columns = change.columns } else { summary.nodes.insert(node) }
      if node > 0 || identifiers?.contains(change.identifier) ?? true {
        dirtyRows.add(change.identifier, of: node, summary)
      }
      // The row no longer refers to its previous destination.
      if let origin = subject.origin, let place = origin.backColumn,
        let parent = change.oldReferences[place]
      {
        dirtyRows.add(parent, of: origin.parent, summary)
      }
    }
  }

  /// Adds the rows that a commit linked or unlinked.
  func note(
    _ links: LinkRows,
    of node: Int,
    isForeign: Bool,
    in dirtyRows: inout DirtyRows
  ) {
    guard let origin = nodes[node].origin, case .join(_, let near, _, _) = origin.storage else {
      return
    }
    var summary = RowChangeSummary(isPrefetched: nodes[node].isPrefetched, isForeign: isForeign)
    summary.nodes.insert(node)
    for pair in links.pairs {
      dirtyRows.add(near == "source" ? pair.source : pair.target, of: origin.parent, summary)
    }
  }
}
