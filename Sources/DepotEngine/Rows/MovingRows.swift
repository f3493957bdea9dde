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
