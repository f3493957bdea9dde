extension ModelContext: CustomDebugStringConvertible {
  /// How many objects the context has, and how many of them aren't saved as they are.
  public var debugDescription: String {
    let count = allTables.reduce(0) { $0 + $1.all.count }
    let changes = "\(inserted.count) inserted, \(changed.count) changed, \(deleted.count) deleted"
    return "ModelContext(\(count) objects, \(changes))"
  }
}
