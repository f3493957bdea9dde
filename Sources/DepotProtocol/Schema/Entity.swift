/// A kind of row.
@Memberwise
public struct Entity: Hashable, Sendable {
  public var name: String
  /// The entity whose attributes and relationships this one has too, and among whose rows its rows
  /// are found.
  public var parent: String?
  /// Whether only its subentities have rows.
  public var isAbstract: Bool = false
  /// The attributes that it adds to its parent's.
  public var attributes: [Attribute]
  /// The relationships that it adds to its parent's.
  public var relationships: [Relationship] = []
  /// The paths of the attributes and to-one relationships of each compound index.
  public var indexes: [[String]] = []
  /// The paths of the numbers and dates of each r-tree index, which serves ranges over several.
  public var rangeIndexes: [[String]] = []
  /// The paths that together may not have the same values in two rows.
  public var uniques: [[String]] = []
  /// The name of the entity in the version before.
  public var originalName: String?
  /// A text that makes the entity differ from one with the same properties.
  public var hashModifier: String?
  /// The part that the history keeps of its rows and those of its subentities; as its parent says if `nil`.
  public var history: HistoryPolicy?

  /// The entity's own attribute named `name`, or `nil`.
  public subscript(name: String) -> Attribute? {
    attributes.first { $0.name == name }
  }

  /// Returns the entity's own relationship named `name`, or `nil`.
  public func relationship(_ name: String) -> Relationship? {
    relationships.first { $0.name == name }
  }
}
