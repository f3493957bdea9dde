internal import DepotProtocol

/// The decisions about the rows of a save, taken before anything is written.
struct SaveDecisions {
  /// The actions for rows to change, by the index of their batch and of the row.
  ///
  /// The positions are those of columns; rows without an entry are changed as requested.
  var changes: [Int: [Int: ConflictResolution.Action]] = [:]
  /// The identifiers of rows that aren't deleted, by the index of their batch.
  var kept: [Int: Set<Int64>] = [:]
  /// The versions that the client read of rows to insert again, by the same indexes.
  var baseVersions: [Int: [Int: Int64]] = [:]
  /// The conflicts found.
  var conflicts = ConflictList()
  /// The rows whose unique values may become free.
  var moving = MovingRows()

  /// Returns the action for a row.
  func action(_ index: Int, _ row: Int) -> ConflictResolution.Action {
    changes[index]?[row] ?? .proceed
  }
}

/// Rows that may release unique values: changed and deleted rows.
struct MovingRows {
  /// The names of changed columns, by table and row.
  private var columns: [String: [Int64: Set<String>]] = [:]
  private var deleted: [String: Set<Int64>] = [:]

  mutating func move(_ identifier: Int64, _ root: String, _ names: Set<String>) {
    guard !names.isEmpty else { return }
    columns[root, default: [:]][identifier, default: []].formUnion(names)
  }

  mutating func delete(_ identifier: Int64, _ root: String) {
    deleted[root, default: []].insert(identifier)
  }

  /// Whether the row with conflicting unique values may lose them before the end.
  func contains(_ clash: UniqueClash, _ layout: EntityLayout) -> Bool {
    if deleted[layout.root]?.contains(clash.identifier) == true { return true }
    guard let names = columns[layout.root]?[clash.identifier] else { return false }
    return clash.unique.columnIndices.contains { names.contains(layout.stored[$0].name) }
  }
}
