/// A writer of expressions in Core Data's format language.
public enum PredicatePrinter {
  /// Returns the canonical text, which ``PredicateParser`` reads as the same tree.
  ///
  /// A list of one predicate is written as that predicate.
  public static func text(_ expression: QueryExpression) -> String {
    PredicateWriter(scope: [], hidesValues: false).text(expression)
  }

  /// Returns the text with a question mark for each value, and a single one for a list of values.
  ///
  /// It tells which paths are compared and how, but shows no stored value.
  package static func shape(_ expression: QueryExpression) -> String {
    PredicateWriter(scope: [], hidesValues: true).text(expression)
  }
}

/// A writer of expressions within quantifiers and filters.
struct PredicateWriter {
  /// The names of the elements of enclosing quantifiers and filters.
  let scope: [String]
  /// Whether a question mark stands for each value.
  let hidesValues: Bool

  /// Returns the text of an expression, in parentheses if its precedence is below `minimum`.
  func text(_ expression: QueryExpression, _ minimum: PredicateLevel = .or) -> String {
    switch expression {
    case .and(let parts) where parts.count == 1, .or(let parts) where parts.count == 1:
      return text(parts[0], minimum)
    default:
      let (text, level) = bare(expression)
      return level < minimum ? "(\(text))" : text
    }
  }

  private func isNegativeNumber(_ value: Value) -> Bool {
    switch value {
    case .int64(let number): number < 0
    case .double(let number): number.isFinite && number.sign == .minus
    default: false
    }
  }

  /// Returns the text of an expression and its precedence.
  private func bare(_ expression: QueryExpression) -> (String, PredicateLevel) {
    switch expression {
    case .value where hidesValues: return ("?", .primary)
    case .value(let value):
      return (PredicateLiteral.text(value), isNegativeNumber(value) ? .prefix : .primary)
    case .and(let parts) where !parts.isEmpty:
      return (parts.map { text($0, .not) }.joined(separator: " AND "), .and)
    case .or(let parts) where !parts.isEmpty:
      return (parts.map { text($0, .and) }.joined(separator: " OR "), .or)
    case .not(let part): return ("NOT \(text(part, .not))", .not)
    case .arithmetic(let arithmetic, let left, let right):
      let level = PredicateOperator.arithmetic(arithmetic).level
      let right = text(right, level.tighter)
      return ("\(text(left, level)) \(arithmetic.rawValue) \(right)", level)
    case .negate(let part): return (negated(part), .prefix)
    case .search(let paths, let words): return (search(paths, words), .comparison)
    case .comparison(_, let left, _, _), .text(_, let left, _, _), .between(let left, _, _),
      .in(let left, _, _), .is(let left, _), .contains(_, let left):
      return (comparison(expression, of: text(left, .sum)), .comparison)
    case .quantified(let quantifier, let collection, let name, let predicate):
      let word = quantifier.rawValue.uppercased()
      guard isShort(name, predicate) else {
        return ("\(word)(\(elementwise(collection, name, predicate)))", .primary)
      }
      let inner = PredicateWriter(scope: scope + [name], hidesValues: hidesValues)
      return (inner.comparison(predicate, of: "\(word) \(base(collection))"), .comparison)
    default: return (primary(expression), .primary)
    }
  }

  private func primary(_ expression: QueryExpression) -> String {
    switch expression {
    case .and: "TRUEPREDICATE"
    case .or: "FALSEPREDICATE"
    case .attribute(let path): Self.path(path)
    case .variable(let name): name == "SELF" ? name : "$\(name)"
    case .now: "now()"
    case .convert(let part, let type): PredicateCast.text(argument(ofCast: part), type.rawValue)
    case .narrow(let part, let width): PredicateCast.text(argument(ofCast: part), width.rawValue)
    case .conditional(let condition, let yes, let no): "TERNARY(\(list([condition, yes, no])))"
    case .coalesce(let parts): "COALESCE(\(list(parts)))"
    case .function(let function, let arguments): "\(function.rawValue)(\(list(arguments)))"
    case .list(let parts): alternatives(parts)
    case .filtered(let collection, let name, let predicate):
      "SUBQUERY(\(elementwise(collection, name, predicate)))"
    case .member(let base, let path): "\(self.base(base, isOpen: true)).\(path)"
    case .aggregate(let aggregate, let base):
      "\(self.base(base)).@\(PredicateCollectionOperator.name(of: aggregate))"
    case .element(let base, -1): "\(self.base(base))[LAST]"
    case .element(let base, let position): "\(self.base(base))[\(position)]"
    case .slice(let base, let range):
      "\(self.base(base))[\(range.lowerBound):\(range.upperBound)]"
    case .cast(let base, let entity): "\(self.base(base)) AS \(Self.path(entity))"
    default: ""
    }
  }

