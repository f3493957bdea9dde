/// The comparison of the attributes of two schemas, column by column.
extension SchemaInference {
  mutating func compareAttributes(of entity: Entity) {
    for attribute in attributes[entity.name] ?? [] {
      if isInherited(attribute, by: entity, among: attributes) { continue }
      let hasRows =
        attribute.new.map { new in
          attribute.old != nil || self.hasRows(without: new, in: entity, among: attributes)
        } ?? true
      for field in FieldSuccession.all(attribute) {
        switch (field.old, field.new) {
        case (let old?, let new?): compare(old, new, field.isNewlyRequired, of: entity.name)
        case (let old?, nil):
          let problem = otherForm(of: field, entity)
          let isKnown = findings.last?.problem == problem
          add(.removedAttribute(old, entity: entity.name), problem: isKnown ? nil : problem)
        case (nil, let new?):
          add(new, isFillable: field.isFillable || !hasRows, attribute.old != nil, entity.name)
        case (nil, nil): break
        }
      }
    }
  }

  /// Returns the problem of a column whose attribute became a composite or ceased to be one.
  private func otherForm(of field: FieldSuccession, _ entity: Entity) -> String? {
    guard let old = field.old else { return nil }
    if let new = field.otherForm {
      let (after, isComposite) = (new.attribute, new.attribute.type == .composite)
      let before = isComposite ? old.attribute.typeDescription : "composite"
      return "\(entity.name).\(new.path) is of type \(before), not \(after.typeDescription)"
    }
    let name = String(old.path.prefix { $0 != "." })
    let relationship = relationships[entity.name, default: []].first {
      $0.old == nil && ($0.new?.name == name || $0.new?.originalName == name)
    }
    return relationship.map { _ in "\(entity.name).\(name) is an attribute, not a relationship" }
  }

  /// `isPart` tells that the column belongs to an existing composite.
  private mutating func add(
    _ field: Field,
    isFillable: Bool,
    _ isPart: Bool,
    _ entity: String
  ) {
    // A composite that was required has a value in every row.
    let fill =
      field.isPresence && isPart && wasRequired(field.path, of: entity)
      ? .bool(true) : field.attribute.defaultValue ?? .null
    add(
      .addedAttribute(field, entity: entity, fill: fill),
      problem: isFillable
        ? nil
        : "attribute \(entity).\(field.path) is new, but neither optional nor with a default",
      isAboutRows: true
    )
  }

  /// Whether the optional composite at a path, within an existing attribute, was required before.
  private func wasRequired(_ path: String, of entity: String) -> Bool {
    let succession = attributes[entity, default: []].first {
      $0.new?.name == path.prefix { $0 != "." }.description
    }
    guard var new = succession?.new?.property, var old = succession?.old?.property else {
      return false
    }
    for name in path.split(separator: ".").dropFirst() {
      let parts = Succession<Attribute>.all(from: old.properties, to: new.properties)
      guard let part = parts.first(where: { $0.new?.name == String(name) }),
        let newPart = part.new, let oldPart = part.old
      else { return false }
      (old, new) = (oldPart, newPart)
    }
    return old.type == .composite
  }

  private mutating func compare(
    _ old: Field,
    _ new: Field,
    _ isNewlyRequired: Bool,
    of entity: String
  ) {
    func step(_ aspect: SchemaChange.AttributeAspect) -> SchemaChange {
      .changedAttribute(old, to: new, entity: entity, aspect)
    }
    let (before, after) = (old.attribute, new.attribute)
    if old.path != new.path { add(step(.name)) }
    if old.owner != origins[new.owner] { add(step(.owner)) }
    if old.isPresence { return }
    let isSameType =
      (before.type, before.width, before.collection?.rawValue)
      == (after.type, after.width, after.collection?.rawValue)
    if !isSameType {
      let problem = problem(before, after, "\(entity).\(new.path)")
      add(step(.type), problem: problem)
      // Other differences don't matter if the values can't be converted.
      if problem != nil { return }
    }
    if isNewlyRequired {
      let isFillable = after.defaultValue != nil || after.derivation != nil
      add(
        step(.required(fill: after.defaultValue ?? .null)),
        problem: isFillable
          ? nil : "\(entity).\(new.path) is required, but was optional and has no default",
        isAboutRows: true
      )
    } else if after.isOptional, !before.isOptional {
      add(step(.optional))
    }
    compareOptions(before, after, step)
    if before.validation != after.validation {
      let isTighter =
        isSameType
        ? after.validation.isTighter(than: before.validation) : !after.validation.isEmpty
      add(step(.validation(isTighter: isTighter)))
    }
    let isSameDefault =
      switch (before.defaultValue, after.defaultValue) {
      case (let before?, let after?): before.isIdentical(to: after)
      case (let before, let after): before == after
      }
    if !isSameDefault { add(step(.defaultValue)) }
  }

  private mutating func compareOptions(
    _ before: Attribute,
    _ after: Attribute,
    _ step: (SchemaChange.AttributeAspect) -> SchemaChange
  ) {
    if before.isUnique != after.isUnique { add(step(.unique)) }
    // A unique attribute has an index anyway.
    if before.isIndexed != after.isIndexed { add(step(.indexed)) }
    let options: [(Attribute.Options, SchemaChange.AttributeAspect)] = [
      (.externalStorage, .externalStorage), (.ephemeral, .ephemeral),
      (.preserveValueOnDeletion, .preservation), (.spotlight, .spotlight),
    ]
    let changed = before.options.symmetricDifference(after.options)
    for (option, aspect) in options where changed.contains(option) { add(step(aspect)) }
    if before.derivation != after.derivation { add(step(.derivation)) }
    if before.hashModifier != after.hashModifier { add(step(.hashModifier)) }
  }

  private func problem(_ before: Attribute, _ after: Attribute, _ name: String) -> String? {
    // Values computed by the store need no conversion.
    guard after.derivation == nil, before.widening(to: after) == .impossible else { return nil }
    return "\(name) is of type \(before.typeDescription), not \(after.typeDescription)"
  }
}

extension Attribute {
  /// The type for people.
  package var typeDescription: String { (collection.map { "\($0.rawValue) of " } ?? "") + typeName }
}
