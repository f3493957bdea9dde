internal import DepotProtocol

/// The model of a store of SwiftData or Core Data: a compressed keyed archive in `Z_MODELCACHE`.
struct AppleModel {
  private let objects: [PropertyList]

  /// Reads the model of a store; `nil` if it has no readable one.
  init?(_ tables: AppleTables) throws {
    var content: [UInt8]?
    try tables.rows("Z_MODELCACHE") { content = content ?? $0["Z_CONTENT"]?.data }
    guard let content, let bytes = try? Inflate.unpack(content),
      let archive = try? PropertyList(bytes), let objects = archive["$objects"]?.array
    else { return nil }
    self.objects = objects
  }

  private func object(_ value: PropertyList?) -> PropertyList {
    guard case .reference(let number)? = value else { return value ?? .null }
    return objects.indices.contains(number) ? objects[number] : .null
  }

  private func elements(_ value: PropertyList?) -> [PropertyList] {
    let value = object(value)
    return (value["NS.objects"]?.array ?? value.array ?? []).map { object($0) }
  }

  /// The schema; attributes without a column are transient, and left out.
  func schema(_ tables: AppleTables) -> Schema {
    let descriptions = objects.filter { $0["NSEntityName"] != nil && $0["NSProperties"] != nil }
    var schema = Schema()
    for entity in tables.entities {
      let description = descriptions.first { object($0["NSEntityName"]).string == entity.name }
      guard let description else { continue }
      let parent = tables.entities.first { $0.number == entity.parent }
      let inherited = parent.map { parent in
        descriptions.first { object($0["NSEntityName"]).string == parent.name }
          .map { Set(properties(of: $0).compactMap { object($0["NSPropertyName"]).string }) } ?? []
      }
      var result = Entity(
        name: entity.name,
        parent: parent?.name,
        isAbstract: description["NSIsAbstract"]?.integer == 1,
        attributes: []
      )
      for property in properties(of: description) {
        guard let name = object(property["NSPropertyName"]).string,
          inherited?.contains(name) != true
        else { continue }
        if property["NSMaxCount"] != nil {
          result.relationships.append(relationship(name, property, entity, tables))
        } else if tables.has("Z" + name.uppercased(), in: entity.table),
          let attribute = attribute(name, property)
        {
          result.attributes.append(attribute)
        }
      }
      result.attributes.sort { $0.name < $1.name }
      result.relationships.sort { $0.name < $1.name }
      let uniques = elements(description["NSUniqueTuples"]).map { tuple in
        elements(tuple).compactMap(\.string)
      }
      for names in uniques where !names.isEmpty {
        if names.count == 1,
          let place = result.attributes.firstIndex(where: { $0.name == names[0] })
        {
          result.attributes[place].isUnique = true
        } else if names.count > 1 {
          result.uniques.append(names)
        }
      }
      schema.entities.append(result)
    }
    return schema
  }

  private func properties(of entity: PropertyList) -> [PropertyList] {
    elements(entity["NSProperties"])
  }

  private func relationship(
    _ name: String,
    _ property: PropertyList,
    _ entity: AppleEntity,
    _ tables: AppleTables
  ) -> Relationship {
    let isToMany = property["NSMaxCount"]?.integer != 1
    let inverse = object(property["_NSInverseRelationshipName"]).string
    let destination = object(property["_NSDestinationEntityName"]).string ?? ""
    let target = tables.entities.first { $0.name == destination }
    let order = inverse.map { "Z_FOK_" + $0.uppercased() }
    let isOrdered =
      property["NSOrdered"]?.integer == 1
      || isToMany
        && target.map { target in order.map { tables.has($0, in: target.table) } ?? false }
          == true
    let rules: [Int64: Relationship.DeleteRule] = [0: .noAction, 2: .cascade, 3: .deny]
    return Relationship(
      name: name,
      destination: destination,
      inverse: inverse == "$null" ? nil : inverse,
      isToMany: isToMany,
      isOptional: isToMany || property["NSIsOptional"]?.integer == 1,
      isOrdered: isOrdered,
      deleteRule: property["NSDeleteRule"]?.integer.flatMap { rules[$0] } ?? .nullify
    )
  }

  /// Returns an attribute; `nil` if values of its kind aren't stored.
  private func attribute(_ name: String, _ property: PropertyList) -> Attribute? {
    let kind: (type: AttributeType, width: NumberWidth?)? =
      switch property["NSAttributeType"]?.integer {
      case 100: (.int64, .int16)
      case 200: (.int64, .int32)
      case 300: (.int64, nil)
      case 400: (.decimal, nil)
      case 500: (.double, nil)
      case 600: (.double, .float)
      case 700: (.string, nil)
      case 800: (.bool, nil)
      case 900: (.date, nil)
      case 1100: (.uuid, nil)
      case 1200: (.url, nil)
      case 1000, 1800: (.data, nil)
      default: nil
      }
    guard let kind else { return nil }
    return Attribute(
      name: name,
      type: kind.type,
      width: kind.width,
      isOptional: property["NSIsOptional"]?.integer == 1
    )
  }
}
