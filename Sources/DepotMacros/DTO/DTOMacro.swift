internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@DTO`: binds a structure or final class of stored properties to an entity.
enum DTOMacro {}

extension DTOMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard DTOChecks.isSuitable(declaration, node, in: context) else { return [] }
    let type = DTOType(declaration)
    DTOChecks.check(type, in: context)
    // A structure's initializer is in an extension, which keeps the memberwise initializer.
    return type.isClass ? ["\(raw: type.initializer())"] : []
  }
}

extension DTOMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard DTOChecks.isSuitable(declaration) else { return [] }
    var entity = "\"\(declaration.kindAndName.name)\""
    if case .argumentList(let arguments) = node.arguments, let first = arguments.first {
      entity = first.expression.trimmedDescription
    }
    return [
      try DTOType(declaration).conformance(of: type, entity: entity, isNew: !protocols.isEmpty)
    ]
  }
}

/// `@Column`, which `@DTO` reads.
enum ColumnMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if declaration.as(VariableDeclSyntax.self)?.isStoredInObjects != true {
      context.reportPlace(of: node, on: declaration, "column.place", "a type with '@DTO'")
    }
    return []
  }
}
