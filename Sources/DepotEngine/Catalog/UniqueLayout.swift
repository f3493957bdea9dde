internal import DepotProtocol

/// A unique constraint: columns that must differ between any two rows, unless one of them is null.
struct UniqueLayout: Hashable, Sendable {
  /// The paths of the attributes and to-one relationships.
  var paths: [String]
  /// The indexes of their stored columns.
  var columnIndices: [Int]
  /// The entity that declares the constraint for its rows and its descendants' rows.
  var owner: String
  /// The numbers of the entities whose rows are compared; `nil` for all entities of the table.
  var kinds: [Int]?

  /// The additional condition that a row belongs to the compared entities.
  var kindCondition: String {
    kinds.map { " AND kind IN (\($0.map(String.init).joined(separator: ", ")))" } ?? ""
  }
}

extension Schema {
  /// Returns the unique constraints of an entity's ancestors, its own, and its descendants'.
  func uniques(
    of entity: Entity,
    _ map: StorageMap,
    _ place: (String) -> Int?
  ) -> [UniqueLayout] {
    var result: [UniqueLayout] = []
    for owner in lineage(of: entity) + descendants(of: entity.name) {
      let singles = owner.ownFields.filter { $0.attribute.isUnique }.map { [$0.path] }
      let demands = singles + owner.uniques
      if demands.isEmpty { continue }
      let fields = fields(of: owner)
      for paths in demands {
        let columns = paths.compactMap { path -> (place: Int, isOwn: Bool)? in
          guard let field = fields.first(where: { $0.path == path }),
            let declaring = self[field.owner]
          else { return nil }
          let prefix = field.relationship == nil ? "a" : "r"
          return place(columnName(prefix, path, declaring)).map {
            ($0, declaring.name == owner.name)
          }
        }
        guard columns.count == paths.count else { continue }
        // A column of one subentity is null in the rows of others, which therefore can't conflict.
        let isShared = owner.parent != nil && !columns.contains { $0.isOwn }
        result.append(
          UniqueLayout(
            paths: paths,
            columnIndices: columns.map(\.place),
            owner: owner.name,
            kinds: isShared ? kinds(of: owner, map) : nil
          )
        )
      }
    }
    return result
  }

  /// Returns the numbers of an entity and its descendants.
  func kinds(of entity: Entity, _ map: StorageMap) -> [Int] {
    ([entity] + descendants(of: entity.name)).map { map.number(of: $0.name) }.sorted()
  }
}
