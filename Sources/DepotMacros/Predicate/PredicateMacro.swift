internal import SwiftDiagnostics
public import SwiftSyntax
internal import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `#Predicate` for models.
public struct PredicateMacro: ExpressionMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    try PredicateTranslator.expansion(of: node, builder: "predicate")
  }
}

/// `#Expression` for models.
public struct PredicateExpressionMacro: ExpressionMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    try PredicateTranslator.expansion(of: node, builder: "expression")
  }
}

extension PredicateTranslator {
  /// Returns what builds the predicate or expression that a macro describes.
  ///
  /// - Throws: `DiagnosticsError` with all that the closure uses but a predicate can't.
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    builder: String
  ) throws -> ExprSyntax {
    let subject = builder == "predicate" ? "a predicate" : "an expression"
    var translator = PredicateTranslator(subject: subject)
    let argument = node.trailingClosure.map(ExprSyntax.init) ?? node.arguments.first?.expression
    guard let closure = argument?.as(ClosureExprSyntax.self) else {
      translator.refuse(node, "anything but a closure")
      throw DiagnosticsError(diagnostics: translator.diagnostics)
    }
    let text = translator.closure(closure)
    guard translator.diagnostics.isEmpty else {
      throw DiagnosticsError(diagnostics: translator.diagnostics)
    }
    return "\(raw: call("\(builder)", text))"
  }
}
