internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// What a macro says about its use, and what a fix-it says about itself.
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

extension FixIt {
  /// Replaces a node by another one, which says itself what stands around it.
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

  /// Removes an attribute from a list.
  static func remove(
    _ attribute: AttributeSyntax,
    from list: AttributeListSyntax
  ) -> FixIt {
    var replacement = list.filter { $0.as(AttributeSyntax.self)?.id != attribute.id }
    let message = "remove '@\(attribute.shortName)'"
    if replacement.isEmpty {
      // Only what stands before the attributes is left.
      let rest = TokenSyntax(.identifier(""), leadingTrivia: list.leadingTrivia, presence: .present)
      return .replace(message, list, by: rest)
    }
    if list.first?.as(AttributeSyntax.self)?.id == attribute.id {
      replacement.leadingTrivia = list.leadingTrivia
    }
    return .replace(message, list, by: replacement)
  }
}
