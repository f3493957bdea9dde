import DepotProtocol

/// An entity with an optional attribute of each type, every second one indexed.
enum ScalarEntity {
  static let entity = Entity(
    name: "Thing",
    attributes: AttributeType.scalars.enumerated().map { index, type in
      Attribute(name: type.rawValue, type: type, isOptional: true, isIndexed: index % 2 == 0)
    }
  )
}
