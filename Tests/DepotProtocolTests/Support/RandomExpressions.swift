import DepotProtocol
import TestSupport

extension SeededGenerator {
  /// Returns a tree of at most `depth` levels, with any case of the tree at any place; `scope` is what
  /// the enclosing quantifiers and filters call their elements.
  mutating func expression(depth: Int, scope: [String] = []) -> QueryExpression {
    guard depth > 1, !once(in: 6) else { return leaf(scope) }
    let next = depth - 1
    switch Int.random(in: 0..<24, using: &self) {
    case 0: return .and(list(depth: next, scope))
    case 1: return .or(list(depth: next, scope))
    case 2: return .not(expression(depth: next, scope: scope))
    case 3: return .negate(expression(depth: next, scope: scope))
    case 4...9: return comparison(of: expression(depth: next, scope: scope), next, scope)
    case 10, 11:
      let arithmetic = pick(QueryExpression.Arithmetic.allCases)
      let left = expression(depth: next, scope: scope)
      return .arithmetic(arithmetic, left, expression(depth: next, scope: scope))
    case 12: return .member(expression(depth: next, scope: scope), path())
    case 13: return .cast(expression(depth: next, scope: scope), entity: name())
    case 14:
      if once(in: 3) {
        return .narrow(expression(depth: next, scope: scope), pick(NumberWidth.allCases))
      }
      return .convert(expression(depth: next, scope: scope), pick(AttributeType.scalars))
    case 15:
      return .conditional(
        expression(depth: next, scope: scope),
        expression(depth: next, scope: scope),
        expression(depth: next, scope: scope)
      )
    case 16:
      return .coalesce(
        [expression(depth: next, scope: scope)] + list(depth: next, scope)
      )
    case 17, 18:
      let function = pick(QueryExpression.Function.allCases)
      let arguments = (0..<function.arity).map { _ in expression(depth: next, scope: scope) }
      return .function(function, arguments)
    case 19, 20: return quantified(depth: next, scope)
    case 21:
      let name = elementName(scope)
      let predicate = expression(depth: next, scope: scope + [name])
      return .filtered(collection(depth: next, scope), name, predicate)
    case 22:
      return .aggregate(pick(QueryExpression.Aggregate.allCases), collection(depth: next, scope))
    default:
      let lower = Int.random(in: 0..<5, using: &self)
      let base = collection(depth: next, scope)
      return once(in: 2)
        ? .element(base, pick([0, -1, 1, -2, 10, .max]))
        : .slice(base, lower..<(lower + Int.random(in: 0..<3, using: &self)))
    }
  }

  private mutating func comparison(
    of left: QueryExpression,
    _ depth: Int,
    _ scope: [String]
  ) -> QueryExpression {
    switch Int.random(in: 0..<8, using: &self) {
    case 0...2:
      let comparison = pick(QueryExpression.Comparison.allCases)
      let right = expression(depth: depth, scope: scope)
      return .comparison(comparison, left, right, options: options())
    case 3:
      let test = pick(QueryExpression.TextTest.allCases)
      return .text(test, left, expression(depth: depth, scope: scope), options: options())
    case 4:
      let low = expression(depth: depth, scope: scope)
      return .between(left, low, expression(depth: depth, scope: scope))
    case 5:
      var parts = list(depth: depth, scope)
      if once(in: 3) { parts = [expression(depth: depth, scope: scope)] }
      if once(in: 3) { parts = constants().map(QueryExpression.value) }
      return .in(left, parts, options: options())
    case 6: return .is(left, entity: name())
    default: return .contains(collection(depth: depth, scope), left)
    }
  }

  private mutating func quantified(depth: Int, _ scope: [String]) -> QueryExpression {
    let quantifier = pick(QueryExpression.Quantifier.allCases)
    let collection = collection(depth: depth, scope)
    let name = elementName(scope)
    let inner = scope + [name]
    // Half of them are what ANY, ALL, and NONE say before a comparison.
    let predicate =
      once(in: 2)
      ? comparison(of: .variable(name), max(1, depth - 1), inner)
      : expression(depth: depth, scope: inner)
    return .quantified(quantifier, collection, name, predicate)
  }

  private mutating func elementName(_ scope: [String]) -> String {
    if once(in: 4) { return pick(["x", "item", "_1", "and", "ID", "#1", "#2", "#7", "self"]) }
    return KeyPathSyntax.generatedVariable(in: scope)
  }

  private mutating func collection(depth: Int, _ scope: [String]) -> QueryExpression {
    if once(in: 8) { return listed(depth: depth, scope) }
    let expression = expression(depth: depth, scope: scope)
    return expression.isScalarConstant ? .value(.list(constants())) : expression
  }

  /// Returns a list of expressions, of which one isn't a constant at least.
  private mutating func listed(depth: Int, _ scope: [String]) -> QueryExpression {
    var parts = (0..<Int.random(in: 0..<3, using: &self)).map { _ in
      expression(depth: depth, scope: scope)
    }
    parts.removeAll { part in
      switch part {
      case .list, .value(.list): true
      default: false
      }
    }
    return .list(([.attribute(path())] + parts).shuffled(using: &self))
  }

  private mutating func leaf(_ scope: [String]) -> QueryExpression {
    switch Int.random(in: 0..<9, using: &self) {
    case 0: .now
    case 1...3: .attribute(path())
    case 4: .variable(pick(scope + ["SELF"]))
    case 5: .search((0..<Int.random(in: 0..<3, using: &self)).map { _ in path() }, string())
    case 6: .value(.list(constants()))
    default: .value(constant())
    }
  }

  private mutating func constant() -> Value {
    once(in: 12) ? .json(pick(["[]", "{\"a\":[1,\"x\"]}", "\"x\"", "1.5", "true"])) : value()
  }

  /// Returns constants of any types, or often of one.
  private mutating func constants() -> [Value] {
    let count = Int.random(in: 0..<4, using: &self)
    switch Int.random(in: 0..<4, using: &self) {
    case 0: return (0..<count).map { _ in .double(double()) }
    case 1: return (0..<count).map { _ in once(in: 4) ? .null : .uuid(uuid()) }
    case 2: return (0..<count).map { _ in .int64(int64()) }
    default: return (0..<count).map { _ in constant() }
    }
  }

  private mutating func name() -> String {
    if once(in: 5) { return unicodeName() }
    return pick([
      "name", "and", "NOT", "true", "self", "any", "_x9", "size", "now", "is", "as", "text", "TEXT",
      "first", "SUBQUERY", "count", "Trip", "IN", "null",
    ])
  }

  private mutating func path() -> String {
    if once(in: 6) { return pick(["$id", "$version", "$entity"]) }
    var steps = (0..<pick([1, 1, 2, 3])).map { _ in name() }
    if once(in: 8) { steps.append(pick(["$id", "$version", "$entity"])) }
    return steps.joined(separator: ".")
  }

  /// Returns none, two, or three predicates; a list of one has no text of its own.
  private mutating func list(depth: Int, _ scope: [String]) -> [QueryExpression] {
    (0..<pick([0, 2, 2, 3])).map { _ in expression(depth: depth, scope: scope) }
  }

  private mutating func options() -> QueryExpression.TextOptions {
    QueryExpression.TextOptions(
      rawValue: once(in: 2) ? 0 : Int.random(in: 0..<16, using: &self)
    )
  }
}

extension QueryExpression {
  /// The JSON form, which tells trees apart to the bit where `==` doesn't.
  var json: String {
    var writer = JSONWriter()
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
