internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@_LinkingInitializer`: links an object both ways where its initializer ends.
///
/// Values that an initializer sets before all properties have values go to the backing data alone.
/// There is no object yet that the other side of a relationship could refer to.
enum LinkingInitializerMacro: BodyMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
    in context: some MacroExpansionContext
  ) throws -> [CodeBlockItemSyntax] {
    guard let statements = declaration.body?.statements else { return [] }
    var items = Array(ReturnRewriter().visit(statements))
    if var first = items.first {
      // Compiler messages about the statements point to the user's source.
      if let place = context.location(
        of: statements,
        at: .afterLeadingTrivia,
        filePathMode: .filePath
      ) {
        let spaces = first.leadingTrivia.reversed().prefix(while: \.isSpaceOrTab)
        first.leadingTrivia = Trivia(pieces: spaces.reversed())
        items[0] = first
        items.insert("#sourceLocation(file: \(place.file), line: \(place.line))", at: 0)
        if !statements.isTerminal { items.append("\n#sourceLocation()") }
      }
    }
    if !statements.isTerminal { items.append("\n\(raw: ReturnRewriter.link)") }
    return items
  }
}

extension InitializerDeclSyntax {
  /// Whether it gives an object's properties their first values.
  var isDesignated: Bool {
    let labels = signature.parameterClause.parameters.map(\.firstName.text)
    return body != nil && !modifiers.contains(.convenience) && labels != ["backingData"]
  }
}

extension StoredProperty {
  /// Whether the property may be a relationship, as far as its declaration shows.
  var mayBeRelationship: Bool {
    guard isPersisted, isStorable, !isTransformable else { return false }
    guard let type else { return initialValue?.isPlainLiteral != true }
    let names = type.tokens(viewMode: .sourceAccurate).compactMap { token -> String? in
      if case .identifier(let name) = token.tokenKind { name } else { nil }
    }
    return !names.allSatisfy(Self.plainTypes.contains)
  }

  /// Names in types that have nothing to do with models.
  private static let plainTypes: Set = [
    "Array", "Bool", "Character", "Data", "Date", "Decimal", "Dictionary", "Double", "Float",
    "Foundation", "Int", "Int16", "Int32", "Int64", "Int8", "Optional", "Set", "String", "Swift",
    "UInt", "UInt16", "UInt32", "UInt64", "UInt8", "URL", "UUID",
  ]
}

extension ExprSyntax {
  fileprivate var isPlainLiteral: Bool {
    self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self)
      || self.is(StringLiteralExprSyntax.self) || self.is(BooleanLiteralExprSyntax.self)
  }
}

/// Links the object before each `return` of its initializer.
private final class ReturnRewriter: SyntaxRewriter {
  static let link = "self._$linkInitialized()"

  override func visit(_ node: CodeBlockItemListSyntax) -> CodeBlockItemListSyntax {
    let items = super.visit(node)
    guard items.contains(where: \.isReturn) else { return items }
    return CodeBlockItemListSyntax(
      items.flatMap { item -> [CodeBlockItemSyntax] in
        guard item.isReturn else { return [item] }
        var link: CodeBlockItemSyntax = "\(raw: Self.link); "
        link.leadingTrivia = item.leadingTrivia
        return [link, item.with(\.leadingTrivia, [])]
      }
    )
  }

  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax { ExprSyntax(node) }

  override func visit(_ node: FunctionDeclSyntax) -> DeclSyntax { DeclSyntax(node) }

  override func visit(_ node: AccessorBlockSyntax) -> AccessorBlockSyntax { node }

  override func visit(_ node: ClassDeclSyntax) -> DeclSyntax { DeclSyntax(node) }

  override func visit(_ node: StructDeclSyntax) -> DeclSyntax { DeclSyntax(node) }

  override func visit(_ node: EnumDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
}

extension CodeBlockItemSyntax {
  /// Whether it ends an initializer that has made an object.
  fileprivate var isReturn: Bool {
    item.as(ReturnStmtSyntax.self).map { $0.expression == nil } ?? false
  }
}

extension CodeBlockItemListSyntax {
  /// Whether code behind the statements is unreachable; the compiler would warn of it.
  fileprivate var isTerminal: Bool {
    guard let last = last?.item else { return false }
    if last.is(ReturnStmtSyntax.self) || last.is(ThrowStmtSyntax.self) { return true }
    if let statement = last.as(DoStmtSyntax.self) {
      return statement.body.statements.isTerminal
        && statement.catchClauses.allSatisfy(\.body.statements.isTerminal)
    }
    let expression = last.as(ExpressionStmtSyntax.self)?.expression ?? last.as(ExprSyntax.self)
    if let call = expression?.as(FunctionCallExprSyntax.self) {
      return ["fatalError", "preconditionFailure"]
        .contains(call.calledExpression.trimmedDescription)
    }
    if let choice = expression?.as(IfExprSyntax.self) { return choice.isTerminal }
    if let choice = expression?.as(SwitchExprSyntax.self) {
      return choice.cases.allSatisfy {
        if case .switchCase(let branch) = $0 { branch.statements.isTerminal } else { false }
      }
    }
    return false
  }
}

extension IfExprSyntax {
  fileprivate var isTerminal: Bool {
    guard body.statements.isTerminal else { return false }
    if let block = elseBody?.as(CodeBlockSyntax.self) { return block.statements.isTerminal }
    return elseBody?.as(IfExprSyntax.self)?.isTerminal ?? false
  }
}
