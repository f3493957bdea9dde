internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// A property of a model that has `willSet` or `didSet`.
struct ObservedProperty {
  let property: StoredProperty
  let observers: AccessorDeclListSyntax
  /// The ends of the names of the functions that reach the backing data, behind `get` and `set`.
  let access: String

  /// The setter that runs the observers, which don't run for values that they set themselves.
  var setter: AccessorDeclSyntax {
    let mark = "_\(property.name)"
    var before = ""
    var after = ""
    for observer in observers {
      guard let body = observer.body else { continue }
      let isBefore = observer.accessorSpecifier.tokenKind == .keyword(.willSet)
      let parameter = observer.parameters?.name.text ?? (isBefore ? "newValue" : "oldValue")
      let call = { (value: String) in
        """

          _ = { (\(value.isEmpty ? "" : parameter)) -> Void in
            \(explicit(body.statements))
          }(\(value))
        """
      }
      if isBefore {
        before += call("newValue")
      } else if body.tokens(viewMode: .sourceAccurate).contains(where: { $0.text == parameter }) {
        before += "\n  let oldValue = self.get\(access)(forKey: \\.\(property.identifier.text))"
        after += call("oldValue")
      } else {
        after += call("")
      }
    }
    return """
      set {
        if \(raw: mark) {
          return \(raw: store.replacing("\n", with: "\n  "))
        }
        \(raw: mark) = true
        defer {
          \(raw: mark) = false
        }\(raw: before)
        \(raw: store)\(raw: after)
      }
      """
  }

  private var store: String {
    """
    _$observationRegistrar.withMutation(of: self, keyPath: \\.\(property.identifier.text)) {
        self.set\(access)(forKey: \\.\(property.identifier.text), to: newValue)
      }
    """
  }

  /// Returns statements that name the property itself with `self`, as a setter has to.
  private func explicit(_ statements: CodeBlockItemListSyntax) -> String {
    let rewriter = SelfRewriter(name: property.name)
    let result = rewriter.rewrite(statements.trimmed)
    return (rewriter.isShadowed ? Syntax(statements.trimmed) : result).description
  }
}

/// Puts `self.` before a name.
private final class SelfRewriter: SyntaxRewriter {
  let name: String
  /// Whether something local has the same name.
  private(set) var isShadowed = false

  init(name: String) {
    self.name = name
    super.init()
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    if let member = node.parent?.as(MemberAccessExprSyntax.self),
      member.declName.id == node.id
    {
      return ExprSyntax(node)
    }
    guard node.baseName.plainName == name, node.argumentNames == nil,
      node.parent?.is(KeyPathPropertyComponentSyntax.self) != true
    else { return ExprSyntax(node) }
    let bare = node.with(\.leadingTrivia, []).with(\.trailingTrivia, [])
    return ExprSyntax(
      MemberAccessExprSyntax(
        base: DeclReferenceExprSyntax(baseName: .keyword(.self)),
        declName: bare
      )
      .with(\.leadingTrivia, node.leadingTrivia)
      .with(\.trailingTrivia, node.trailingTrivia)
    )
  }

  override func visit(_ node: IdentifierPatternSyntax) -> PatternSyntax {
    if node.identifier.plainName == name { isShadowed = true }
    return super.visit(node)
  }

  override func visit(_ node: ClosureShorthandParameterSyntax) -> ClosureShorthandParameterSyntax {
    if node.name.plainName == name { isShadowed = true }
    return super.visit(node)
  }
}
