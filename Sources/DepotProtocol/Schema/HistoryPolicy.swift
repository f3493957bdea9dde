/// The part that a store's history keeps of the changes of an entity's rows.
public enum HistoryPolicy: String, Hashable, Sendable, CaseIterable {
  /// Nothing, but that there was a transaction.
  case none
  /// The names of changed rows and properties, and the preserved values of deleted rows.
  case names
  /// The old and new values as well.
  case values
}

extension Schema {
  /// Returns the policy of the entity or its nearest superentity with one, or else `values`.
  public func historyPolicy(of entity: Entity) -> HistoryPolicy {
    lineage(of: entity).reversed().lazy.compactMap(\.history).first ?? .values
  }
}
