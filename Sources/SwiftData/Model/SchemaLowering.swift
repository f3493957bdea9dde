internal import DepotProtocol

/// The translation of some entities into a schema of the service.
struct SchemaLowering {
  let descriptions: [EntityDescription]
  private let names: Set<String>

  init(_ descriptions: [EntityDescription]) {
    self.descriptions = descriptions
    names = Set(descriptions.map(\.name))
  }

  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` about a property that can't be stored.
  func schema(_ version: Schema.Version?) throws -> DepotProtocol.Schema {
    let schema = DepotProtocol.Schema(
      version: version.map { SchemaVersion($0.major, $0.minor, $0.patch) },
      entities: try descriptions.map(entity)
    ).withNormalizedNames
    do {
      try schema.validate()
    } catch {
      throw SwiftDataError(error, .loadIssueModelContainer)
    }
    return schema
  }

  /// The attributes, as in `Trip.created`, whose defaults differ each time, like `Date()`.
  var changingDefaults: Set<String> {
    Set(descriptions.flatMap(\.changingDefaults).map(\.qualifiedName))
  }

  private func entity(_ description: EntityDescription) throws -> Entity {
    var entity = Entity(
      name: description.name,
      parent: description.parent?.name,
      attributes: [],
      indexes: description.constraints.indexes,
      rangeIndexes: description.constraints.rangeIndexes,
      uniques: description.constraints.uniques
    )
    for property in description.ownProperties {
      if let codec = property.codec {
        entity.attributes.append(try attribute(property, codec, of: description))
      } else {
        entity.relationships.append(try relationship(property, of: description))
        if property.relationship?.isUnique == true, !property.isToMany {
          entity.uniques.append([property.name])
        }
      }
    }
    return entity
  }

  private func attribute(
    _ property: PropertyDescription,
    _ codec: AttributeCodec,
    of description: EntityDescription
  ) throws -> Attribute {
    if let problem = codec.problem {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "\(description.name).\(property.name) can't be stored: \(problem)",
        hint: "Make its type Codable, or mark it @Transient or @Attribute(.transformable(by:)).",
        entity: description.name,
        property: property.name
      )
    }
    var attribute = codec.attribute
    attribute.name = property.name
    if let text = property.attribute?.originalName, !text.isEmpty { attribute.originalName = text }
    attribute.hashModifier = property.attribute?.hashModifier
    attribute.isUnique = property.attribute?.isUnique ?? false
    attribute.setOptions(property.attribute?.options ?? [])
    if let problem = codec.defaultProblem {
      throw badDefault("\(property.name).\(problem.part)", property, of: description, problem.cause)
    }
    if let value = property.defaultValue {
      do {
        var values = try codec.values(value)[...]
        attribute.setDefaults(&values)
      } catch {
        throw badDefault(property.name, property, of: description, error)
      }
    }
    // A type without a known value has no placeholder either.
    if attribute.options.contains(.ephemeral), !attribute.isOptional, attribute.defaultValue == nil,
      var values = try? codec.values(codec.placeholder)[...]
    {
      attribute.setDefaults(&values)
    }
    return attribute
  }

  /// Returns the error that a default can't be stored, so that new rows would lack it.
  private func badDefault(
    _ path: String,
    _ property: PropertyDescription,
    of description: EntityDescription,
    _ cause: any Error
  ) -> SwiftDataError {
    let reason = (cause as? SwiftDataError)?.message ?? "\(cause)"
    return SwiftDataError(
      .loadIssueModelContainer,
      "The default of \(description.name).\(path) can't be stored: \(reason)",
      hint: "Give it another default, or set the value in the initializer.",
      entity: description.name,
      property: property.name
    )
  }

  private func relationship(
    _ property: PropertyDescription,
    of description: EntityDescription
  ) throws -> Relationship {
    guard let type = property.destination else { preconditionFailure("an attribute") }
    let destination = EntityDescription.of(type)
    let inverse = property.inverse
    if let keyPath = property.relationship?.inverseKeyPath, inverse == nil {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "The inverse of \(description.name).\(property.name), \(keyPath), isn't a relationship that "
          + "\(destination.name) stores.",
        hint: "Name a relationship of \(destination.name) that leads to \(description.name).",
        entity: description.name,
        property: property.name
      )
    }
    guard names.contains(destination.name) else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "\(description.name).\(property.name) leads to \(destination.name), which is in another "
          + "store.",
        hint: "Put both into the schema of one configuration.",
        entity: description.name,
        property: property.name
      )
    }
    let told = property.relationship
    var relationship = Relationship(
      name: property.name,
      destination: destination.name,
      inverse: inverse?.name,
      isToMany: property.isToMany,
      isOptional: true,
      isOrdered: property.isToMany && told?.isOrdered == true,
      deleteRule: told.flatMap { .init(rawValue: $0.deleteRule.rawValue) } ?? .nullify
    )
    if case .toOne(_, let isOptional) = property.kind { relationship.isOptional = isOptional }
    if property.isToMany {
      relationship.minCount = told?.minimumModelCount ?? 0
      relationship.maxCount = told?.maximumModelCount ?? 0
    }
    if let text = told?.originalName, !text.isEmpty { relationship.originalName = text }
    relationship.hashModifier = told?.hashModifier
    return relationship
  }
}

extension PropertyDescription {
  /// Whether the service keeps a full-text index of the values.
  var isSearchable: Bool {
    guard let options = attribute?.options, options.contains(.spotlight),
      var attribute = codec?.attribute
    else { return false }
    attribute.isUnique = self.attribute?.isUnique ?? false
    attribute.setOptions(options)
    return attribute.options.contains(.spotlight)
  }
}

extension Attribute {
  /// Sets the options that the service has for values of this type.
  fileprivate mutating func setOptions(_ options: [Schema.Attribute.Option]) {
    let isText = type == .string && collection == nil
    let isLarge = collection == nil && (type == .string || type == .data)
    if options.contains(.ephemeral), type != .composite {
      self.options.insert(.ephemeral)
      return
    }
    if options.contains(.externalStorage), isLarge, !isUnique {
      self.options.insert(.externalStorage)
    }
    if options.contains(.spotlight), isText, !self.options.contains(.externalStorage) {
      self.options.insert(.spotlight)
    }
    if options.contains(.preserveValueOnDeletion) { preserve() }
  }

  private mutating func preserve() {
    guard type == .composite else {
      options.insert(.preserveValueOnDeletion)
      return
    }
    for index in properties.indices { properties[index].preserve() }
  }
}
