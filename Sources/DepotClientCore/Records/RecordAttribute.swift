public import DepotProtocol

/// A property of a record or composite, and its attribute or relationship.
public struct RecordAttribute<Model: Sendable>: Sendable {
  let keyPath: any PartialKeyPath<Model> & Sendable
  let name: String
  let content: PropertyContent
  /// Whether only the length of the value is read.
  let readsLength: Bool
  /// The property behind a ``Related``.
  let member: @Sendable () -> AnyKeyPath
  /// The property behind a ``Related``, if there is one.
  let chainedMember: @Sendable () -> AnyKeyPath

  private init<Content>(
    required keyPath: any KeyPath<Model, Content> & Sendable,
    _ name: String,
    _ content: PropertyContent
  ) {
    self.keyPath = keyPath
    self.name = name
    self.content = content
    readsLength = Content.self is any LengthOnly.Type
    member = { \Related<Model>.[dynamicMember: keyPath] }
    chainedMember = { \Related<Model>?.?[dynamicMember: keyPath] }
  }

  private init<Content>(
    optional keyPath: any KeyPath<Model, Content?> & Sendable,
    _ name: String,
    _ content: PropertyContent
  ) {
    self.keyPath = keyPath
    self.name = name
    self.content = content
    readsLength = Content.self is any LengthOnly.Type
    member = { \Related<Model>.[dynamicMember: keyPath] }
    chainedMember = { \Related<Model>?.?[dynamicMember: keyPath] }
  }
}

extension RecordAttribute {
  /// Creates a pair of a property and the name of an attribute.
  ///
  /// All parameters but the first two are for a schema that is made from records.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - name: The name of the attribute.
  ///   - content: The value that an insert without the attribute stores.
  ///   - isUnique: Whether no two rows may have the same value.
  ///   - isIndexed: Whether there is an index of this attribute alone.
  ///   - options: Special treatment of the attribute.
  ///   - validation: The condition that a value must satisfy.
  ///   - derivation: The expression whose value the store keeps in the attribute.
  ///   - originalName: The attribute's name in the version before.
  // An optional property has an initializer of its own.
  @_disfavoredOverload
  public init<Content: AttributeValue>(
    _ keyPath: any KeyPath<Model, Content> & Sendable,
    _ name: String,
    default content: Content? = nil,
    isUnique: Bool = false,
    isIndexed: Bool = false,
    options: Attribute.Options = [],
    validation: Attribute.Validation = Attribute.Validation(),
    derivation: String? = nil,
    originalName: String? = nil
  ) {
    var attribute = Attribute(
      name: name,
      type: Content.attributeType,
      defaultValue: content?.attributeValue,
      isUnique: isUnique,
      isIndexed: isIndexed,
      options: options,
      validation: validation,
      derivation: derivation,
      originalName: originalName
    )
    Content.describe(&attribute)
    self.init(required: keyPath, name, .attribute(attribute))
  }

  /// Creates a pair of a property that may be `nil` and the name of an attribute that may be null.
  public init<Content: AttributeValue>(
    _ keyPath: any KeyPath<Model, Content?> & Sendable,
    _ name: String,
    default content: Content? = nil,
    isUnique: Bool = false,
    isIndexed: Bool = false,
    options: Attribute.Options = [],
    validation: Attribute.Validation = Attribute.Validation(),
    derivation: String? = nil,
    originalName: String? = nil
  ) {
    var attribute = Attribute(
      name: name,
      type: Content.attributeType,
      defaultValue: content?.attributeValue,
      isUnique: isUnique,
      isIndexed: isIndexed,
      options: options,
      validation: validation,
      derivation: derivation,
      originalName: originalName
    )
    Content?.describe(&attribute)
    self.init(optional: keyPath, name, .attribute(attribute))
  }

  /// Creates a pair of a property and the name under which its parts are attributes.
  ///
  /// Its initial value is no default: its parts have theirs.
  public init<Content: Composite>(
    _ keyPath: any KeyPath<Model, Content> & Sendable,
    _ name: String,
    default _: Content? = nil
  ) {
    self.init(required: keyPath, name, .composite(Content.self, isOptional: false))
  }

