internal import DepotProtocol
internal import FoundationEssentials

/// Translates the parts of a `SELECT` on the rows of an entity, with the alias `t0`.
///
/// Translate all parts before using ``source``, which has the joins that they need. Values are
/// always bound; names are taken from the layouts, which have checked them.
struct QueryCompiler {
  let catalog: Catalog
  let now: Date
  /// Whether a part can be slow even for one row, such as a regular expression.
  var isSlow = false
  /// The open scopes, from the outermost, of the entity's rows, to the innermost.
  var scopes: [QueryScope]
  /// The defined variables, the innermost last.
  var variables: [(name: String, term: QueryTerm)] = []
  let row: QueryObject
  /// The expression being translated, for messages.
  var subject = QueryExpression.variable("SELF")
  /// The full-text queries that rows can be ranked by, which are joined as tables of ranks.
  var searches: [QueryExpression] = []
  var rankAliases: [String] = []
  /// The number of translated attributes whose values may be large.
  var largeCount = 0
  private var aliasCount = 1

  init(_ layout: EntityLayout, in catalog: Catalog, now: Date) {
    self.catalog = catalog
    self.now = now
    scopes = [QueryScope(from: Fragment(sql: "\(layout.table) AS t0"))]
    row = QueryObject(
      layout: layout,
      identifier: Fragment(sql: "t0.id"),
      isNullable: false,
      scope: 0,
      rowSource: .alias("t0"),
      source: .variable("SELF")
    )
  }

  /// The `FROM` clause for the translated parts: the entity's table and the joined tables.
  var source: Fragment { scopes[0].source }

  /// Translates a predicate into a condition for `WHERE`, where NULL means false.
  mutating func filter(_ expression: QueryExpression) throws(DepotError) -> Fragment {
    try require(expression)
    searches += expression.searches
    let condition = try condition(expression, isFilter: true).fragment
    guard let range = rangeCondition(expression) else { return condition }
    return range + " AND " + condition.parenthesized
  }

  /// Translates a predicate into a condition that may be NULL instead of false.
  ///
  /// With `isFilter`, NULL must mean false where the condition is used; this allows forms that are
  /// better for indexes.
  mutating func condition(
    _ expression: QueryExpression,
    isFilter: Bool
  ) throws(DepotError) -> Condition {
    let outer = subject
    subject = expression
    defer { subject = outer }
    switch expression {
    case .and(let parts):
      return try junction(parts, "AND", ifEmpty: true, isFilter: isFilter)
    case .or(let parts):
      return try alternatives(parts, isFilter: isFilter)
    case .not(let part):
      return Condition("NOT " + (try condition(part, isFilter: false)).strict.parenthesized)
    case .comparison(let comparison, let left, let right, let options):
      return try self.comparison(comparison, left, right, options, isFilter: isFilter)
    case .text(let test, let text, let pattern, let options):
      return try self.text(test, text, pattern, options)
    case .between(let value, let low, let high):
      return try between(value, low, high)
    case .in(let value, let list, let options):
      return try membership(value, list, options, isFilter: isFilter)
    case .quantified(let quantifier, let collection, let name, let predicate):
      return try quantified(quantifier, collection, name, predicate)
    case .contains(let collection, let element):
      return try contains(collection, element)
    case .is(let part, let entity):
      return try kind(of: part, is: entity)
    case .search(let paths, let words):
      return try search(words, in: paths)
    default:
      var operand = try operand(expression)
      if operand.type == .json { operand = scalar(operand, as: .bool) }
      if operand.isNull { return .always(false) }
      guard operand.type == .bool, operand.root == nil else {
        throw invalid("This is of type \(operand.typeName), not true or false.")
      }
      return isFilter
        ? Condition(operand.fragment + " = 1", isNullable: operand.isNullable)
        : Condition(operand.fragment + " IS 1")
    }
  }

  mutating func junction(
    _ parts: [QueryExpression],
    _ word: String,
    ifEmpty: Bool,
    isFilter: Bool,
    _ translate: (inout QueryCompiler, QueryExpression) throws(DepotError) -> Condition? = {
      _,
      _ in nil
    }
  ) throws(DepotError) -> Condition {
    var fragments: [Fragment] = []
    var isNullable = false
    for part in parts {
      let condition =
        if let special = try translate(&self, part) { special } else {
          try condition(part, isFilter: isFilter)
        }
      isNullable = isNullable || condition.isNullable
      fragments.append(condition.fragment.parenthesized)
    }
    guard !fragments.isEmpty else { return .always(ifEmpty) }
    return Condition(.joined(fragments[...], by: word), isNullable: isNullable)
  }

  /// Returns an unused alias for a table.
  mutating func nextAlias() -> String {
    defer { aliasCount += 1 }
    return "t\(aliasCount)"
  }

  /// Calls `body` with another expression as the subject of messages.
  mutating func about<Result>(
    _ expression: QueryExpression,
    _ body: (inout QueryCompiler) throws(DepotError) -> Result
  ) throws(DepotError) -> Result {
    let outer = subject
    subject = expression
    defer { subject = outer }
    return try body(&self)
  }

  /// Returns the error for an invalid expression, or for the one being translated if `nil`.
  func invalid(_ message: String, in expression: QueryExpression? = nil) -> DepotError {
    DepotError(.predicate, "In \((expression ?? subject).spelling): \(message)")
  }

  // MARK: - Made of the expression that is being translated

  func makeConstant(_ value: Value) -> Operand { Operand(constant: value, source: subject) }

  func makeOperand(
    _ type: AttributeType?,
    _ fragment: Fragment,
    isNullable: Bool
  ) -> Operand {
    Operand(type: type, fragment, isNullable: isNullable, source: subject)
  }

  /// Returns an object of the innermost scope with an identifier, or a value if there is no entity.
  func makeTerm(
    _ layout: EntityLayout?,
    _ type: AttributeType?,
    _ value: Fragment,
    isNullable: Bool
  ) -> QueryTerm {
    guard let layout else { return .operand(makeOperand(type, value, isNullable: isNullable)) }
    return .object(
      QueryObject(
        layout,
        identifiedBy: value,
        isNullable: isNullable,
        scope: scopes.count - 1,
        source: subject
      )
    )
  }
}

extension Operand {
  var typeName: String { root.map { "\($0) (an object)" } ?? type?.rawValue ?? "null" }
}

extension QueryExpression {
  /// The expression as text for messages, truncated if it is long.
  var spelling: String {
    let text = shortened.jsonText
    return text.utf8.count > 200 ? text.prefix(200) + "…" : text
  }

  /// The expression with long texts truncated.
  private var shortened: QueryExpression {
    guard case .value(.string(let text)) = self, text.utf8.count > 200 else {
      return map(\.shortened)
    }
    return .value(.string(String(text.prefix(200))))
  }
}
