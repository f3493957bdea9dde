internal import DepotProtocol

/// The parts of a schema in the words of tables and diagrams.
enum SchemaText {
  /// Returns the type of an attribute, such as `int16?`, `[string]`, or `{uuid}`.
  static func type(_ attribute: Attribute, marksOptional: Bool = true) -> String {
    let element = attribute.width?.rawValue ?? attribute.type.rawValue
    let type =
      switch attribute.collection {
      case nil: element
      case .array: "[\(element)]"
      case .set: "{\(element)}"
      }
    return type + (marksOptional && attribute.isOptional ? "?" : "")
  }

  /// Returns the target of a relationship, such as `City?` or `[Stop]`.
  static func type(_ relationship: Relationship, marksOptional: Bool = true) -> String {
    if relationship.isToMany { return "[\(relationship.destination)]" }
    return relationship.destination + (marksOptional && relationship.isOptional ? "?" : "")
  }

  /// Returns the special features of an attribute, one word each.
  static func flags(_ attribute: Attribute) -> [String] {
    var words: [String] = []
    if attribute.isUnique { words.append("unique") }
    if attribute.isIndexed { words.append("indexed") }
    if attribute.derivation != nil { words.append("derived") }
    let options = attribute.options
    if options.contains(.externalStorage) { words.append("external") }
    if options.contains(.ephemeral) { words.append("ephemeral") }
    if options.contains(.preserveValueOnDeletion) { words.append("preserved") }
    if options.contains(.spotlight) { words.append("searchable") }
    if options.contains(.transient) { words.append("transient") }
    return words
  }

  /// Returns all features of an attribute except its name and type.
  static func properties(_ attribute: Attribute) -> [String] {
    let validation = attribute.validation
    var words = (attribute.isOptional ? ["optional"] : []) + flags(attribute)
    if let value = attribute.defaultValue { words.append("default \(value.jsonText)") }
    if let value = validation.minimum { words.append("min \(value.jsonText)") }
    if let value = validation.maximum { words.append("max \(value.jsonText)") }
    if let count = validation.minLength { words.append("minLength \(count)") }
    if let count = validation.maxLength { words.append("maxLength \(count)") }
    if let pattern = validation.pattern { words.append("pattern \(pattern)") }
    if !validation.cases.isEmpty {
      words.append("one of " + validation.cases.map(\.jsonText).joined(separator: " "))
    }
    if let derivation = attribute.derivation { words.append("= \(derivation)") }
    if let name = attribute.originalName { words.append("was \(name)") }
    return words
  }

  /// Returns the number of targets of a relationship, such as `0..1` or `1..*`.
  static func cardinality(_ relationship: Relationship) -> String {
    guard relationship.isToMany else { return relationship.isOptional ? "0..1" : "1" }
    let most = relationship.maxCount > 0 ? "\(relationship.maxCount)" : "*"
    return relationship.minCount == 0 && most == "*" ? "*" : "\(relationship.minCount)..\(most)"
  }

  /// Returns the special features of a relationship besides its destination.
  static func properties(_ relationship: Relationship) -> [String] {
    var words: [String] = []
    if !relationship.isToMany, relationship.isOptional { words.append("optional") }
    if relationship.isToMany { words.append(cardinality(relationship)) }
    if relationship.isOrdered { words.append("ordered") }
    if let inverse = relationship.inverse { words.append("inverse \(inverse)") }
    if relationship.deleteRule != .nullify {
      words.append("on delete \(relationship.deleteRule.rawValue)")
    }
    if let name = relationship.originalName { words.append("was \(name)") }
    return words
  }
}
