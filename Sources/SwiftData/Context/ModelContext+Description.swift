extension ModelContext: CustomDebugStringConvertible {
  /// How many objects the context has, and how many of them aren't saved as they are.
  public var debugDescription: String {
    let count = identityMap.tables.reduce(0) { $0 + $1.all.count }
    return "ModelContext(\(count) objects, \(pending.inserted.count) inserted, "
      + "\(pending.changed.count) changed, \(pending.deleted.count) deleted)"
  }
}
