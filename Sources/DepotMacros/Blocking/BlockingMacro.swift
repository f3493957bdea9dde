internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@Blocking`: gives a method of the client for tasks its form for threads that wait.
enum BlockingMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let method = declaration.as(FunctionDeclSyntax.self),
      method.signature.effectSpecifiers?.asyncSpecifier != nil
    else {
      context.report("blocking.kind", "'@Blocking' needs an asynchronous method", at: node)
      return []
    }
    return ["\(raw: method.tokens(viewMode: .sourceAccurate).map(text).joined())"]
  }

  /// The attributes that only tasks need.
  private static let attributes: Set = ["Blocking", "Sendable", "concurrent"]

  /// Returns the text of a token in the blocking copy, which awaits nothing.
  private static func text(_ token: TokenSyntax) -> String {
    let attribute = [token.parent, token.parent?.parent].lazy
      .compactMap { $0?.as(AttributeSyntax.self) }.first
    if let attribute, attributes.contains(attribute.shortName) {
      return token.leadingTrivia.description
    }
    return switch token.tokenKind {
    case .keyword(.async), .keyword(.await): token.leadingTrivia.description
    case .identifier("Client"):
      token.with(\.tokenKind, .identifier("BlockingConnection")).description
    default: token.description
    }
  }
}
