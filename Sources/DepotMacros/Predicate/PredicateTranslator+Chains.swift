internal import SwiftSyntax

extension PredicateTranslator {
  /// Returns the code for an access, a call, or a subscript, with the optional chain before it.
  ///
  /// `a?.b?.c` becomes `flatMap(a) { $0.b… }`: the rest of the chain is translated inside a closure,
  /// where the closure's variable stands for the part before the first `?` (``replaced``).
  mutating func chain(_ expression: ExprSyntax) -> String {
    guard let start = Self.chainStart(of: expression, replaced) else { return postfix(expression) }
    let wrapped = node(start.expression)
    let rest = closure { inner, variable in
      inner.replaced[start.id] = variable
      return inner.chain(expression)
    }
    return Self.call("flatMap", wrapped, rest)
  }

  /// Returns the first `?` of an optional chain that no closure stands for yet.
  private static func chainStart(
    of expression: ExprSyntax,
    _ replaced: [SyntaxIdentifier: String]
  ) -> OptionalChainingExprSyntax? {
    if let chaining = expression.as(OptionalChainingExprSyntax.self) {
      if replaced[chaining.id] != nil { return nil }
      return chainStart(of: chaining.expression, replaced) ?? chaining
    }
    return base(of: expression).flatMap { chainStart(of: $0, replaced) }
  }

  /// Returns the expression before the last access, call, subscript, or `!`.
  private static func base(of expression: ExprSyntax) -> ExprSyntax? {
    switch expression.as(ExprSyntaxEnum.self) {
    case .memberAccessExpr(let access): access.base
    case .functionCallExpr(let call): call.calledExpression
    case .subscriptCallExpr(let call): call.calledExpression
    case .forceUnwrapExpr(let unwrap): unwrap.expression
    default: nil
    }
  }

  /// Returns the code for the last access, call, subscript, or `!`.
  private mutating func postfix(_ expression: ExprSyntax) -> String {
    switch expression.as(ExprSyntaxEnum.self) {
    case .memberAccessExpr(let access): member(access)
    case .functionCallExpr(let call): function(call)
    case .subscriptCallExpr(let call): `subscript`(call)
    case .forceUnwrapExpr(let unwrap): Self.call("unwrap", node(unwrap.expression))
    default: node(expression)
    }
  }

  private mutating func member(_ access: MemberAccessExprSyntax) -> String {
    guard let base = access.base else { return Self.constant(access) }
    guard access.declName.argumentNames == nil else {
      return refuse(access.declName, "a function that isn't called")
    }
    let name = access.declName.baseName.text
    if name == "self" { return node(base) }
    return Self.call("keyPath", node(base), "\\.\(access.declName.trimmedDescription)")
  }

  private mutating func `subscript`(_ call: SubscriptCallExprSyntax) -> String {
    let arguments = Array(call.arguments)
    guard call.trailingClosure == nil, let first = arguments.first, first.label == nil,
      arguments.count == 1 || arguments.count == 2 && arguments[1].label?.text == "default"
    else { return refuse(call, "this subscript") }
    var parts = [node(call.calledExpression), node(first.expression)]
    if arguments.count == 2 { parts.append("default: \(node(arguments[1].expression))") }
    return PartFunction.call("element", parts)
  }
}
