/// A property of an entity.
public protocol SchemaProperty: Codable, Hashable {
  /// The name of the property.
  var name: String { get set }
  /// The name in the version of the schema before.
  var originalName: String { get set }
  /// The type of the property.
  var valueType: any Any.Type { get set }
  /// Whether it has values.
  var isAttribute: Bool { get }
  /// Whether it is a relationship.
  var isRelationship: Bool { get }
  /// Whether it isn't stored.
  var isTransient: Bool { get }
  /// Whether it may be `nil`.
  var isOptional: Bool { get }
  /// Whether no two objects have the same value.
  var isUnique: Bool { get }
}

/// Indexes or unique combinations of properties, in the metadata of a class.
protocol SchemaConstraint {
  /// The class that declares them.
  var model: Any.Type { get }
  var combinations: [(SchemaConstraintPurpose, [AnyKeyPath])] { get }
}

enum SchemaConstraintPurpose {
  case unique, index, rangeIndex
}
