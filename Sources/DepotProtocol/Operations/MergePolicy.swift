/// The way a save treats rows that others have changed since its client read them.
public enum MergePolicy: String, Hashable, Sendable, CaseIterable {
  /// Refuse the save and report all conflicts.
  case error
  /// Merge by property; if both sides changed a property, the store's value stays.
  case mergeByPropertyStoreTrump
  /// Merge by property; if both sides changed a property, the client's value is written.
  case mergeByPropertyObjectTrump
  /// Write all of the client's values over the row.
  case overwrite
  /// Leave the row as it is and drop the client's changes.
  case rollback
}
