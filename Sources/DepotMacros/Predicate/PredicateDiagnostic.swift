internal import SwiftDiagnostics
internal import SwiftSyntax

extension PredicateTranslator {
  /// Records that a part can't be used, and returns a stand-in for it.
  @discardableResult
  mutating func refuse(
    _ node: some SyntaxProtocol,
    _ what: String,
    hint: String? = nil,
    fixIt: FixIt? = nil
  ) -> String {
    let hint = hint.map { " \($0)" } ?? ""
    let capital = subject.prefix(1).uppercased() + subject.dropFirst()
    let message = Message(message: "\(capital) can't use \(what).\(hint)", identifier: "predicate")
    diagnostics.append(
      Diagnostic(node: node, message: message, fixIts: [fixIt].compactMap { $0 })
    )
    return Self.call("arg", "()")
  }

  /// Notes that a token can't be used, but another instead of it.
  @discardableResult
  mutating func refuse(_ token: TokenSyntax, insteadOf right: String) -> String {
    let other = token.with(\.tokenKind, .identifier(right))
    let fixIt = FixIt.replace("Replace '\(token.text)' with '\(right)'", token, by: other)
    return refuse(token, "'\(token.text)'", fixIt: fixIt)
  }
}
