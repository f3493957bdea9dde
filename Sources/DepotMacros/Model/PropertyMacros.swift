internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// `@Attribute`, which `@Model` reads.
enum AttributePropertyMacro: MarkerMacro {}

/// `@Relationship`, which `@Model` reads.
enum RelationshipPropertyMacro: MarkerMacro {}

/// `@Transient`, which `@Model` reads.
enum TransientPropertyMacro: MarkerMacro {}

/// A macro that only marks a property of a model.
protocol MarkerMacro: PeerMacro {}

extension MarkerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    // A class without `@Model` may be a model written by hand, and the surroundings of members that
    // `@Model` adds are unknown.
    let isInClass = context.lexicalContext.first?.is(ClassDeclSyntax.self) != false
    if !declaration.is(VariableDeclSyntax.self) || !isInClass {
      // Programs for Apple's systems have such marks, which do nothing there.
      let type = "a class with '@Model'"
      context.reportPlace(of: node, on: declaration, "attribute.place", type, severity: .warning)
    }
    return []
  }
}

/// `#Index`, which `@Model` reads.
enum IndexMacro: ConstraintMacro {}

/// `#Unique`, which `@Model` reads.
enum UniqueConstraintsMacro: ConstraintMacro {}

/// A macro that only describes a constraint to `@Model`.
protocol ConstraintMacro: DeclarationMacro {}

extension ConstraintMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if context.lexicalContext.first?.is(ClassDeclSyntax.self) != true {
      context.report(
        "constraint.place",
        "'#\(node.macroName.text)' can stand only in a class with '@Model'",
        at: node
      )
    }
    return []
  }
}
