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