  private func list(_ parts: [QueryExpression]) -> String {
    parts.map { text($0) }.joined(separator: ", ")
  }

  /// Returns the text of alternatives, in braces.
  private func alternatives(_ parts: [QueryExpression]) -> String {
    let isOfValues = parts.allSatisfy { if case .value = $0 { true } else { false } }
    return hidesValues && isOfValues ? "{?}" : "{\(list(parts))}"
  }

  /// Returns the text of a comparison whose left side has the text `left`.
  private func comparison(_ expression: QueryExpression, of left: String) -> String {
    switch expression {
    case .comparison(let comparison, _, let right, let options):
      return "\(left) \(comparison.rawValue)\(letters(options)) \(text(right, .sum))"
    case .text(let test, _, let right, let options):
      return "\(left) \(test.word)\(letters(options)) \(text(right, .sum))"
    case .between(_, let low, let high): return "\(left) BETWEEN {\(list([low, high]))}"
    case .in(_, let list, let options):
      return "\(left) IN\(letters(options)) \(alternatives(list))"
    case .is(_, let entity): return "\(left) IS \(Self.path(entity))"
    case .contains(let collection, _):
      // A brace after IN would begin a list of alternatives.
      let text = text(collection, .sum)
      return "\(left) IN \(text.hasPrefix("{") ? "(\(text))" : text)"
    default: return left
    }
  }

  private func negated(_ part: QueryExpression) -> String {
    // A minus directly before a number would become part of it.
    switch part {
    case .value where hidesValues: "-?"
    case .value(.int64(let number)) where number >= 0: "-(\(text(part)))"
    case .value(.double(let number)) where number.isFinite && number.sign == .plus:
      "-(\(text(part)))"
    default: "-\(text(part, .prefix))"
    }
  }

  private func search(_ paths: [String], _ words: String) -> String {
    let words = hidesValues ? "?" : PredicateLiteral.text(.string(words))
    let paths = paths.map(Self.path)
    let place =
      switch paths.count {
      case 0: "SELF"
      case 1: paths[0]
      default: "{\(paths.joined(separator: ", "))}"
      }
    return "\(place) MATCHES TEXT \(words)"
  }

  /// The cast of a bare literal would be read as a constant.
  private func argument(ofCast part: QueryExpression) -> String {
    if case .value = part { "(\(text(part)))" } else { text(part) }
  }

  private func letters(_ options: QueryExpression.TextOptions) -> String {
    options.isEmpty ? "" : "[\(options.letters)]"
  }

  /// Returns a path or name; only its first step could be read as a keyword.
  private static func path(_ path: String) -> String {
    let first = path.prefix { $0 != "." }
    return PredicateAdvice.reserved.contains(NameSyntax.keyword(first)) ? "#\(path)" : path
  }
}

/// Collections.
extension PredicateWriter {
  /// Returns the text of the expression before a path, an index, or a cast.
  ///
  /// If it is open, later names would become part of its path.
  private func base(_ expression: QueryExpression, isOpen: Bool = false) -> String {
    let needsParentheses =
      switch expression {
      case .attribute, .member, .aggregate: isOpen
      case .value(.list), .list, .variable, .now, .convert, .narrow, .conditional, .coalesce,
        .function, .filtered, .element, .slice:
        false
      default: true
      }
    return needsParentheses ? "(\(text(expression)))" : text(expression)
  }

  private func elementwise(
    _ collection: QueryExpression,
    _ name: String,
    _ predicate: QueryExpression
  ) -> String {
    let inner = PredicateWriter(scope: scope + [name], hidesValues: hidesValues)
    return "\(text(collection)), $\(name), \(inner.text(predicate))"
  }

  /// Whether the predicate is a comparison of the element, as in `ANY tags.name == "x"`.
  private func isShort(_ name: String, _ predicate: QueryExpression) -> Bool {
    guard name == KeyPathSyntax.generatedVariable(in: scope) else { return false }
    return switch predicate {
    case .comparison(_, .variable(name), _, _), .text(_, .variable(name), _, _),
      .between(.variable(name), _, _), .in(.variable(name), _, _), .is(.variable(name), _),
      .contains(_, .variable(name)):
      true
    default: false
    }
  }
}
