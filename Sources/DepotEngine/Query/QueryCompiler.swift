internal import DepotProtocol
internal import FoundationEssentials

/// One `SELECT` about the rows of an entity, called `t0`, while its parts are being translated.
///
/// Translate all parts first, and then ask for ``source``, which has the joins that they need.
/// Values are always bound; names come from the layouts, which have checked them.
struct QueryCompiler {
  let catalog: Catalog
  let now: Date
  /// Whether a part can take long even for one row, as regular expressions can.
  var isSlow = false
  /// The open scopes: first the scope of the rows, then each scope inside the one before.
  var scopes: [QueryScope]
  /// The meanings of the variables, the innermost last.
  var variables: [(name: String, term: QueryTerm)] = []
  let row: QueryObject
  /// The expression that is being translated, which messages are about.
  var subject = QueryExpression.variable("SELF")
  /// The full-text queries that rows can be ranked by, and the tables with the ranks.
  var searches: [QueryExpression] = []
  var rankAliases: [String] = []
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
      place: .alias("t0"),
      source: .variable("SELF")
    )
  }

  /// The `FROM` clause of the parts: the entity's table and the joined ones.
  var source: Fragment { scopes[0].source }

  /// Translates a predicate into a condition for `WHERE`, whose NULL counts as false.
  mutating func filter(_ expression: QueryExpression) throws(DepotError) -> Fragment {
    try require(expression)
    searches += expression.searches
    let condition = try condition(expression, isFilter: true).fragment
    guard let range = rangeCondition(expression) else { return condition }
    return range + " AND " + condition.parenthesized
  }

  /// Translates a part that is true or false into a condition that may be NULL in place of false.
  ///
  /// NULL must count as false where the result is used for `isFilter`, which allows forms that
  /// indexes serve better.
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

  /// Returns a name for a table that no other has.
  mutating func nextAlias() -> String {
    defer { aliasCount += 1 }
    return "t\(aliasCount)"
  }

  /// Translates with an expression as the one that messages are about.
  mutating func about<Result>(
    _ expression: QueryExpression,
    _ body: (inout QueryCompiler) throws(DepotError) -> Result
  ) throws(DepotError) -> Result {
    let outer = subject
    subject = expression
    defer { subject = outer }
    return try body(&self)
  }

  /// Returns the error that an expression, the one that is being translated if `nil`, is wrong.
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

  /// Returns an object of the innermost scope that is known by its identifier, or a value if there is no
  /// entity.
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
  /// The expression as text for messages, cut if it is long.
  var spelling: String {
    let text = JSONWriter.text { $0.write(shortened) }
    return text.utf8.count > 200 ? text.prefix(200) + "…" : text
  }

  /// The expression with long texts cut.
  private var shortened: QueryExpression {
    guard case .value(.string(let text)) = self, text.utf8.count > 200 else {
      return map(\.shortened)
    }
    return .value(.string(String(text.prefix(200))))
  }
}
