internal import Synchronization

/// The combinations of properties that are unique, and the indexes, that a class itself declares.
final class ConstraintTable: Sendable {
  let uniques: [[String]]
  let indexes: [[String]]
  let rangeIndexes: [[String]]

  init(_ description: EntityDescription) {
    var uniques: [[String]] = []
    var indexes: [[String]] = []
    var rangeIndexes: [[String]] = []
    var parts: [AnyKeyPath: String]?
    func path(_ keyPath: AnyKeyPath) -> String {
      if let property = description.property(keyPath) { return property.name }
      let known = parts ?? description.pathsOfParts
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
  /// The combinations of properties that no two objects may have alike.
  var uniques: [[String]] { constraintTable.uniques }
  /// The combinations of properties that have an index.
  var indexes: [[String]] { constraintTable.indexes }
  /// The combinations of numbers that have an index for ranges.
  var rangeIndexes: [[String]] { constraintTable.rangeIndexes }

  private var constraintTable: ConstraintTable {
    constraints.load() ?? constraints.storeIfNil(ConstraintTable(self))
  }

  /// The paths of the parts of composites by the key paths that lead to them.
  fileprivate var pathsOfParts: [AnyKeyPath: String] {
    var paths: [AnyKeyPath: String] = [:]
    for property in properties {
      for (keyPath, path) in property.codec?.extend(property.keyPath) ?? [] {
        paths[keyPath] = "\(property.name).\(path)"
      }
    }
    return paths
  }
}
