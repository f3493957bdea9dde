internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// The message of a macro about its use, or of a fix-it about itself.
struct Message: DiagnosticMessage, FixItMessage {
  let message: String
  let identifier: String
  var severity = DiagnosticSeverity.error

  var diagnosticID: MessageID { MessageID(domain: "DepotMacros", id: identifier) }
  var fixItID: MessageID { diagnosticID }
}

extension MacroExpansionContext {
  /// Reports a misuse at a node, with the ways to mend it.
  func report(
    _ identifier: String,
    _ message: String,
    at node: some SyntaxProtocol,
    severity: DiagnosticSeverity = .error,
    fixIts: [FixIt?] = []
  ) {
    diagnose(
      Diagnostic(
        node: node,
        message: Message(message: message, identifier: identifier, severity: severity),
        fixIts: fixIts.compactMap { $0 }
      )
    )
  }
}

extension MacroExpansionContext {
  /// Reports an attribute that stands elsewhere than on a stored property of some type.
  func reportPlace(
    of attribute: AttributeSyntax,
    on declaration: some DeclSyntaxProtocol,
    _ identifier: String,
    _ type: String,
    severity: DiagnosticSeverity = .error
  ) {
    let name = attribute.shortName
    let list = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes
    report(
      identifier,
      "'@\(name)' can be applied only to a stored property of \(type)",
      at: attribute,
      severity: severity,
      fixIts: [.remove(named: name, from: list)]
    )
  }
}

extension FixIt {
  /// Replaces a node by another one, which has its own leading and trailing trivia.
  static func replace(
    _ message: String,
    _ node: some SyntaxProtocol,
    by replacement: some SyntaxProtocol
  ) -> FixIt {
    FixIt(
      message: Message(message: message, identifier: "fix"),
      changes: [.replace(oldNode: Syntax(node), newNode: Syntax(replacement))]
    )
  }

  /// Replaces a word.
  static func change(_ word: TokenSyntax, to new: String) -> FixIt {
    let token = word.with(\.tokenKind, .identifier(new))
    return .replace("change '\(word.text)' to '\(new)'", word, by: token)
  }

  /// Removes the first attribute of a name from a list; `nil` if there is none.
  static func remove(named name: String, from list: AttributeListSyntax?) -> FixIt? {
    list.flatMap { list in list.first(named: name).map { .remove($0, from: list) } }
  }

  /// Removes an attribute from a list.
  static func remove(
    _ attribute: AttributeSyntax,
    from list: AttributeListSyntax
  ) -> FixIt {
    var replacement = list.filter { $0.as(AttributeSyntax.self)?.id != attribute.id }
    let message = "remove '@\(attribute.shortName)'"
    if replacement.isEmpty {
      // Only the trivia before the attributes are left.
      let rest = TokenSyntax(.identifier(""), leadingTrivia: list.leadingTrivia, presence: .present)
      return .replace(message, list, by: rest)
    }
    if list.first?.as(AttributeSyntax.self)?.id == attribute.id {
      replacement.leadingTrivia = list.leadingTrivia
    }
    return .replace(message, list, by: replacement)
  }
}
