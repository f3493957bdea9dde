internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@ModelActor`: makes an actor work with a context of its own.
enum PersistentModelActorMacro {}

extension PersistentModelActorMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ActorDeclSyntax.self) else {
      reportKind(of: declaration, at: node, in: context)
      return []
    }
    let access = declaration.modifiers.memberAccess
    let variables = declaration.memberBlock.members.compactMap {
      $0.decl.as(VariableDeclSyntax.self)
    }
    let names = Set(variables.flatMap(\.bindings).map(\.pattern.trimmedDescription))
    var members: [DeclSyntax] = []
    for (name, type) in [
      ("modelExecutor", "any SwiftData.ModelExecutor"),
      ("modelContainer", "SwiftData.ModelContainer"),
    ] where !names.contains(name) {
      members.append("\(raw: access)nonisolated let \(raw: name): \(raw: type)")
    }
    if needsInitializer(declaration, variables, in: context) {
      members.append(
        """
        \(raw: access)init(modelContainer: SwiftData.ModelContainer) {
          let modelContext = SwiftData.ModelContext(modelContainer)
          self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
          self.modelContainer = modelContainer
        }
        """
      )
    }
    return members
  }

  /// Returns whether the actor gets an initializer: it hasn't the same one, and each of its
  /// properties has a value.
  private static func needsInitializer(
    _ declaration: ActorDeclSyntax,
    _ variables: [VariableDeclSyntax],
    in context: some MacroExpansionContext
  ) -> Bool {
    let initializers = declaration.memberBlock.members.compactMap {
      $0.decl.as(InitializerDeclSyntax.self)
    }
    let labels = initializers.map {
      $0.signature.parameterClause.parameters.map(\.firstName.text)
    }
    if labels.contains(["modelContainer"]) { return false }
    let incomplete = variables.compactMap { $0.bindingWithoutValue }
    guard let first = incomplete.first else { return true }
    if !initializers.isEmpty { return false }
    context.report(
      "actor.initializer",
      "@ModelActor requires property '\(first.pattern.trimmedDescription)' to have a default value, "
        + "or an initializer that sets modelContainer and modelExecutor",
      at: first,
      fixIts: [insertion(of: incomplete, into: declaration)]
    )
    return false
  }

  private static func insertion(
    of bindings: [PatternBindingSyntax],
    into declaration: ActorDeclSyntax
  ) -> FixIt? {
    let properties = bindings.map { binding in
      (binding.pattern.trimmedDescription, binding.typeAnnotation?.type.trimmedDescription ?? "")
    }
    let parameters = ["modelContainer: ModelContainer"] + properties.map { "\($0.0): \($0.1)" }
    let lines =
      [
        "self.modelContainer = modelContainer",
        "modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))",
      ] + properties.map { "self.\($0.0) = \($0.0)" }
    return .insertInitializer(into: declaration, parameters, lines)
  }

  private static func reportKind(
    of declaration: some DeclGroupSyntax,
    at node: AttributeSyntax,
    in context: some MacroExpansionContext
  ) {
    let (kind, name, keyword) = declaration.kindAndName
    let replaceable = keyword.flatMap {
      ["class", "struct"].contains($0.text) && !declaration.modifiers.contains(.final) ? $0 : nil
    }
    context.report(
      "actor.kind",
      "'@ModelActor' cannot be applied to \(kind) type '\(name)'",
      at: node,
      fixIts: [
        replaceable.map { .change($0, to: "actor") },
        .remove(named: "ModelActor", from: declaration.attributes),
      ]
    )
  }
}

extension PersistentModelActorMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
    return [try ExtensionDeclSyntax("extension \(type.trimmed): SwiftData.ModelActor {}")]
  }
}

extension VariableDeclSyntax {
  /// The variable that an initializer has to set, except the macro's own variables.
  fileprivate var bindingWithoutValue: PatternBindingSyntax? {
    guard isInstanceVariable else { return nil }
    return bindings.first { binding in
      let isOptional =
        bindingSpecifier.tokenKind == .keyword(.var)
        && binding.typeAnnotation?.type.isOptional == true
      let name = binding.pattern.trimmedDescription
      return binding.isStored && binding.initializer == nil && !isOptional
        && !["modelExecutor", "modelContainer"].contains(name)
    }
  }
}
