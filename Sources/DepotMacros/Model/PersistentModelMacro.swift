internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@Model`: makes a class a persistent model.
enum PersistentModelMacro {}

extension PersistentModelMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard ModelChecks.isModel(declaration, node, in: context),
      let model = ModelClass(declaration, conformances: protocols)
    else { return [] }
    ModelChecks.check(model, in: context)
    return model.generatedMembers()
  }
}

extension PersistentModelMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else { return [] }
    if let initializer = member.as(InitializerDeclSyntax.self) {
      let isLinking =
        initializer.isDesignated
        && ModelClass.properties(of: declaration).contains(where: \.mayBeRelationship)
      return isLinking ? ["@_LinkingInitializer"] : []
    }
    guard let property = StoredProperty(member),
      property.isPersisted, property.isStorable, !property.isWrapped,
      property.attributes.first(named: "_PersistedProperty") == nil,
      property.attributes.first(named: "_TransformablePersistedProperty") == nil
    else { return [] }
    return [property.isTransformable ? "@_TransformablePersistedProperty" : "@_PersistedProperty"]
  }
}

extension PersistentModelMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ClassDeclSyntax.self) else { return [] }
    let type = type.trimmed
    let missing = Set(protocols.compactMap { $0.trimmedDescription.split(separator: ".").last })
    var result: [ExtensionDeclSyntax] = []
    for name in ["SwiftData.PersistentModel", "Observation.Observable"]
    where missing.contains(where: { name.hasSuffix(".\($0)") }) {
      result.append(try ExtensionDeclSyntax("extension \(type): nonisolated \(raw: name) {}"))
    }
    if missing.contains("Sendable") {
      result.append(
        try ExtensionDeclSyntax(
          """
          @available(*, unavailable, message: "PersistentModels are not Sendable, consider \
          utilizing a ModelActor or use \(type)'s persistentModelID instead")
          extension \(type): Sendable {}
          """
        )
      )
    }
    return result
  }
}
