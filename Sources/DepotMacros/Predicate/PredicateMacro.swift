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
  /// Returns the code that builds a macro's predicate or expression.
  ///
  /// - Throws: `DiagnosticsError` with everything in the closure that a predicate can't contain.
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
