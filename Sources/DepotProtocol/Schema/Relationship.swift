/// A reference from the rows of an entity to rows of another, or of the same.
@Memberwise
public struct Relationship: Hashable, Sendable {
  /// The effect of a deletion on the rows that the deleted one refers to.
  public enum DeleteRule: String, Hashable, Sendable, CaseIterable {
    /// They forget it.
    case nullify
    /// They are deleted too.
    case cascade
    /// The deletion fails if there are any.
    case deny
    /// They keep a reference to nothing.
    case noAction
  }

  public var name: String
  /// The entity that it leads to; the rows may be of its subentities.
  public var destination: String
  /// The relationship of the destination that leads back and always agrees with this one.
  public var inverse: String?
  /// Whether it leads to any number of rows rather than to one.
  public var isToMany: Bool = false
  /// Whether it may lead to nothing; a to-many relationship always may, unless ``minCount`` says no.
  public var isOptional: Bool = true
  /// Whether the rows of a to-many relationship have an order that is kept.
  public var isOrdered: Bool = false
  public var deleteRule: DeleteRule = .nullify
  /// The least number of rows of a to-many relationship.
  public var minCount: Int = 0
  /// The greatest number of rows of a to-many relationship; 0 for any.
  public var maxCount: Int = 0
  /// The name of the relationship in the version before.
  public var originalName: String?
  /// A text that makes the relationship differ from one with the same properties.
  public var hashModifier: String?
}
