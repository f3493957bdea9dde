/// The check of one attribute by itself.
struct AttributeCheck {
  let attribute: Attribute
  /// The attribute's name for people: `Trip.home.city`.
  let name: String
  /// The number of composites around the attribute.
  private let depth: Int

  init(_ attribute: Attribute, entity: String, depth: Int = 0) {
    self.attribute = attribute
    name = "\(entity).\(attribute.name)"
    self.depth = depth
  }

  func run() throws(DepotError) {
    try checkWidth()
    if attribute.type == .composite {
      try checkComposite()
    } else if !attribute.properties.isEmpty {
      throw .invalid("\(name) has properties, but is no composite.")
        .hint("Give it the type \"composite\".").at("/properties")
    }
    if attribute.type == .json { try checkJSON() }
    if attribute.collection != nil { try checkCollection() }
    try checkOptions()
    try checkDerivation()
    try checkBounds()
    try checkCases()
    try checkDefault()
  }

  private func has(_ option: Attribute.Options) -> Bool { attribute.options.contains(option) }
}

extension AttributeCheck {
  private static let depthLimit = 4

  private func checkWidth() throws(DepotError) {
    guard let width = attribute.width, attribute.type != width.type else { return }
    throw .invalid(
      "\(name) is of type \(attribute.type.rawValue) and can't have the width \(width.rawValue)."
    )
    .hint("Such numbers are of type \(width.type.rawValue).").at("/type")
  }

  private func checkComposite() throws(DepotError) {
    if attribute.properties.isEmpty {
      throw .invalid("\(name) is a composite without properties.")
        .hint("List the attributes that it consists of.").at("/properties")
    }
    if depth >= Self.depthLimit {
      throw .invalid("\(name) is nested deeper than \(Self.depthLimit) composites.")
        .hint("Use a relationship to an entity of its own.")
    }
    let isSpecial =
      attribute.isUnique || attribute.isIndexed || attribute.collection != nil
      || attribute.defaultValue != nil || !attribute.validation.isEmpty
      || !attribute.options.subtracting(.transient).isEmpty
    if isSpecial {
      throw .invalid(
        "\(name) is a composite: only its properties can be unique, indexed, a collection, or have "
          + "a default, validation, or options."
      )
      .hint("Put it on the properties.")
    }
    var names = UniqueNames(owner: name)
    try DepotError.each(attribute.properties, below: "/properties") {
      (property) throws(DepotError) in
      try names.insert(property.name, was: property.originalName, kind: "properties")
      try AttributeCheck(property, entity: name, depth: depth + 1).run()
    }
  }

  private func checkJSON() throws(DepotError) {
    if attribute.collection != nil {
      throw .invalid("\(name) is of type json and can't be a collection.")
        .hint("JSON has arrays of its own.").at("/collection")
    }
    if attribute.isUnique || attribute.isIndexed {
      throw .invalid("\(name) is of type json and can't be unique or indexed.")
        .hint("The store can't compare such values; add an attribute for the part that matters.")
        .at(attribute.isUnique ? "/unique" : "/indexed")
    }
  }

  private func checkCollection() throws(DepotError) {
    if !attribute.type.isScalar {
      throw .invalid("\(name) can't be a collection of \(attribute.type.rawValue).")
        .hint(
          "Elements are scalars: \(AttributeType.scalars.map(\.rawValue).joined(separator: ", "))."
        )
        .at("/collection")
    }
    if attribute.isUnique || attribute.isIndexed {
      throw .invalid("\(name) is a collection and can't be unique or indexed.")
        .hint("Use a to-many relationship, whose destination can be.")
        .at(attribute.isUnique ? "/unique" : "/indexed")
    }
  }
}

extension AttributeCheck {
  private func checkOptions() throws(DepotError) {
    let isPlain = attribute.collection == nil
    if has(.externalStorage) && !(isPlain && [.string, .data].contains(attribute.type)) {
      throw .invalid("\(name) can't be stored externally.")
        .hint("Only text and data can.").at("/externalStorage")
    }
    if has(.externalStorage) && (attribute.isUnique || attribute.isIndexed) {
      throw .invalid("\(name) is stored externally and can't be unique or indexed.")
        .hint("Leave one of the two out.").at("/externalStorage")
    }
    if has(.spotlight) && !(isPlain && attribute.type == .string) {
      throw .invalid("\(name) can't be searched for words.").hint("Only text can.").at("/spotlight")
    }
    if has(.spotlight) && has(.externalStorage) {
      throw .invalid("\(name) is stored externally and can't be searched for words.")
        .hint("Leave one of the two out.").at("/spotlight")
    }
    try checkUnstored(.transient, "transient", at: "/transient")
    try checkUnstored(.ephemeral, "ephemeral", at: "/ephemeral")
  }

  /// Checks an option of attributes whose values the store doesn't keep.
  private func checkUnstored(
    _ option: Attribute.Options,
    _ word: String,
    at pointer: String
  ) throws(DepotError) {
    guard has(option) else { return }
    if !attribute.isOptional && attribute.defaultValue == nil {
      throw .invalid("\(name) is \(word), but neither optional nor with a default.")
        .hint("A row that is read has no value for it.").at(pointer)
    }
    let others: Attribute.Options = [
      .externalStorage, .preserveValueOnDeletion, .spotlight,
      option == .transient ? .ephemeral : .transient,
    ]
    if attribute.isUnique || attribute.isIndexed || !attribute.options.isDisjoint(with: others)
      || attribute.derivation != nil
    {
      throw .invalid(
        "\(name) is \(word) and can't be unique, indexed, derived, or have other options."
      )
      .hint("The store doesn't keep its values.").at(pointer)
    }
  }

  private func checkDerivation() throws(DepotError) {
    guard let derivation = attribute.derivation else { return }
    if derivation.allSatisfy(\.isWhitespace) {
      throw .invalid("\(name) has an empty derivation.")
        .hint("Write an expression, as in \"items.@count\".").at("/derived")
    }
    do {
      _ = try PredicateParser.parseExpression(derivation)
    } catch {
      throw .invalid("The derivation of \(name) can't be read: \(error.message)")
        .hint(error.hint ?? "Write an expression, as in \"items.@count\".").at("/derived")
    }
    if depth > 0 || !attribute.type.isScalar || attribute.collection != nil {
      throw .invalid("\(name) can't be derived.")
        .hint("Only a scalar that isn't part of a composite can.").at("/derived")
    }
    if attribute.isUnique || attribute.defaultValue != nil {
      throw .invalid("\(name) is derived and can't be unique or have a default.")
        .hint("The store computes its values.").at(attribute.isUnique ? "/unique" : "/default")
    }
    if let width = attribute.width {
      throw .invalid("\(name) is derived and can't be of type \(width.rawValue).")
        .hint("Give it the type \(attribute.type.rawValue), in which the store computes.")
        .at("/type")
    }
    if !attribute.validation.isEmpty || has(.externalStorage) {
      throw .invalid("\(name) is derived and can't have rules or be stored externally.")
        .hint("Put the rules on the attributes that it is derived from.")
    }
  }
}
