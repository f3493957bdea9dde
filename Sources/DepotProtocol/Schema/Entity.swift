/// An entity: a kind of row.
@Memberwise
public struct Entity: Hashable, Sendable {
  public var name: String
  /// The superentity, whose attributes and relationships this one inherits.
  ///
  /// Queries for the superentity also find this one's rows.
  public var parent: String?
  /// Whether only its subentities have rows.
  public var isAbstract: Bool = false
  /// The entity's own attributes, without inherited ones.
  public var attributes: [Attribute]
  /// The entity's own relationships, without inherited ones.
  public var relationships: [Relationship] = []
  /// The paths of the attributes and to-one relationships of each compound index.
  public var indexes: [[String]] = []
  /// The paths of each r-tree index: numbers and dates, for queries about several ranges at once.
  public var rangeIndexes: [[String]] = []
  /// The paths whose values must be unique together.
  public var uniques: [[String]] = []
  /// The name of the entity in the previous version.
  public var originalName: String?
  /// A text that distinguishes the entity from one with equal properties.
  public var hashModifier: String?
  /// The history policy of its rows and its subentities' rows; the parent's if `nil`.
  public var history: HistoryPolicy?

  /// The names of the properties that the entity itself declares.
  var propertyNames: [String] { attributes.map(\.name) + relationships.map(\.name) }

  /// The entity's own attribute named `name`, or `nil`.
  public subscript(name: String) -> Attribute? {
    attributes.first { $0.name == name }
  }

  /// Returns the entity's own relationship named `name`, or `nil`.
  public func relationship(_ name: String) -> Relationship? {
    relationships.first { $0.name == name }
  }
}
