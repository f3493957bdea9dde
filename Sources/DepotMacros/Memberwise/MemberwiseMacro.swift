internal import SwiftParser
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@Memberwise`: gives a type an initializer with a parameter for each stored property.
enum MemberwiseMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard !declaration.is(EnumDeclSyntax.self) else {
      context.report("memberwise.kind", "'@Memberwise' needs stored properties", at: node)
      return []
    }
    var unlabelled: [String?] = []
    if case .argumentList(let arguments) = node.arguments {
      unlabelled = arguments.map {
        $0.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
      }
    }
    let properties = declaration.memberBlock.members.variables.compactMap { Property($0, context) }
    let parameters = properties.map { property in
      (unlabelled.contains(property.name) ? "_ " : "") + property.parameter
    }
    let assignments = properties.map { "  self.\($0.name) = \($0.name)\n" }.joined()
    let access = declaration.modifiers.memberAccess
    return [
      """
      /// Creates it of the values of its properties.
      \(raw: access)init(\(raw: parameters.joined(separator: ", "))) {
      \(raw: assignments)}
      """
    ]
  }

  /// A property that the initializer sets.
  private struct Property {
    let name: String
    let parameter: String

    /// Returns `nil` for computed properties, set constants, and private ones with defaults.
    init?(_ variable: VariableDeclSyntax, _ context: some MacroExpansionContext) {
      guard variable.isInstanceVariable, let binding = variable.bindings.first, binding.isStored,
        let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
      else { return nil }
      let value = binding.initializer?.value.trimmedDescription
      let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
      let isPrivate = variable.modifiers.contains(.private)
      if value != nil, isConstant || isPrivate { return nil }
      name = pattern.identifier.text
      guard let type = binding.typeAnnotation?.type.trimmed else {
        context.report("memberwise.type", "'@Memberwise' needs the type of '\(name)'", at: binding)
        return nil
      }
      if isPrivate, !isConstant, type.isOptional { return nil }
      let standard = value ?? (type.isOptional ? "nil" : nil)
      let escaping = type.isFunction ? "@escaping " : ""
      parameter = "\(name): \(escaping)\(type)" + (standard.map { " = \($0)" } ?? "")
    }
  }
}
