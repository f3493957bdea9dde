/// The way a save treats rows that others have changed since its client read them.
public enum MergePolicy: String, Hashable, Sendable, CaseIterable {
  /// Refuse the save and tell all conflicts.
  case error
  /// Merge property by property; where both sides changed one, the store's value stays.
  case mergeByPropertyStoreTrump
  /// Merge property by property; where both sides changed one, the client's value is written.
  case mergeByPropertyObjectTrump
  /// Write all that the client has over the row.
  case overwrite
  /// Leave the row as it is and drop the client's changes.
  case rollback
}
