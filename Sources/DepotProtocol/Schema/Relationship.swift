/// A reference from the rows of an entity to rows of another, or of the same.
public struct Relationship: Hashable, Sendable {
  /// What a deletion does to the rows that the deleted one refers to.
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
  public var isToMany: Bool
  /// Whether it may lead to nothing; a to-many relationship always may, unless ``minCount`` says no.
  public var isOptional: Bool
  /// Whether the rows of a to-many relationship have an order that is kept.
  public var isOrdered: Bool
  public var deleteRule: DeleteRule
  /// The least number of rows of a to-many relationship.
  public var minCount: Int
  /// The greatest number of rows of a to-many relationship; 0 for any.
  public var maxCount: Int
  /// What the relationship was called in the version before.
  public var originalName: String?
  /// What makes the relationship differ from one with the same properties.
  public var hashModifier: String?

  public init(
    name: String,
    destination: String,
    inverse: String? = nil,
    isToMany: Bool = false,
    isOptional: Bool = true,
    isOrdered: Bool = false,
    deleteRule: DeleteRule = .nullify,
    minCount: Int = 0,
    maxCount: Int = 0,
    originalName: String? = nil,
    hashModifier: String? = nil
  ) {
    self.name = name
    self.destination = destination
    self.inverse = inverse
    self.isToMany = isToMany
    self.isOptional = isOptional
    self.isOrdered = isOrdered
    self.deleteRule = deleteRule
    self.minCount = minCount
    self.maxCount = maxCount
    self.originalName = originalName
    self.hashModifier = hashModifier
  }
}
