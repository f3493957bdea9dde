internal import DepotProtocol

/// The decisions about the rows of a save, made before anything is written.
struct SaveDecisions {
  /// The actions for rows that are to change, by the places of their batch and of the row.
  ///
  /// The positions are those of columns; rows that aren't there are changed as the client wants.
  var changes: [Int: [Int: ConflictResolution.Action]] = [:]
  /// The rows that aren't deleted, by the place of their batch.
  var kept: [Int: Set<Int64>] = [:]
  /// The versions that rows had when they were read which are to be made again.
  var baseVersions: [Int: [Int: Int64]] = [:]
  /// The conflicts that were found.
  var conflicts = ConflictList()
  /// The rows whose unique values others may have.
  var moving = MovingRows()

  /// Returns the action for a row to change.
  func action(_ index: Int, _ row: Int) -> ConflictResolution.Action {
    changes[index]?[row] ?? .proceed
  }
}

/// Rows that release unique values: changed rows and deleted rows.
struct MovingRows {
  /// The names of the columns that change, by tables and rows.
  private var columns: [String: [Int64: Set<String>]] = [:]
  private var deleted: [String: Set<Int64>] = [:]

  mutating func move(_ identifier: Int64, _ root: String, _ names: Set<String>) {
    guard !names.isEmpty else { return }
    columns[root, default: [:]][identifier, default: []].formUnion(names)
  }

  mutating func delete(_ identifier: Int64, _ root: String) {
    deleted[root, default: []].insert(identifier)
  }

  /// Whether the row that has unique values may not have them in the end.
  func contains(_ clash: UniqueClash, _ layout: EntityLayout) -> Bool {
    if deleted[layout.root]?.contains(clash.identifier) == true { return true }
    guard let names = columns[layout.root]?[clash.identifier] else { return false }
    return clash.unique.places.contains { names.contains(layout.stored[$0].name) }
  }
}
