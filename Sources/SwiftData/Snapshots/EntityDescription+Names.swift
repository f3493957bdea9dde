/// Classes by the names of their entities.
extension EntityDescription {
  /// The entities of the container whose store is being asked, by their names.
  ///
  /// Classes of several versions of a program may have the same name.
  @TaskLocal static var current: [String: EntityDescription] = [:]

  /// Finds the description of a class by the name of its entity.
  ///
  /// - Parameters:
  ///   - name: The name of the entity.
  ///   - properties: The names of properties, by which one of several classes is chosen.
  /// - Returns: The description; `nil` if no class is known.
  static func named(_ name: String, with properties: Set<String> = []) -> EntityDescription? {
    if let description = current[name] { return description }
    let candidates = all(named: name)
    guard candidates.count > 1 else { return candidates.first }
    return candidates.max { left, right in
      left.likeness(properties) < right.likeness(properties)
    }
  }

  /// How many properties have one of some names, less the number of other properties.
  private func likeness(_ names: Set<String>) -> Int {
    let own = Set(properties.map(\.name))
    return 2 * own.intersection(names).count - own.count
  }
}
