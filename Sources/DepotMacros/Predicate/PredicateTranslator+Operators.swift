internal import SwiftSyntax

/// The translation of operators, casts, and conditional expressions.
extension PredicateTranslator {
  /// Returns the code that builds a part that isn't a constant as a whole.
  mutating func structure(of expression: ExprSyntax) -> Term {
    switch expression.as(ExprSyntaxEnum.self) {
    case .declReferenceExpr(let reference): .node(variable(reference))
    case .tupleExpr(let tuple): parenthesized(tuple)
    case .tryExpr(let attempt): term(attempt.expression)
    case .memberAccessExpr, .functionCallExpr, .subscriptCallExpr, .forceUnwrapExpr:
      .node(chain(expression))
    case .infixOperatorExpr(let infix): .node(self.infix(infix))
    case .prefixOperatorExpr(let prefix): .node(self.prefix(prefix))
    case .ternaryExpr(let ternary): .node(self.ternary(ternary))
    case .isExpr(let check):
      .node(Self.call("isKind", node(check.expression), Self.metatype(check.type)))
    case .asExpr(let cast): .node(self.cast(cast))
    case .ifExpr(let choice): .node(self.choice(choice, else: [], of: Syntax(choice)))
    case .switchExpr(let choice): .node(self.choice(choice, then: []))
    case .stringLiteralExpr(let literal): .node(interpolation(literal))
    case .arrayExpr(let array):
      .node(Self.call("list", array.elements.map { node($0.expression) }.joined(separator: ", ")))
    case .closureExpr(let closure): .node(refuse(closure, "a closure here"))
    case .awaitExpr(let wait): .node(refuse(wait, "'await'"))
    default: .node(refuse(expression, "'\(expression.trimmedDescription)'"))
    }
  }

  static func metatype(_ type: TypeSyntax) -> String { "(\(type.trimmedDescription)).self" }

  private mutating func variable(_ reference: DeclReferenceExprSyntax) -> String {
    names[reference.baseName.text] ?? Self.constant(reference)
  }

  private mutating func parenthesized(_ tuple: TupleExprSyntax) -> Term {
    guard tuple.elements.count == 1, let element = tuple.elements.first, element.label == nil else {
      return .node(refuse(tuple, "a tuple"))
    }
    return term(element.expression)
  }

  private mutating func cast(_ cast: AsExprSyntax) -> String {
    let node = node(cast.expression)
    let type = Self.metatype(cast.type)
    switch cast.questionOrExclamationMark?.tokenKind {
    case .postfixQuestionMark?: return Self.call("cast", node, "as: \(type)")
    case .exclamationMark?: return Self.call("forceCast", node, "as: \(type)")
    default: return Self.call("typed", node, "as: \(type)")
    }
  }

  private mutating func ternary(_ ternary: TernaryExprSyntax) -> String {
    Self.call(
      "conditional",
      clause(ternary.condition),
      node(ternary.thenExpression),
      node(ternary.elseExpression)
    )
  }

  private mutating func prefix(_ prefix: PrefixOperatorExprSyntax) -> String {
    switch prefix.operator.text {
    case "!": return Self.call("not", clause(prefix.expression))
    case "-": return Self.call("negative", node(prefix.expression))
    case "+": return node(prefix.expression)
    default:
      return refuse(
        prefix.operator,
        "the operator '\(prefix.operator.text)'",
        hint: prefix.operator.text.hasPrefix(".") ? "Write a range with both bounds." : nil
      )
    }
  }

  /// The functions of the builder for operators of values.
  private static let operators = [
    "==": "equal", "!=": "notEqual", "<": "less", "<=": "lessOrEqual", ">": "greater",
    ">=": "greaterOrEqual", "+": "add", "-": "subtract", "*": "multiply", "/": "divide",
    "%": "remainder", "??": "coalesce", "...": "closedRange", "..<": "range", "~=": "matches",
  ]

  /// The operators that have another in a predicate.
  private static let others = [
    "===": "==", "!==": "!=", "&+": "+", "&-": "-", "&*": "*", "=": "==", ".==": "==",
  ]

  private mutating func infix(_ infix: InfixOperatorExprSyntax) -> String {
    let (left, right) = (infix.leftOperand, infix.rightOperand)
    guard let binary = infix.operator.as(BinaryOperatorExprSyntax.self) else {
      if let assignment = infix.operator.as(AssignmentExprSyntax.self) {
        return refuse(assignment.equal, insteadOf: "==")
      }
      return refuse(infix.operator, "'\(infix.operator.trimmedDescription)'")
    }
    let symbol = binary.operator.text
    switch symbol {
    case "&&", "||":
      let parts = Self.operands(of: infix, symbol).map { clause($0) }
      return parts.dropFirst().reduce(parts[0]) { all, part in
        let joined = Self.call(symbol == "&&" ? "and" : "or", all, part)
        return part == parts.last ? joined : declare(joined)
      }
    case "==", "!=":
      let suffix = symbol == "==" ? "isNil" : "isNotNil"
      if right.is(NilLiteralExprSyntax.self) { return Self.call(suffix, node(left)) }
      if left.is(NilLiteralExprSyntax.self) { return Self.call(suffix, node(right)) }
      let function = symbol == "==" ? "equal" : "notEqual"
      guard isDependent(left), isDependent(right) else {
        return Self.call(function, node(left), node(right))
      }
      // One of them may be optional, so their types must be known before they meet.
      return Self.call(function + "Mixed", clause(left), clause(right))
    default: break
    }
    if let function = Self.operators[symbol] {
      return Self.call(function, node(left), node(right))
    }
    if let other = Self.others[symbol] { return refuse(binary.operator, insteadOf: other) }
    return refuse(binary.operator, "the operator '\(symbol)'")
  }

  /// Returns the operands of several equal operators in a row.
  private static func operands(of infix: InfixOperatorExprSyntax, _ symbol: String) -> [ExprSyntax]
  {
    [infix.leftOperand, infix.rightOperand].flatMap { operand -> [ExprSyntax] in
      guard let inner = operand.as(InfixOperatorExprSyntax.self),
        inner.operator.as(BinaryOperatorExprSyntax.self)?.operator.text == symbol
      else { return [operand] }
      return operands(of: inner, symbol)
    }
  }

  private mutating func interpolation(_ literal: StringLiteralExprSyntax) -> String {
    var parts: [String] = []
    for segment in literal.segments {
      if case .stringSegment(let text) = segment {
        guard !text.content.text.isEmpty else { continue }
        let pounds = literal.openingPounds?.text ?? ""
        let quote = literal.openingQuote.text
        guard quote == "\"" else {
          return refuse(literal, "values of the model in a literal of several lines")
        }
        parts.append(Self.call("arg", "\(pounds)\"\(text.content.text)\"\(pounds)"))
      } else if case .expressionSegment(let segment) = segment {
        guard segment.expressions.count == 1, let value = segment.expressions.first,
          value.label == nil
        else { return refuse(segment, "an interpolation with options") }
        parts.append(Self.call("text", node(value.expression)))
      }
    }
    // The compiler looks at two strings at a time.
    return parts.dropFirst().reduce(parts[0]) { all, part in
      Self.call("concatenate", declare(all), declare(part))
    }
  }
}
