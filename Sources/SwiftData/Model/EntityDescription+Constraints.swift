internal import Synchronization

/// The combinations of properties that are unique, and the indexes, that a class itself declares.
final class ConstraintTable: Sendable {
  private let combinations: [SchemaConstraintPurpose: [[String]]]

  /// The combinations of properties that no two objects may have alike.
  var uniques: [[String]] { combinations[.unique] ?? [] }
  /// The combinations of properties that have an index.
  var indexes: [[String]] { combinations[.index] ?? [] }
  /// The combinations of numbers that have an index for ranges.
  var rangeIndexes: [[String]] { combinations[.rangeIndex] ?? [] }

  init(_ description: EntityDescription) {
    var combinations: [SchemaConstraintPurpose: [[String]]] = [:]
    var parts: [AnyKeyPath: String]?
    func path(_ keyPath: AnyKeyPath) -> String {
      if let property = description.property(keyPath) { return property.name }
      let known =
        parts ?? Dictionary(first: ModelPath.first(of: description).map { ($0.keyPath, $0.path) })
      parts = known
      return known[keyPath] ?? "\(keyPath)"
    }
    for metadata in description.type.schemaMetadata {
      // The metadata of a subclass repeats the declarations of its superclass.
      guard let constraint = metadata.metadata as? any SchemaConstraint,
        constraint.model == description.type
      else { continue }
      for (purpose, keyPaths) in constraint.combinations {
        combinations[purpose, default: []].append(keyPaths.map(path))
      }
    }
    self.combinations = combinations
  }
}

extension EntityDescription {
  /// The constraints and indexes of the class.
  var constraints: ConstraintTable {
    knownConstraints.load() ?? knownConstraints.storeIfNil(ConstraintTable(self))
  }
}
