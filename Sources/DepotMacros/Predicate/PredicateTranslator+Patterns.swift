internal import SwiftSyntax

/// The translation of `switch` and its patterns.
extension PredicateTranslator {
  /// Returns the code for a `switch`, followed by statements for the paths that don't return.
  ///
  /// The last case is taken without a test, since all values are covered.
  mutating func choice(_ choice: SwitchExprSyntax, then rest: [CodeBlockItemSyntax]) -> String {
    let subject = declare(node(choice.subject))
    var cases: [SwitchCaseSyntax] = []
    for element in choice.cases {
      guard case .switchCase(let element) = element else {
        return refuse(element, "a conditional case")
      }
      cases.append(element)
    }
    return self.cases(cases[...], subject, rest)
  }

  private mutating func cases(
    _ cases: ArraySlice<SwitchCaseSyntax>,
    _ subject: String,
    _ rest: [CodeBlockItemSyntax]
  ) -> String {
    guard let first = cases.first else { return Self.call("arg", "false") }
    let following = cases.dropFirst()
    let statements = Array(first.statements) + rest
    guard case .case(let label) = first.label else {
      return branch { $0.body(statements, of: first) }
    }
    let items = Array(label.caseItems)
    let otherwise = { (inner: inout Self) in inner.cases(following, subject, rest) }
    let isLast = following.isEmpty && items.allSatisfy { $0.whereClause == nil }
    if items.count == 1, let item = items.first {
      if isLast, !Self.declaresName(item.pattern) {
        return branch { $0.body(statements, of: first) }
      }
      return pattern(item.pattern, subject, else: otherwise) { inner in
        guard let condition = item.whereClause?.condition else {
          return inner.body(statements, of: first)
        }
        return Self.call(
          "conditional",
          inner.clause(condition),
          inner.branch { $0.body(statements, of: first) },
          inner.branch(otherwise)
        )
      }
    }
    if isLast { return branch { $0.body(statements, of: first) } }
    var tests: [String] = []
    for item in items {
      guard var test = self.test(item.pattern, subject) else {
        return refuse(item.pattern, "several patterns of which one declares something")
      }
      if let condition = item.whereClause?.condition {
        test = Self.call("and", declare(test), clause(condition))
      }
      tests.append(declare(test))
    }
    return Self.call(
      "conditional",
      tests.dropFirst().reduce(tests[0]) { Self.call("or", $0, $1) },
      branch { $0.body(statements, of: first) },
      branch(otherwise)
    )
  }

  /// Returns the code that builds one result if a value matches a pattern and another if not.
  mutating func pattern(
    _ pattern: PatternSyntax,
    _ subject: String,
    else otherwise: (inout PredicateTranslator) -> String,
    then: (inout PredicateTranslator) -> String
  ) -> String {
    if let name = Self.wholeName(pattern) {
      return branch { inner in
        inner.names[name] = subject
        return then(&inner)
      }
    }
    if let name = Self.wrappedName(pattern) {
      return unwrapping(subject, as: name, else: otherwise, then: then)
    }
    if let (name, type) = Self.castName(pattern) {
      let cast = Self.call("cast", subject, "as: \(Self.metatype(type))")
      return unwrapping(cast, as: name, else: otherwise, then: then)
    }
    guard let test = test(pattern, subject) else { return refuse(pattern, "this pattern") }
    return Self.call("conditional", declare(test), branch(then), branch(otherwise))
  }

  /// Returns the code that tests a value against a pattern; `nil` if this declares something.
  private mutating func test(_ pattern: PatternSyntax, _ subject: String) -> String? {
    switch pattern.as(PatternSyntaxEnum.self) {
    case .wildcardPattern: return Self.call("arg", "true")
    case .isTypePattern(let check):
      return Self.call("isKind", subject, Self.metatype(check.type))
    case .expressionPattern(let pattern):
      let expression = pattern.expression
      if expression.is(NilLiteralExprSyntax.self) || expression.trimmedDescription == ".none" {
        return Self.call("isNil", subject)
      }
      if expression.is(DiscardAssignmentExprSyntax.self) { return Self.call("arg", "true") }
      if expression.is(TupleExprSyntax.self) { return nil }
      if let call = expression.as(FunctionCallExprSyntax.self) {
        guard call.calledExpression.trimmedDescription == ".some",
          call.arguments.count == 1, let wrapped = call.arguments.first?.expression
        else { return nil }
        return Self.call("equal", subject, node(wrapped))
      }
      return Self.call("matches", node(Self.withoutQuestionMark(expression)), subject)
    default: return nil
    }
  }

  private static func declaresName(_ pattern: PatternSyntax) -> Bool {
    wholeName(pattern) != nil || wrappedName(pattern) != nil || castName(pattern) != nil
  }

  /// Returns `x` of the pattern `x?`.
  private static func withoutQuestionMark(_ expression: ExprSyntax) -> ExprSyntax {
    expression.as(OptionalChainingExprSyntax.self)?.expression ?? expression
  }

  /// Returns `x` of the pattern `let x`.
  private static func wholeName(_ pattern: PatternSyntax) -> String? {
    let inner = pattern.as(ValueBindingPatternSyntax.self)?.pattern ?? pattern
    return inner.as(IdentifierPatternSyntax.self)?.identifier.text
      ?? name(inner.as(ExpressionPatternSyntax.self)?.expression)
  }

  /// Returns `x` of the patterns `let x?` and `.some(let x)`.
  private static func wrappedName(_ pattern: PatternSyntax) -> String? {
    let binding = pattern.as(ValueBindingPatternSyntax.self)
    let inner = binding?.pattern ?? pattern
    guard let expression = inner.as(ExpressionPatternSyntax.self)?.expression else { return nil }
    if let chaining = expression.as(OptionalChainingExprSyntax.self) {
      if binding != nil, let reference = chaining.expression.as(DeclReferenceExprSyntax.self) {
        return reference.baseName.text
      }
      return name(chaining.expression)
    }
    guard let call = expression.as(FunctionCallExprSyntax.self),
      call.calledExpression.trimmedDescription == ".some", call.arguments.count == 1
    else { return nil }
    return name(call.arguments.first?.expression)
  }

  /// Returns `x` and `T` of the pattern `let x as T`.
  private static func castName(_ pattern: PatternSyntax) -> (String, TypeSyntax)? {
    let inner = pattern.as(ValueBindingPatternSyntax.self)?.pattern ?? pattern
    guard let cast = inner.as(ExpressionPatternSyntax.self)?.expression.as(AsExprSyntax.self),
      let name = name(cast.expression)
    else { return nil }
    return (name, cast.type)
  }

  /// Returns the name that a pattern within an expression declares.
  private static func name(_ expression: ExprSyntax?) -> String? {
    guard let pattern = expression?.as(PatternExprSyntax.self)?.pattern else { return nil }
    let inner = pattern.as(ValueBindingPatternSyntax.self)?.pattern ?? pattern
    return inner.as(IdentifierPatternSyntax.self)?.identifier.text
  }
}
