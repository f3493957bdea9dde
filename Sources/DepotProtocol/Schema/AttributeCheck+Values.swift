extension AttributeCheck {
  func checkBounds() throws(DepotError) {
    let (type, bounds) = (attribute.type, attribute.validation)
    let isPlain = attribute.collection == nil
    for (value, member) in [(bounds.minimum, "min"), (bounds.maximum, "max")] {
      guard let value else { continue }
      try refuse(
        !isPlain || ![.int64, .double, .decimal, .date].contains(type),
        "\(name) can't have a \(member).",
        "Only numbers and dates can.",
        at: "/\(member)"
      )
      try refuse(
        value.type != type || !value.isOrdered || attribute.width?.holds(value) == false,
        "The \(member) of \(name) is no \(attribute.typeName).",
        "Write a value that the attribute could have.",
        at: "/\(member)"
      )
    }
    if let least = bounds.minimum, let most = bounds.maximum {
      try refuse(most < least, "The min of \(name) is above its max.", "Swap them.", at: "/min")
    }
    try checkLengths()
    guard let pattern = bounds.pattern else { return }
    try refuse(
      !isPlain || ![.string, .url].contains(type),
      "\(name) can't have a pattern.",
      "Only text and URLs can.",
      at: "/pattern"
    )
    do throws(PatternFailure) {
      _ = try TextPattern(pattern)
    } catch {
      try refuse(
        true,
        "The pattern of \(name) isn't a regular expression: \(error.message)",
        error.hint ?? "Look for brackets that aren't closed and for a backslash at the end.",
        at: "/pattern"
      )
    }
  }

  private func checkLengths() throws(DepotError) {
    let bounds = attribute.validation
    for (value, member) in [(bounds.minLength, "minLength"), (bounds.maxLength, "maxLength")] {
      guard let value else { continue }
      try refuse(
        attribute.collection == nil && ![.string, .url, .data].contains(attribute.type),
        "\(name) can't have a \(member).",
        "Only text, URLs, data, and collections can.",
        at: "/\(member)"
      )
      try refuse(
        value < 0,
        "The \(member) of \(name) is negative.",
        "Write 0 or more.",
        at: "/\(member)"
      )
    }
    if let least = bounds.minLength, let most = bounds.maxLength {
      try refuse(
        most < least,
        "The minLength of \(name) is above its maxLength.",
        "Swap them.",
        at: "/minLength"
      )
    }
  }

  func checkCases() throws(DepotError) {
    let cases = attribute.validation.cases
    try refuse(
      !cases.isEmpty && !attribute.type.isScalar,
      "\(name) can't have cases.",
      "Only scalars and collections of them can.",
      at: "/cases"
    )
    for (index, value) in cases.enumerated() {
      try refuse(
        value.type != attribute.type || attribute.width?.holds(value) == false,
        "A case of \(name) is no \(attribute.typeName).",
        "Write values that the attribute could have.",
        at: "/cases/\(index)"
      )
      try refuse(
        cases[..<index].contains { $0.isIdentical(to: value) },
        "\(name) has a case twice.",
        "Leave one of them out.",
        at: "/cases/\(index)"
      )
    }
  }

  func checkDefault() throws(DepotError) {
    guard let value = attribute.defaultValue else { return }
    if value.isNull {
      return try refuse(
        !attribute.isOptional,
        "\(name) can't be null by default.",
        "Make it optional or give another default.",
        at: "/default"
      )
    }
    let problem = attribute.problem(with: value)
    try refuse(
      problem != nil,
      "The default of \(name) \(problem ?? "").",
      "Give another default, or change what the attribute allows.",
      at: "/default"
    )
  }
}
