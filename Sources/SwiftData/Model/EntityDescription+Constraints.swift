internal import Synchronization

/// The combinations of properties that are unique, and the indexes, that a class itself declares.
final class ConstraintTable: Sendable {
  /// The combinations of properties that no two objects may have alike.
  let uniques: [[String]]
  /// The combinations of properties that have an index.
  let indexes: [[String]]
  /// The combinations of numbers that have an index for ranges.
  let rangeIndexes: [[String]]

  init(_ description: EntityDescription) {
    var uniques: [[String]] = []
    var indexes: [[String]] = []
    var rangeIndexes: [[String]] = []
    var parts: [AnyKeyPath: String]?
    func path(_ keyPath: AnyKeyPath) -> String {
      if let property = description.property(keyPath) { return property.name }
      let known =
        parts ?? Dictionary(first: ModelPath.first(of: description).map { ($0.keyPath, $0.path) })
      parts = known
      return known[keyPath] ?? "\(keyPath)"
    }
    for metadata in description.type.schemaMetadata {
      // The metadata of a subclass repeats what its superclass declares.
      guard let constraint = metadata.metadata as? any SchemaConstraint,
        constraint.model == description.type
      else { continue }
      for (purpose, keyPaths) in constraint.combinations {
        switch purpose {
        case .unique: uniques.append(keyPaths.map(path))
        case .index: indexes.append(keyPaths.map(path))
        case .rangeIndex: rangeIndexes.append(keyPaths.map(path))
        }
      }
    }
    self.uniques = uniques
    self.indexes = indexes
    self.rangeIndexes = rangeIndexes
  }
}

extension EntityDescription {
  /// The constraints and indexes of the class.
  var constraints: ConstraintTable {
    knownConstraints.load() ?? knownConstraints.storeIfNil(ConstraintTable(self))
  }
}
