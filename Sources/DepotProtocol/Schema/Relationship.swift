/// A relationship from the rows of an entity to rows of the same or another entity.
@Memberwise
public struct Relationship: Hashable, Sendable {
  /// The effect of deleting a row on the rows that it refers to.
  public enum DeleteRule: String, Hashable, Sendable, CaseIterable {
    /// Their inverse references are set to null.
    case nullify
    /// They are deleted too.
    case cascade
    /// The deletion fails if there are any.
    case deny
    /// Their inverse references stay, though the row is gone.
    case noAction
  }

  public var name: String
  /// The entity of its targets, which may also be of subentities.
  public var destination: String
  /// The relationship of the destination in the opposite direction, always kept consistent.
  public var inverse: String?
  /// Whether it has any number of targets instead of one.
  public var isToMany: Bool = false
  /// Whether it may have no target.
  ///
  /// A to-many relationship may always be empty, unless ``minCount`` forbids it.
  public var isOptional: Bool = true
  /// Whether a to-many relationship is ordered.
  public var isOrdered: Bool = false
  public var deleteRule: DeleteRule = .nullify
  /// The minimal number of targets of a to-many relationship.
  public var minCount: Int = 0
  /// The maximal number of targets of a to-many relationship; 0 for any.
  public var maxCount: Int = 0
  /// The name of the relationship in the previous version.
  public var originalName: String?
  /// A text that distinguishes the relationship from one with equal properties.
  public var hashModifier: String?
}
