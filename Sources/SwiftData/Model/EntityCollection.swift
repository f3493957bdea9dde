/// The descriptions of model classes and of all classes that their relationships reach.
struct EntityCollection {
  private(set) var descriptions: [EntityDescription] = []
  private var names: [String: EntityDescription] = [:]
  /// The first class that has the name of another.
  private(set) var clash: (EntityDescription, EntityDescription)?

  init(_ types: [any PersistentModel.Type]) {
    for type in types { add(EntityDescription.of(type)) }
    // Targets of relationships come after the listed classes, so that the order is the program's.
    var next = 0
    while next < descriptions.count {
      for property in descriptions[next].properties {
        if let type = property.destination { add(EntityDescription.of(type)) }
      }
      next += 1
    }
  }

  private mutating func add(_ description: EntityDescription) {
    if let known = names[description.name] {
      if known !== description, clash == nil { clash = (known, description) }
      return
    }
    if let parent = description.parent { add(parent) }
    names[description.name] = description
    descriptions.append(description)
  }
}
