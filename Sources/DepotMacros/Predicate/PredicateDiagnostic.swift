internal import SwiftDiagnostics
internal import SwiftSyntax

/// What a predicate or expression can't use.
struct PredicateDiagnostic: DiagnosticMessage {
  let message: String
  let diagnosticID = MessageID(domain: "Depot", id: "Predicate")
  let severity = DiagnosticSeverity.error
}

/// What to write instead.
private struct PredicateFixIt: FixItMessage {
  let message: String
  let fixItID = MessageID(domain: "Depot", id: "Predicate")
}

extension PredicateTranslator {
  /// Notes that a part can't be used, and returns something to go on with.
  @discardableResult
  mutating func refuse(
    _ node: some SyntaxProtocol,
    _ what: String,
    hint: String? = nil,
    fixIt: (message: String, changes: [FixIt.Change])? = nil
  ) -> String {
    let hint = hint.map { " \($0)" } ?? ""
    let capital = subject.prefix(1).uppercased() + subject.dropFirst()
    diagnostics.append(
      Diagnostic(
        node: node,
        message: PredicateDiagnostic(message: "\(capital) can't use \(what).\(hint)"),
        fixIts: fixIt.map {
          [FixIt(message: PredicateFixIt(message: $0.message), changes: $0.changes)]
        } ?? []
      )
    )
    return Self.call("arg", "()")
  }

  /// Notes that a token can't be used, but another instead of it.
  @discardableResult
  mutating func refuse(_ token: TokenSyntax, insteadOf right: String) -> String {
    var other = token
    other.tokenKind = .identifier(right)
    return refuse(
      token,
      "'\(token.text)'",
      fixIt: (
        "Replace '\(token.text)' with '\(right)'",
        [.replace(oldNode: Syntax(token), newNode: Syntax(other))]
      )
    )
  }
}
