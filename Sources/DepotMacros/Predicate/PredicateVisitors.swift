internal import SwiftSyntax

/// The search for parts that depend on the parameters of a predicate.
final class DependenceFinder: SyntaxVisitor {
  private let names: [String: String]
  private let replaced: [SyntaxIdentifier: String]
  private var closures = 0
  private(set) var isFound = false

  init(names: [String: String], replaced: [SyntaxIdentifier: String]) {
    (self.names, self.replaced) = (names, replaced)
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.baseName.text
    // Within a closure that names no parameters, these are its own.
    if name.hasPrefix("$"), closures > 0 { return .skipChildren }
    if names[name] != nil { isFound = true }
    return .skipChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    if let base = node.base { walk(base) }
    return .skipChildren
  }

  override func visit(_ node: OptionalChainingExprSyntax) -> SyntaxVisitorContinueKind {
    if replaced[node.id] != nil { isFound = true }
    return .visitChildren
  }

  override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
    if node.initializer == nil, let pattern = node.pattern.as(IdentifierPatternSyntax.self),
      names[pattern.identifier.text] != nil
    {
      isFound = true
    }
    return .visitChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
    if node.signature?.parameterClause == nil { closures += 1 }
    return .visitChildren
  }

  override func visitPost(_ node: ClosureExprSyntax) {
    if node.signature?.parameterClause == nil { closures -= 1 }
  }
}

/// The search for the greatest `$n` of a closure.
final class ShorthandFinder: SyntaxVisitor {
  private(set) var greatest = 0

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    if case .dollarIdentifier(let name) = node.baseName.tokenKind,
      let number = Int(name.dropFirst())
    {
      greatest = max(greatest, number)
    }
    return .skipChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

/// The search for operations that trap with some values: `!`, `as!`, subscripts, and divisions.
final class MayTrap: SyntaxVisitor {
  private var isFound = false

  static func check(_ expression: ExprSyntax) -> Bool {
    let finder = MayTrap(viewMode: .sourceAccurate)
    finder.walk(expression)
    return finder.isFound
  }

  override func visit(_ node: ForceUnwrapExprSyntax) -> SyntaxVisitorContinueKind { found() }

  override func visit(_ node: SubscriptCallExprSyntax) -> SyntaxVisitorContinueKind { found() }

  override func visit(_ node: AsExprSyntax) -> SyntaxVisitorContinueKind {
    node.questionOrExclamationMark?.tokenKind == .exclamationMark ? found() : .visitChildren
  }

  override func visit(_ node: BinaryOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    ["/", "%"].contains(node.operator.text) ? found() : .visitChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  private func found() -> SyntaxVisitorContinueKind {
    isFound = true
    return .skipChildren
  }
}
