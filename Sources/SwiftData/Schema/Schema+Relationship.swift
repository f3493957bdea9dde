extension Schema {
  /// A reference from objects of an entity to others.
  // because it is changed only while a schema is built
  public final class Relationship: SchemaProperty, CustomDebugStringConvertible,
    @unchecked Sendable
  {
    /// The name of the property.
    public var name = ""
    /// The name in the version of the schema before.
    public var originalName: String
    /// The special treatment that it gets.
    public var options: [Option]
    /// The type of the property.
    public var valueType: any Any.Type = Any.self
    /// The name of the entity that it leads to.
    public var destination = ""
    /// The effect of a deletion on the objects that it leads to.
    public var deleteRule: DeleteRule
    /// The name of the inverse property.
    public var inverseName: String?
    /// The key path of the inverse property.
    public var inverseKeyPath: AnyKeyPath?
    /// The key path of the property.
    public var keypath: AnyKeyPath?
    /// How many objects it has to lead to.
    public var minimumModelCount: Int?
    /// How many objects it may lead to; 0 is any number.
    public var maximumModelCount: Int?
    /// The mark that distinguishes a changed meaning of the relationship from the one in another
    /// version.
    public var hashModifier: String?
    /// Whether it may lead to nothing.
    public var isOptional = false
    /// Whether it leads to at most one object.
    public internal(set) var isToOneRelationship = false

    /// Creates a relationship; its name and destination come from the property.
    public init(
      _ options: Option...,
      deleteRule: DeleteRule = .nullify,
      minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0,
      originalName: String? = nil,
      inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      self.originalName = originalName ?? ""
      self.options = options
      self.deleteRule = deleteRule
      inverseKeyPath = inverse
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.hashModifier = hashModifier
    }

    public var debugDescription: String { "\(name): \(valueType), \(deleteRule.rawValue)" }

    public var isAttribute: Bool { false }
    public var isRelationship: Bool { true }
    public var isTransient: Bool { false }
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether the objects keep their order.
    var isOrdered: Bool { options.contains(.ordered) }

    /// Special treatment of a relationship.
    public struct Option: Hashable, Sendable, Codable, CustomDebugStringConvertible {
      let name: String
      public var debugDescription: String { ".\(name)" }
      /// No two objects lead to the same one.
      public static let unique = Option(name: "unique")
      /// The objects keep the order that they have in the array; Depot's own.
      public static let ordered = Option(name: "ordered")
    }

    /// The effect of a deletion on the objects that the deleted one refers to.
    public enum DeleteRule: String, Hashable, Sendable, Codable, CaseIterable {
      case noAction, nullify, cascade, deny
    }

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, destination, deleteRule, inverseName, minimumModelCount
      case maximumModelCount, hashModifier, isOptional, isToOneRelationship
    }

    public static func == (left: Relationship, right: Relationship) -> Bool {
      left.name == right.name && left.destination == right.destination
        && left.deleteRule == right.deleteRule && left.inverseName == right.inverseName
        && left.options == right.options
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(destination)
    }
  }
}
