internal import DepotProtocol
internal import DepotSQLite

/// The conflicts that prevent undoing a transaction, for reports.
struct UndoConflicts {
  /// The most reported conflicts.
  private static let limit = 1000

  /// The reported conflicts.
  private(set) var list: [RowConflict] = []
  private var roots: [String] = []
  /// The number of all conflicts.
  private(set) var count = 0

  mutating func add(
    _ conflict: RowConflict,
    _ layout: EntityLayout,
    _ past: PastReader
  ) throws {
    count += 1
    guard list.count < Self.limit else { return }
    var conflict = conflict
    conflict.shorten()
    if conflict.kind != .updateOfDeleted {
      conflict.storeVersion = try past.version(of: conflict.identifier, layout)
    }
    list.append(conflict)
    roots.append(layout.root)
  }

  /// Adds explained conflicts of other rows of the same transaction.
  mutating func add(_ others: UndoConflicts) {
    list += others.list.prefix(max(0, Self.limit - list.count))
    count += others.count
  }

  /// Adds to each conflict the last changes of its properties since the history row `edge`.
  mutating func explain(from edge: Int64, _ past: PastReader) throws {
    var missing = list.map { Set($0.properties) }
    let trails = zip(list, roots).map { conflict, root in
      PastReader.Trail(root: root, identifier: conflict.identifier, edge: edge)
    }
    try past.walk(trails) { position, event in
      let event = try event.get()
      for property in event.properties where missing[position].remove(property.name) != nil {
        list[position].changedBy[property.name] = try past.origin(of: event.token)
          .map { $0.conflictOrigin(past.bounds) }
      }
      return !missing[position].isEmpty
    }
  }

  /// Returns the error for a rejected undo; `nil` if there is no conflict.
  func refusal(_ token: Int64, _ bounds: HistoryBounds) -> DepotError? {
    guard let first = list.first else { return nil }
    let name = "\(first.entity)/\(first.identifier)"
    let what = first.kind == .updateOfDeleted ? "deleted" : "changed"
    let others = count > 1 ? ", and so were \(count - 1) others" : ""
    return DepotError(.merge, "\(name) was \(what) since \(bounds.token(token))\(others).")
      .hint("Undo the later changes first, or choose a policy.")
      .detail(conflicts: list)
  }
}
