/// The validation of a schema before it is defined.
extension Schema {
  /// Checks that names are valid and unique, and that all parts are consistent.
  ///
  /// The error's place is a JSON pointer into the schema's JSON form.
  ///
  /// - Throws: ``DepotError`` `schema.invalid` that describes the problem, or `schema.unknown_…`
  ///   for a name.
  public func validate() throws(DepotError) {
    guard entities.count <= Limits.entities else {
      throw .invalid("There are more than \(Limits.entities) entities.")
        .hint("Use several stores.").at("/entities")
    }
    try validateNames()
    try forEachEntity { (entity) throws(DepotError) in
      try entity.validateForms()
      try validateParent(of: entity)
    }
    try forEachEntity { (entity) throws(DepotError) in
      try entity.validateProperties()
      try validateInheritance(of: entity)
    }
    try validateSizes()
    try forEachEntity { (entity) throws(DepotError) in
      try DepotError.each(entity.relationships, below: "/relationships") {
        (relationship) throws(DepotError) in
        try RelationshipCheck(relationship: relationship, entity: entity, schema: self).run()
      }
    }
    try forEachEntity { (entity) throws(DepotError) in
      try IndexCheck(entity: entity, fields: fields(of: entity), schema: self).run()
    }
  }

  private func forEachEntity(_ body: (Entity) throws(DepotError) -> Void) throws(DepotError) {
    try DepotError.each(entities, below: "/entities", body)
  }

  private func validateNames() throws(DepotError) {
    var names = UniqueNames(owner: nil)
    try forEachEntity { (entity) throws(DepotError) in
      try names.insert(entity.name, was: entity.originalName, kind: "entities")
    }
  }

  static func validate(name: String, at pointer: String = "/name") throws(DepotError) {
    guard let problem = NameSyntax.problem(with: name) else { return }
    throw .invalid("\(name.quoted) can't be a name.")
      .hint(problem).at(pointer)
  }

  /// Checks that the superentities of an entity exist, form no cycle, and aren't too many.
  private func validateParent(of entity: Entity) throws(DepotError) {
    var seen: Set<String> = [entity.name]
    var last = entity
    while let name = last.parent {
      guard let parent = self[name] else {
        throw .invalid("There is no entity \(name), the parent of \(last.name).")
          .hint(
            Spelling.hint(for: name, in: entities.map(\.name)) ?? "Add it, or leave the parent out."
          ).at("/parent")
      }
      guard seen.insert(name).inserted else {
        throw .invalid("\(entity.name) is its own ancestor.")
          .hint("The chain of parents must end with an entity that has none.").at("/parent")
      }
      guard seen.count <= Limits.ancestors + 1 else {
        throw .invalid("\(entity.name) has more than \(Limits.ancestors) ancestors.")
          .hint("Give properties of some of them to others, and leave them out.").at("/parent")
      }
      last = parent
    }
  }

  /// Checks that an entity redeclares nothing that it inherits.
  private func validateInheritance(of entity: Entity) throws(DepotError) {
    for ancestor in lineage(of: entity).dropLast() {
      let taken = Set(ancestor.propertyNames.map(NameSyntax.folded))
      guard let name = entity.propertyNames.first(where: { taken.contains(NameSyntax.folded($0)) })
      else { continue }
      throw .invalid("\(entity.name).\(name) is declared again: \(ancestor.name) has it already.")
        .hint("A subentity inherits the properties of its parent; give the new one another name.")
    }
  }

  /// Checks that the table of each hierarchy stays within SQLite's limit of columns.
  private func validateSizes() throws(DepotError) {
    var columns: [String: Int] = [:]
    try forEachEntity { (entity) throws(DepotError) in
      let count = entity.ownFields.count + entity.relationships.count { $0.isToMany }
      let root = lineage(of: entity)[0].name
      columns[root, default: 0] += count
      guard columns[root, default: 0] <= Schema.hierarchyColumns else {
        throw .invalid(
          "\(root) and its subentities have more than \(Schema.hierarchyColumns) properties."
        ).hint("Entities with a parent share one table; leave some of the parents out.")
      }
    }
  }

  /// The most properties of an entity together with all its subentities.
  private static let hierarchyColumns = 1500
}

extension Entity {
  /// Checks each attribute by itself, and that names are unique.
  fileprivate func validateProperties() throws(DepotError) {
    let fields = ownFields.count { $0.relationship == nil }
    // The subentities of an abstract entity declare the properties of their rows.
    let hasNone = attributes.isEmpty && relationships.isEmpty && parent == nil && !isAbstract
    guard fields <= Limits.attributes, attributes.count <= Limits.attributes, !hasNone else {
      throw .invalid("\(name) must have 1 to \(Limits.attributes) attributes.")
        .hint("The properties of composites count each.").at("/attributes")
    }
    guard relationships.count <= Limits.attributes else {
      throw .invalid("\(name) may have at most \(Limits.attributes) relationships.")
        .hint("Split the entity.").at("/relationships")
    }
    try validateNames()
    try DepotError.each(attributes, below: "/attributes") { (attribute) throws(DepotError) in
      try AttributeCheck(attribute, entity: self.name).run()
    }
  }

  private func validateNames() throws(DepotError) {
    var names = UniqueNames(owner: name)
    try DepotError.each(attributes, below: "/attributes") { (attribute) throws(DepotError) in
      try names.insert(attribute.name, was: attribute.originalName, kind: "attributes")
    }
    try DepotError.each(relationships, below: "/relationships") { (other) throws(DepotError) in
      try names.insert(other.name, was: other.originalName, kind: "properties")
    }
  }
}

/// A set of names of properties or entities that must all be different.
@Memberwise
struct UniqueNames {
  /// The owner of the properties; `nil` for the entities of a schema.
  let owner: String?
  private var names: Set<String> = []
  private var originals: Set<String> = []

  mutating func insert(
    _ name: String,
    was original: String?,
    kind: String
  ) throws(DepotError) {
    try Schema.validate(name: name)
    guard names.insert(NameSyntax.folded(name)).inserted else {
      throw .invalid("\(owner.map { "\($0) has" } ?? "There are") two \(kind) named \(name).")
        .hint("Names that differ only in case count as equal.").at("/name")
    }
    guard let original else { return }
    try Schema.validate(name: original, at: "/originalName")
    guard originals.insert(NameSyntax.folded(original)).inserted else {
      throw .invalid("Two \(kind)\(owner.map { " of \($0)" } ?? "") were named \(original) before.")
        .hint("\(original) can become only one of them.").at("/originalName")
    }
  }
}

extension DepotError {
  /// Returns the error that a schema contradicts itself.
  static func invalid(_ problem: String) -> DepotError { DepotError(.invalidSchema, problem) }

  /// Runs `body` for each element of the list at `pointer`, which is added to the errors' places.
  static func each<Element>(
    _ list: [Element],
    below pointer: String,
    _ body: (Element) throws(DepotError) -> Void
  ) throws(DepotError) {
    for (index, element) in list.enumerated() {
      do {
        try body(element)
      } catch {
        throw error.inside("\(pointer)/\(index)")
      }
    }
  }
}
