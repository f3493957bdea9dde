/// The part that a store's history keeps of the changes of an entity's rows.
public enum HistoryPolicy: String, Hashable, Sendable, CaseIterable {
  /// Nothing, but that there was a transaction.
  case none
  /// Which rows and properties changed, and of deleted rows what is to be preserved.
  case names
  /// The old and new values as well.
  case values
}

extension Schema {
  /// Returns what the history keeps of an entity's rows: what the entity or its nearest ancestor says, or
  /// the values if none says anything.
  public func historyPolicy(of entity: Entity) -> HistoryPolicy {
    lineage(of: entity).reversed().lazy.compactMap(\.history).first ?? .values
  }
}
