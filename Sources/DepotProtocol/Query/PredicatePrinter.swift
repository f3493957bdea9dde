internal import FoundationEssentials

/// A writer of predicates in Core Data's format language.
public enum PredicatePrinter {
  /// Returns the canonical text, which ``PredicateParser`` reads as the same tree.
  ///
  /// Only a list of one predicate, which says nothing of its own, becomes that predicate.
  public static func text(_ expression: QueryExpression) -> String {
    text(expression, .or)
  }

  private static func text(_ expression: QueryExpression, _ minimum: PredicateLevel) -> String {
    switch expression {
    case .and(let parts) where parts.count == 1, .or(let parts) where parts.count == 1:
      return text(parts[0], minimum)
    default:
      let text = bare(expression)
      return level(expression) < minimum ? "(\(text))" : text
    }
  }

  private static func level(_ expression: QueryExpression) -> PredicateLevel {
    switch expression {
    case .or(let parts): parts.isEmpty ? .primary : .or
    case .and(let parts): parts.isEmpty ? .primary : .and
    case .not: .not
    case .comparison, .text, .between, .in: .comparison
    case .arithmetic(let arithmetic, _, _): PredicateOperator.arithmetic(arithmetic).level
    case .negate: .prefix
    case .value(let value): isNegativeNumber(value) ? .prefix : .primary
    case .attribute, .now: .primary
    default: .primary
    }
  }

  private static func isNegativeNumber(_ value: Value) -> Bool {
    switch value {
    case .int64(let number): number < 0
    case .double(let number): number.isFinite && number.sign == .minus
    default: false
    }
  }

  private static func bare(_ expression: QueryExpression) -> String {
    switch expression {
    case .value(let value): literal(value)
    case .attribute(let name): attribute(name)
    case .now: "now()"
    case .comparison(let comparison, let left, let right, let options):
      binary(left, comparison.rawValue + letters(options), right)
    case .text(let test, let left, let right, let options):
      binary(left, word(test) + letters(options), right)
    case .between(let value, let low, let high):
      "\(text(value, .sum)) BETWEEN {\(text(low)), \(text(high))}"
    case .in(let value, let list, let options):
      "\(text(value, .sum)) IN\(letters(options)) {\(list.map { text($0) }.joined(separator: ", "))}"
    case .and(let parts):
      parts.isEmpty ? "TRUEPREDICATE" : parts.map { text($0, .not) }.joined(separator: " AND ")
    case .or(let parts):
      parts.isEmpty ? "FALSEPREDICATE" : parts.map { text($0, .and) }.joined(separator: " OR ")
    case .not(let part): "NOT \(text(part, .not))"
    case .arithmetic(let arithmetic, let left, let right):
      self.arithmetic(arithmetic, left, right)
    case .negate(let part): negated(part)
    default: ""
    }
  }

  private static func binary(
    _ left: QueryExpression,
    _ sign: String,
    _ right: QueryExpression
  ) -> String {
    "\(text(left, .sum)) \(sign) \(text(right, .sum))"
  }

  private static func arithmetic(
    _ arithmetic: QueryExpression.Arithmetic,
    _ left: QueryExpression,
    _ right: QueryExpression
  ) -> String {
    let level = PredicateOperator.arithmetic(arithmetic).level
    return "\(text(left, level)) \(arithmetic.rawValue) \(text(right, level.tighter))"
  }

  private static func negated(_ part: QueryExpression) -> String {
    // A minus directly before a number would become part of it.
    switch part {
    case .value(.int64(let number)) where number >= 0: "-(\(text(part)))"
    case .value(.double(let number)) where number.isFinite && number.sign == .plus:
      "-(\(text(part)))"
    default: "-\(text(part, .prefix))"
    }
  }

  private static func letters(_ options: QueryExpression.TextOptions) -> String {
    options.isEmpty ? "" : "[\(options.letters)]"
  }

  private static func word(_ test: QueryExpression.TextTest) -> String {
    switch test {
    case .contains: "CONTAINS"
    case .begins: "BEGINSWITH"
    case .ends: "ENDSWITH"
    case .like: "LIKE"
    case .matches: "MATCHES"
    }
  }

  private static func attribute(_ name: String) -> String {
    PredicateAdvice.reserved.contains(name.uppercased()) ? "#\(name)" : name
  }

  private static func literal(_ value: Value) -> String {
    switch value {
    case .null: return "NULL"
    case .bool(let value): return value ? "TRUE" : "FALSE"
    case .double(let number) where !number.isFinite: break
    case .int64, .double, .string: return json(value)
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      let text = json(value)
      return PredicateCast.text(text.hasPrefix("\"") ? text : json(.double(seconds)), .date)
    default: break
    }
    return PredicateCast.text(json(value), value.type ?? .string)
  }

  /// JSON's strings and numbers are the language's too.
  private static func json(_ value: Value) -> String {
    var writer = JSONWriter()
    writer.write(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