  /// Creates a pair of a property that may be `nil` and the name under which its parts are
  /// attributes.
  ///
  /// Its initial value is no default: its parts have theirs.
  public init<Content: Composite>(
    _ keyPath: any KeyPath<Model, Content?> & Sendable,
    _ name: String,
    default _: Content? = nil
  ) {
    self.init(optional: keyPath, name, .composite(Content.self, isOptional: true))
  }

  /// Names the property that holds the row's identifier.
  ///
  /// It isn't read or written with the values; predicates and sort descriptors may use it.
  public static func identifier(
    _ keyPath: any KeyPath<Model, Identifier<Model>?> & Sendable
  ) -> RecordAttribute {
    RecordAttribute(optional: keyPath, "$id", .identifier)
  }

  /// Names the property that holds the row's version.
  ///
  /// It isn't read or written with the values; predicates and sort descriptors may use it.
  public static func version(_ keyPath: any KeyPath<Model, Int64> & Sendable) -> RecordAttribute {
    RecordAttribute(required: keyPath, "$version", .version)
  }
}

extension RecordAttribute where Model: Record {
  /// Creates a pair of a property and the name of a relationship that always leads to a row.
  ///
  /// - Parameters:
  ///   - keyPath: The property, an ``Identifier`` or a ``Related``.
  ///   - name: The name of the relationship.
  ///   - inverse: The inverse property of the destination; it is enough if one side names the
  ///     other.
  ///   - deleteRule: The effect of a deletion on the row that it leads to.
  ///   - originalName: The relationship's name in the version before.
  /// - Returns: The pair.
  public static func toOne<Content: Reference>(
    _ keyPath: any KeyPath<Model, Content> & Sendable,
    _ name: String,
    inverse: (any PartialKeyPath<Content.Destination> & Sendable)? = nil,
    deleteRule: Relationship.DeleteRule = .nullify,
    originalName: String? = nil
  ) -> RecordAttribute {
    var link = RelationshipContent(name, of: Content.self, inverse: inverse)
    link.relationship.isOptional = false
    link.relationship.deleteRule = deleteRule
    link.relationship.originalName = originalName
    return RecordAttribute(required: keyPath, name, .relationship(link))
  }

  /// Creates a pair of a property that may be `nil` and the name of a relationship.
  public static func toOne<Content: Reference>(
    _ keyPath: any KeyPath<Model, Content?> & Sendable,
    _ name: String,
    inverse: (any PartialKeyPath<Content.Destination> & Sendable)? = nil,
    deleteRule: Relationship.DeleteRule = .nullify,
    originalName: String? = nil
  ) -> RecordAttribute {
    var link = RelationshipContent(name, of: Content.self, inverse: inverse)
    link.relationship.deleteRule = deleteRule
    link.relationship.originalName = originalName
    return RecordAttribute(optional: keyPath, name, .relationship(link))
  }

  /// Creates a pair of a property and the name of a relationship that leads to any number of rows.
  ///
  /// - Parameters:
  ///   - keyPath: The property, an array of ``Identifier`` or of ``Related``.
  ///   - name: The name of the relationship.
  ///   - inverse: The inverse property of the destination; it is enough if one side names the
  ///     other.
  ///   - deleteRule: The effect of a deletion on the rows that it leads to.
  ///   - isOrdered: Whether the rows have an order that is kept.
  ///   - minCount: How many rows it must lead to at least.
  ///   - maxCount: How many rows it may lead to; 0 for any number.
  ///   - originalName: The relationship's name in the version before.
  /// - Returns: The pair.
  public static func toMany<Content: Reference>(
    _ keyPath: any KeyPath<Model, [Content]> & Sendable,
    _ name: String,
    inverse: (any PartialKeyPath<Content.Destination> & Sendable)? = nil,
    deleteRule: Relationship.DeleteRule = .nullify,
    isOrdered: Bool = false,
    minCount: Int = 0,
    maxCount: Int = 0,
    originalName: String? = nil
  ) -> RecordAttribute {
    var link = RelationshipContent(name, of: Content.self, inverse: inverse)
    link.relationship.isToMany = true
    link.relationship.deleteRule = deleteRule
    link.relationship.isOrdered = isOrdered
    link.relationship.minCount = minCount
    link.relationship.maxCount = maxCount
    link.relationship.originalName = originalName
    return RecordAttribute(required: keyPath, name, .relationship(link))
  }
}
