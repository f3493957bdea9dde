extension AttributeCheck {
  func checkBounds() throws(DepotError) {
    let (type, bounds) = (attribute.type, attribute.validation)
    let isPlain = attribute.collection == nil
    for (value, member) in [(bounds.minimum, "min"), (bounds.maximum, "max")] {
      guard let value else { continue }
      if !isPlain || !type.isMeasure {
        throw .invalid("\(name) can't have a \(member).")
          .hint("Only numbers and dates can.").at("/\(member)")
      }
      if value.type != type || !value.isOrdered || attribute.width?.holds(value) == false {
        throw .invalid("The \(member) of \(name) is no \(attribute.typeName).")
          .hint("Write a value that the attribute could have.").at("/\(member)")
      }
    }
    if let least = bounds.minimum, let most = bounds.maximum, most < least {
      throw .invalid("The min of \(name) is above its max.").hint("Swap them.").at("/min")
    }
    try checkLengths()
    guard let pattern = bounds.pattern else { return }
    if !isPlain || ![.string, .url].contains(type) {
      throw .invalid("\(name) can't have a pattern.").hint("Only text and URLs can.").at("/pattern")
    }
    do throws(PatternFailure) {
      _ = try TextPattern(pattern)
    } catch {
      throw .invalid("The pattern of \(name) isn't a regular expression: \(error.message)")
        .hint(error.hint ?? "Look for brackets that aren't closed and for a backslash at the end.")
        .at("/pattern")
    }
  }

  private func checkLengths() throws(DepotError) {
    let bounds = attribute.validation
    for (value, member) in [(bounds.minLength, "minLength"), (bounds.maxLength, "maxLength")] {
      guard let value else { continue }
      if attribute.collection == nil && ![.string, .url, .data].contains(attribute.type) {
        throw .invalid("\(name) can't have a \(member).")
          .hint("Only text, URLs, data, and collections can.").at("/\(member)")
      }
      if value < 0 {
        throw .invalid("The \(member) of \(name) is negative.")
          .hint("Write 0 or more.").at("/\(member)")
      }
    }
    if let least = bounds.minLength, let most = bounds.maxLength, most < least {
      throw .invalid("The minLength of \(name) is above its maxLength.")
        .hint("Swap them.").at("/minLength")
    }
  }

  func checkCases() throws(DepotError) {
    let cases = attribute.validation.cases
    if !cases.isEmpty && !attribute.type.isScalar {
      throw .invalid("\(name) can't have cases.")
        .hint("Only scalars and collections of them can.").at("/cases")
    }
    var seen: [Int: [Value]] = [:]
    for (index, value) in cases.enumerated() {
      if value.type != attribute.type || attribute.width?.holds(value) == false {
        throw .invalid("A case of \(name) is no \(attribute.typeName).")
          .hint("Write values that the attribute could have.").at("/cases/\(index)")
      }
      if seen[value.hashValue]?.contains(where: { $0.isIdentical(to: value) }) == true {
        throw .invalid("\(name) has a case twice.")
          .hint("Leave one of them out.").at("/cases/\(index)")
      }
      seen[value.hashValue, default: []].append(value)
    }
  }

  func checkDefault() throws(DepotError) {
    guard let value = attribute.defaultValue else { return }
    if value.isNull {
      guard !attribute.isOptional else { return }
      throw .invalid("\(name) can't be null by default.")
        .hint("Make it optional or give another default.").at("/default")
    }
    if let problem = attribute.problem(with: value) {
      throw .invalid("The default of \(name) \(problem).")
        .hint("Give another default, or change the attribute's rules.").at("/default")
    }
  }
}
