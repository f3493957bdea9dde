internal import DepotProtocol

/// Translates quantifiers, `ANY`, `ALL`, `NONE`, and tests for an element.
extension QueryCompiler {
  /// Translates whether any, all, or none of the elements satisfy a predicate.
  mutating func quantified(
    _ quantifier: QueryExpression.Quantifier,
    _ collection: QueryExpression,
    _ name: String,
    _ predicate: QueryExpression
  ) throws(DepotError) -> Condition {
    let opened = try open(collection)
    let isAll = quantifier == .all
    var condition = try with(name, opened.element) { (compiler) throws(DepotError) in
      let condition = try compiler.condition(predicate, isFilter: !isAll)
      if !isAll { try compiler.require(predicate) }
      return isAll ? "NOT " + condition.strict.parenthesized : condition.fragment
    }
    if predicate == .and([]) { condition = isAll ? .false : .true }
    let hasIndex =
      isSelective(predicate, about: name, opened.element)
      && predicate.isAbout(name) && collection.isPathOfOwner
    let exists = exists(opened, and: condition, isIndependent: hasIndex && !isAll)
    return quantifier == .any ? exists : Condition("NOT " + exists.strict.parenthesized)
  }

  /// Closes a collection and translates whether some element satisfies a condition.
  ///
  /// It is NULL instead of false if the owner may be missing. With `isIndependent`, the condition
  /// concerns only the element, and an index finds the few elements that satisfy it; they are
  /// searched once, instead of once for each object.
  mutating func exists(
    _ opened: OpenCollection,
    and condition: Fragment?,
    isIndependent: Bool
  ) -> Condition {
    guard isIndependent, let link = opened.link else {
      return Condition("EXISTS (" + close(opened, .true, and: condition) + ")")
    }
    var independent = opened
    independent.link = nil
    scopes[scopes.count - 1].conditions.append(link.near + " IS NOT NULL")
    let select = close(independent, link.near, and: condition)
    return Condition(link.owner + " IN (" + select + ")", isNullable: true)
  }

  /// Translates whether a collection contains a value.
  mutating func contains(
    _ collection: QueryExpression,
    _ element: QueryExpression,
    options: QueryExpression.TextOptions = []
  ) throws(DepotError) -> Condition {
    let options = options.effective
    if case .value(.list(let values)) = collection {
      return try membership(element, values.map(QueryExpression.value), options, isFilter: false)
    }
    var wanted = try operand(element)
    let opened = try open(collection)
    guard var found = opened.operand else {
      throw invalid("Its elements can't be compared.", in: collection)
    }
    if options.isEmpty {
      try unify(&found, &wanted)
    } else {
      found = try folded(found, options)
      wanted = try folded(wanted, options)
    }
    let condition = equality(found, wanted, isFilter: true)
    var isObject = false
    if case .object(let object) = opened.element { isObject = !object.isNullable }
    return exists(
      opened,
      and: condition.fragment,
      isIndependent: isObject && wanted.isConstant && collection.isPathOfOwner
    )
  }

  /// Translates a comparison of a count with a constant as a test for any element, if possible.
  mutating func emptiness(
    _ comparison: QueryExpression.Comparison,
    _ left: QueryExpression,
    _ right: QueryExpression
  ) throws(DepotError) -> Condition? {
    guard case .aggregate(.count, let collection) = left, case .value(.int64(let number)) = right
    else { return nil }
    let isAny: Bool
    switch (comparison, number) {
    case (.greater, 0), (.greaterOrEqual, 1), (.notEqual, 0): isAny = true
    case (.equal, 0), (.lessOrEqual, 0), (.less, 1): isAny = false
    default: return nil
    }
    if case .collection(.list) = try term(collection) { return nil }
    let opened = try open(collection)
    let exists = exists(opened, and: nil, isIndependent: false)
    return isAny ? exists : Condition("NOT " + exists.fragment.parenthesized)
  }

  /// Returns whether an index finds the few elements that satisfy a predicate.
  func isSelective(
    _ predicate: QueryExpression,
    about name: String,
    _ element: QueryTerm
  ) -> Bool {
    switch predicate {
    case .and(let parts):
      return parts.contains { isSelective($0, about: name, element) }
    case .or(let parts):
      return !parts.isEmpty && parts.allSatisfy { isSelective($0, about: name, element) }
    case .comparison(.equal, let part, .value(let value), let options),
      .comparison(.equal, .value(let value), let part, let options):
      return options.isEmpty && !value.isNull && isIndexed(part, about: name, element)
    case .in(let part, let list, let options):
      let isConstant = list.allSatisfy { if case .value = $0 { true } else { false } }
      return options.isEmpty && isConstant && isIndexed(part, about: name, element)
    default:
      return false
    }
  }

  /// Returns whether an index finds elements by a part of the predicate.
  private func isIndexed(
    _ part: QueryExpression,
    about name: String,
    _ element: QueryTerm
  ) -> Bool {
    guard case .object(let object) = element else { return false }
    switch part {
    case .variable(name): return true
    case .member(.variable(name), let path): return isIndexed(path, of: object.layout)
    default: return false
    }
  }

  private func isIndexed(_ path: String, of layout: EntityLayout) -> Bool {
    if path == "$id" { return true }
    let steps = path.split(separator: ".", maxSplits: 1).map(String.init)
    if let first = steps.first, let relationship = layout.relationship(first) {
      guard !relationship.relationship.isToMany else { return false }
      guard steps.count > 1 else { return true }
      guard let next = try? catalog.layout(of: relationship.destination) else { return false }
      return isIndexed(steps[1], of: next)
    }
    guard let position = layout.position(of: path) else { return false }
    let field = layout.fields[position]
    let owner = catalog.schema[field.owner]
    return field.attribute.isIndexed || field.attribute.isUnique
      || owner?.indexes.contains { $0.first == path } == true
      || owner?.uniques.contains { $0.first == path } == true
  }
}

extension QueryExpression {
  /// Whether the expression is a conjunction of comparisons of one variable with constants.
  fileprivate func isAbout(_ name: String) -> Bool {
    switch self {
    case .value, .now, .variable(name), .member(.variable(name), _): true
    case .and, .or, .not, .negate, .comparison, .text, .arithmetic, .between, .in:
      children.allSatisfy { $0.isAbout(name) }
    default: false
    }
  }

  /// Whether the expression is the path of a collection, without conditions on other objects.
  fileprivate var isPathOfOwner: Bool {
    switch self {
    case .attribute, .member(.variable, _): true
    default: false
    }
  }
}
