internal import DepotProtocol

extension PropertyDescription {
  /// The property as a schema describes it.
  ///
  /// It isn't the object in the metadata, which a program may share between classes.
  var schemaProperty: any SchemaProperty {
    if let codec { return schemaAttribute(codec) }
    let result = Schema.Relationship(
      deleteRule: relationship?.deleteRule ?? .nullify,
      minimumModelCount: relationship?.minimumModelCount ?? 0,
      maximumModelCount: relationship?.maximumModelCount ?? 0,
      originalName: relationship?.originalName,
      inverse: relationship?.inverseKeyPath,
      hashModifier: relationship?.hashModifier
    )
    result.options = relationship?.options ?? []
    result.name = name
    if result.originalName.isEmpty { result.originalName = name }
    result.keypath = keyPath
    result.valueType = Swift.type(of: keyPath).valueType
    if let type = destination { result.destination = Schema.entityName(for: type) }
    result.inverseName = inverse?.name
    result.inverseKeyPath = inverse?.keyPath
    switch kind {
    case .toOne(_, let isOptional):
      (result.isOptional, result.isToOneRelationship) = (isOptional, true)
    case .toMany(_, let isOptional): result.isOptional = isOptional
    case .attribute: break
    }
    return result
  }

  private func schemaAttribute(_ codec: AttributeCodec) -> Schema.Attribute {
    let parts = codec.attribute.properties
    let result =
      parts.isEmpty
      ? Schema.Attribute() : Schema.CompositeAttribute(parts.map { Schema.Attribute.part($0) })
    result.name = name
    result.options = attribute?.options ?? []
    result.originalName = attribute?.originalName ?? ""
    if result.originalName.isEmpty { result.originalName = name }
    result.valueType = Swift.type(of: keyPath).valueType
    result.isOptional = result.valueType is any OptionalType.Type
    result.defaultValue = defaultValue
    result.hashModifier = attribute?.hashModifier
    return result
  }
}
