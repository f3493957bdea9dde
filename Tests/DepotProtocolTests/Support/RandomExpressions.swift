import DepotProtocol

extension SeededGenerator {
  /// Returns a tree of at most `depth` levels.
  mutating func expression(depth: Int) -> QueryExpression {
    guard depth > 1, !once(in: 6) else { return leaf() }
    let next = depth - 1
    switch Int.random(in: 0..<9, using: &self) {
    case 0: return .and(list(depth: next))
    case 1: return .or(list(depth: next))
    case 2: return .not(expression(depth: next))
    case 3: return .negate(expression(depth: next))
    case 4:
      let comparison = pick(QueryExpression.Comparison.allCases)
      let (left, right) = (expression(depth: next), expression(depth: next))
      return .comparison(comparison, left, right, options: options())
    case 5:
      let test = pick(QueryExpression.TextTest.allCases)
      return .text(
        test,
        expression(depth: next),
        expression(depth: next),
        options: options()
      )
    case 6:
      return .between(
        expression(depth: next),
        expression(depth: next),
        expression(depth: next)
      )
    case 7:
      var parts = list(depth: next)
      if once(in: 3) { parts = [expression(depth: next)] }
      return .in(expression(depth: next), parts, options: options())
    default:
      let arithmetic = pick(QueryExpression.Arithmetic.allCases)
      return .arithmetic(arithmetic, expression(depth: next), expression(depth: next))
    }
  }

  private mutating func leaf() -> QueryExpression {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: .now
    case 1:
      .attribute(
        pick(["name", "$id", "$version", "and", "NOT", "true", "self", "any", "_x9", "size", "now"])
      )
    default: .value(value())
    }
  }

  /// Returns none, two, or three predicates; a list of one has no text of its own.
  private mutating func list(depth: Int) -> [QueryExpression] {
    let count = pick([0, 2, 2, 3])
    return (0..<count).map { _ in expression(depth: depth) }
  }

  private mutating func options() -> QueryExpression.TextOptions {
    pick([[], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]])
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
