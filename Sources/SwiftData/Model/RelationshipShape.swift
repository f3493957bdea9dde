/// The role of a relationship in the graph of the model classes, worked out from the classes alone.
final class RelationshipShape: Sendable {
  /// The inverse relationship.
  let inverse: Inverse?
  /// Whether objects that it leads to are kept alive from this side.
  let isStrong: Bool
  /// Whether a save sends this side to the store rather than the other one.
  let isSaved: Bool

  /// The other side of a relationship.
  struct Inverse: Sendable {
    let slot: Int
    let isToMany: Bool
    let name: String

    init(_ property: PropertyDescription) {
      slot = property.slot
      isToMany = property.isToMany
      name = property.name
    }
  }

  private init(inverse: Inverse?, isStrong: Bool, isSaved: Bool) {
    self.inverse = inverse
    self.isStrong = isStrong
    self.isSaved = isSaved
  }

  /// Determines the shape of a relationship.
  static func of(_ property: PropertyDescription) -> RelationshipShape {
    guard let type = property.destination else {
      return RelationshipShape(inverse: nil, isStrong: false, isSaved: false)
    }
    guard let back = property.inverse else {
      let isStrong =
        property.isToMany || !leadsBack(from: type, to: EntityDescription.of(property.owner))
      return RelationshipShape(inverse: nil, isStrong: isStrong, isSaved: true)
    }
    let inverse = Inverse(back)
    if back === property {
      return RelationshipShape(inverse: inverse, isStrong: false, isSaved: true)
    }
    if property.isToMany != back.isToMany {
      return RelationshipShape(
        inverse: inverse,
        isStrong: property.isToMany,
        isSaved: !property.isToMany
      )
    }
    let isFirst = property.qualifiedName < back.qualifiedName
    return RelationshipShape(inverse: inverse, isStrong: isFirst, isSaved: isFirst)
  }

  /// Whether relationships lead from objects of a class to objects of an entity.
  private static func leadsBack(
    from type: any PersistentModel.Type,
    to entity: EntityDescription
  ) -> Bool {
    var known: Set<ObjectIdentifier> = []
    var queue = [EntityDescription.of(type).root]
    while let next = queue.popLast() {
      if next === entity.root { return true }
      guard known.insert(ObjectIdentifier(next)).inserted else { continue }
      for property in next.properties {
        if let type = property.destination { queue.append(EntityDescription.of(type).root) }
      }
    }
    return false
  }
}
