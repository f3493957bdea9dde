/// The part of an entity's changes that the history keeps.
public enum HistoryPolicy: String, Hashable, Sendable, CaseIterable {
  /// Nothing except the transaction itself.
  case none
  /// The names of changed rows and properties, and the preserved values of deleted rows.
  case names
  /// Also the old and new values.
  case values
}

extension Schema {
  /// Returns the policy of the entity or its nearest superentity with one, or else `values`.
  public func historyPolicy(of entity: Entity) -> HistoryPolicy {
    lineage(of: entity).reversed().lazy.compactMap(\.history).first ?? .values
  }
}
