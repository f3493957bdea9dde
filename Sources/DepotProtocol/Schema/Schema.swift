/// What a store holds: its entities and their attributes.
public struct Schema: Hashable, Sendable {
  public var entities: [Entity]

  public init(entities: [Entity] = []) {
    self.entities = entities
  }

  /// The entity named `name`, or `nil`.
  public subscript(name: String) -> Entity? {
    entities.first { $0.name == name }
  }
}

/// A kind of row.
public struct Entity: Hashable, Sendable {
  public var name: String
  public var attributes: [Attribute]
  /// The names of the attributes of each compound index.
  public var indexes: [[String]]

  public init(name: String, attributes: [Attribute], indexes: [[String]] = []) {
    self.name = name
    self.attributes = attributes
    self.indexes = indexes
  }

  /// The attribute named `name`, or `nil`.
  public subscript(name: String) -> Attribute? {
    attributes.first { $0.name == name }
  }
}

/// A value that every row of an entity has.
public struct Attribute: Hashable, Sendable {
  public var name: String
  public var type: AttributeType
  /// Whether the value may be null.
  public var isOptional: Bool
  /// What an insert that doesn't name the attribute stores.
  public var defaultValue: Value?
  /// Whether no two rows may have the same value.
  ///
  /// Null isn't the same as null here.
  public var isUnique: Bool
  /// Whether there is an index of this attribute alone; a unique attribute has one anyway.
  public var isIndexed: Bool

  public init(
    name: String,
    type: AttributeType,
    isOptional: Bool = false,
    defaultValue: Value? = nil,
    isUnique: Bool = false,
    isIndexed: Bool = false
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.isUnique = isUnique
    self.isIndexed = isIndexed
  }
}
