/// The check of one attribute, without regard to others.
struct AttributeCheck {
  let attribute: Attribute
  /// The attribute's name for people: `Trip.home.city`.
  let name: String
  /// How many composites the attribute is in.
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
    } else {
      try refuse(
        !attribute.properties.isEmpty,
        "\(name) has properties, but is no composite.",
        "Give it the type \"composite\".",
        at: "/properties"
      )
    }
    if attribute.type == .json { try checkJSON() }
    if attribute.collection != nil { try checkCollection() }
    try checkOptions()
    try checkDerivation()
    try checkBounds()
    try checkCases()
    try checkDefault()
  }

  /// Throws `schema.invalid` if something is wrong.
  func refuse(
    _ isWrong: Bool,
    _ problem: @autoclosure () -> String,
    _ hint: @autoclosure () -> String,
    at pointer: String = ""
  ) throws(DepotError) {
    guard isWrong else { return }
    throw DepotError(.invalidSchema, problem()).hint(hint()).at(pointer)
  }

  private func has(_ option: Attribute.Options) -> Bool { attribute.options.contains(option) }
}

extension AttributeCheck {
  private static let depthLimit = 4

  private func checkWidth() throws(DepotError) {
    guard let width = attribute.width else { return }
    try refuse(
      attribute.type != width.type,
      "\(name) is of type \(attribute.type.rawValue) and can't have the width \(width.rawValue).",
      "Such numbers are of type \(width.type.rawValue).",
      at: "/type"
    )
  }

  private func checkComposite() throws(DepotError) {
    try refuse(
      attribute.properties.isEmpty,
      "\(name) is a composite without properties.",
      "List the attributes that it consists of.",
      at: "/properties"
    )
    try refuse(
      depth >= Self.depthLimit,
      "\(name) is nested deeper than \(Self.depthLimit) composites.",
      "Use a relationship to an entity of its own."
    )
    let isSpecial =
      attribute.isUnique || attribute.isIndexed || attribute.collection != nil
      || attribute.defaultValue != nil || !attribute.validation.isEmpty
      || !attribute.options.subtracting(.transient).isEmpty
    try refuse(
      isSpecial,
      "\(name) is a composite: only its properties can be unique, indexed, a collection, or have "
        + "a default, validation, or options.",
      "Put it on the properties."
    )
    var names = UniqueNames(owner: name)
    for (index, property) in attribute.properties.enumerated() {
      try DepotError.inside("/properties/\(index)") { () throws(DepotError) in
        try names.insert(property.name, was: property.originalName, kind: "properties")
        try AttributeCheck(property, entity: name, depth: depth + 1).run()
      }
    }
  }

  private func checkJSON() throws(DepotError) {
    try refuse(
      attribute.collection != nil,
      "\(name) is of type json and can't be a collection.",
      "JSON has arrays of its own.",
      at: "/collection"
    )
    try refuse(
      attribute.isUnique || attribute.isIndexed,
      "\(name) is of type json and can't be unique or indexed.",
      "The store can't compare such values; add an attribute for what matters.",
      at: attribute.isUnique ? "/unique" : "/indexed"
    )
  }

  private func checkCollection() throws(DepotError) {
    try refuse(
      !attribute.type.isScalar,
      "\(name) can't be a collection of \(attribute.type.rawValue).",
      "Elements are scalars: \(AttributeType.scalars.map(\.rawValue).joined(separator: ", ")).",
      at: "/collection"
    )
    try refuse(
      attribute.isUnique || attribute.isIndexed,
      "\(name) is a collection and can't be unique or indexed.",
      "Use a to-many relationship, whose destination can be.",
      at: attribute.isUnique ? "/unique" : "/indexed"
    )
  }
}

extension AttributeCheck {
  private func checkOptions() throws(DepotError) {
    let isPlain = attribute.collection == nil
    try refuse(
      has(.externalStorage) && !(isPlain && [.string, .data].contains(attribute.type)),
      "\(name) can't be stored externally.",
      "Only text and data can.",
      at: "/externalStorage"
    )
    try refuse(
      has(.externalStorage) && (attribute.isUnique || attribute.isIndexed),
      "\(name) is stored externally and can't be unique or indexed.",
      "Leave one of the two out.",
      at: "/externalStorage"
    )
    try refuse(
      has(.spotlight) && !(isPlain && attribute.type == .string),
      "\(name) can't be searched for words.",
      "Only text can.",
      at: "/spotlight"
    )
    try refuse(
      has(.spotlight) && has(.externalStorage),
      "\(name) is stored externally and can't be searched for words.",
      "Leave one of the two out.",
      at: "/spotlight"
    )
    try checkUnstored(.transient, "transient", at: "/transient")
    try checkUnstored(.ephemeral, "ephemeral", at: "/ephemeral")
  }

  /// Checks an option with which the store has no value of the attribute.
  private func checkUnstored(
    _ option: Attribute.Options,
    _ word: String,
    at pointer: String
  ) throws(DepotError) {
    guard has(option) else { return }
    try refuse(
      !attribute.isOptional && attribute.defaultValue == nil,
      "\(name) is \(word), but neither optional nor with a default.",
      "A row that is read has no value for it.",
      at: pointer
    )
    let others: Attribute.Options = [
      .externalStorage, .preserveValueOnDeletion, .spotlight,
      option == .transient ? .ephemeral : .transient,
    ]
    try refuse(
      attribute.isUnique || attribute.isIndexed || !attribute.options.isDisjoint(with: others)
        || attribute.derivation != nil,
      "\(name) is \(word) and can't be unique, indexed, derived, or have other options.",
      "The store doesn't keep its values.",
      at: pointer
    )
  }

  private func checkDerivation() throws(DepotError) {
    guard let derivation = attribute.derivation else { return }
    try refuse(
      derivation.allSatisfy(\.isWhitespace),
      "\(name) has an empty derivation.",
      "Write an expression, as in \"items.@count\".",
      at: "/derived"
    )
    do {
      _ = try PredicateParser.parseExpression(derivation)
    } catch {
      throw DepotError(.invalidSchema, "The derivation of \(name) can't be read: \(error.message)")
        .hint(error.hint ?? "Write an expression, as in \"items.@count\".").at("/derived")
    }
    try refuse(
      depth > 0 || !attribute.type.isScalar || attribute.collection != nil,
      "\(name) can't be derived.",
      "Only a scalar that isn't part of a composite can.",
      at: "/derived"
    )
    try refuse(
      attribute.isUnique || attribute.defaultValue != nil,
      "\(name) is derived and can't be unique or have a default.",
      "The store computes its values.",
      at: attribute.isUnique ? "/unique" : "/default"
    )
    try refuse(
      attribute.width != nil,
      "\(name) is derived and can't be of type \(attribute.width?.rawValue ?? "").",
      "Give it the type \(attribute.type.rawValue), in which the store computes.",
      at: "/type"
    )
    try refuse(
      !attribute.validation.isEmpty || has(.externalStorage),
      "\(name) is derived and can't have rules or be stored externally.",
      "Put the rules on what it is derived from."
    )
  }
}
