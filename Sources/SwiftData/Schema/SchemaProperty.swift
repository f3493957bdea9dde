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
  /// Whether it leads to objects.
  var isRelationship: Bool { get }
  /// Whether it isn't stored.
  var isTransient: Bool { get }
  /// Whether it may be `nil`.
  var isOptional: Bool { get }
  /// Whether no two objects have it alike.
  var isUnique: Bool { get }
}

/// Indexes or combinations of properties that are unique, as the metadata of a class carries them.
protocol SchemaConstraint {
  /// The class that declares them.
  var model: any PersistentModel.Type { get }
  var combinations: [(SchemaConstraintPurpose, [AnyKeyPath])] { get }
}

enum SchemaConstraintPurpose {
  case unique, index, rangeIndex
}
