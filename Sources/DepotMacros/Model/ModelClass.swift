internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// A class that `@Model` is attached to, and the members that it gets.
struct ModelClass {
  let declaration: ClassDeclSyntax
  let members: Members<ModelMember>
  /// The superclass, if it is a model too.
  let superclass: String?

  /// Reads a declaration; `nil` if it isn't a class.
  ///
  /// A subclass of a model is recognized by the protocols: it has inherited them already.
  init?(_ declaration: some DeclGroupSyntax, conformances: [TypeSyntax]) {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else { return nil }
    self.declaration = declaration
    members = Members(declaration.memberBlock.members, ModelMember.init)
    let parent = declaration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
    let isRoot = conformances.contains { $0.trimmedDescription.hasSuffix("PersistentModel") }
    superclass =
      isRoot || parent?.hasSuffix("PersistentModel") == true
        || parent?.hasSuffix("Sendable") == true
      ? nil : parent
  }

  var name: String { declaration.name.text }

  /// The stored properties, including all clauses of `#if`.
  var properties: [StoredProperty] { members.items.compactMap(\.property) }

  /// Returns the properties of a class that are stored.
  static func properties(of declaration: ClassDeclSyntax) -> [StoredProperty] {
    Members(declaration.memberBlock.members, ModelMember.init).items.compactMap(\.property)
  }

  /// The modifiers of a generated member that subclasses override.
  private var overridable: String {
    declaration.modifiers.contains(.open) ? "open " : declaration.modifiers.memberAccess
  }

  private var isFinal: Bool { declaration.modifiers.contains(.final) }

  /// The type of the backing data that the whole hierarchy shares.
  private var backingData: String {
    "any SwiftData.BackingData<\(superclass.map { "\($0).Root" } ?? name)>"
  }

  /// The generated members that the class doesn't declare itself.
  func generatedMembers() -> [DeclSyntax] {
    let declared = Set(declaration.memberBlock.members.flatMap { $0.decl.declaredNames })
    var result: [DeclSyntax] = []
    // Only the generated initializer surely takes the backing data and sets nothing else before.
    let canBeginWithItsValues = superclass == nil && !declared.contains("init(backingData:)")
    func add(_ name: String, _ member: DeclSyntax) {
      if !declared.contains(name) { result.append(member) }
    }
    add(
      "_$backingData",
      """
      @Transient private var _$backingData: any SwiftData.BackingData<\(raw: name)> = \
      \(raw: name).\(raw: canBeginWithItsValues ? "_$newBackingData" : "createBackingData")()
      """
    )
    if superclass != nil { add("_$isJoined", "@Transient private var _$isJoined = false") }
    add("persistentBackingData", superclass == nil ? persistentBackingData : joinedBackingData)
    add("schemaMetadata", schemaMetadata)
    if !isFinal { add("_$keyPaths", keyPaths) }
    add("init(backingData:)", initializer)
    if superclass == nil {
      add(
        "_$observationRegistrar",
        """
        @Transient public let _$observationRegistrar = Observation.ObservationRegistrar()
        """
      )
    }
    add("access", access)
    add("withMutation", withMutation)
    add("_SwiftDataNoType", "struct _SwiftDataNoType {}")
    return result
  }

  private var persistentBackingData: DeclSyntax {
    """
    \(raw: declaration.modifiers.contains(.open) ? "open" : "public") var persistentBackingData: \
    \(raw: backingData) {
      get {
        _$backingData
      }
      set {
        _$backingData = newValue
      }
    }
    """
  }

  /// The backing data of a subclass, joined with the superclass's backing data on first use.
  ///
  /// Initializers have filled both by then.
  private var joinedBackingData: DeclSyntax {
    """
    override \(raw: declaration.modifiers.contains(.open) ? "open" : "public") \
    var persistentBackingData: \(raw: backingData) {
      get {
        if !_$isJoined {
          _$isJoined = true
          \(raw: name)._$join(_$backingData, into: super.persistentBackingData)
        }
        return super.persistentBackingData
      }
      set {
        _$isJoined = true
        super.persistentBackingData = newValue
      }
    }
    """
  }

  private var schemaMetadata: DeclSyntax {
    let inherited = superclass == nil ? "" : "super.schemaMetadata + "
    let kind =
      superclass != nil
      ? "override \(overridable)class" : isFinal ? "\(overridable)static" : "\(overridable)class"
    let start = "\(keptQuiet)\(kind) var schemaMetadata: [SwiftData.Schema.PropertyMetadata]"
    if members.isConditional {
      let lines = members.lines { "metadata.append(\(metadata(of: $0)))" }
      return """
        \(raw: start) {
          var metadata: [SwiftData.Schema.PropertyMetadata] = \(raw: inherited)[]
        \(raw: lines.map { $0.hasPrefix("#") ? "\($0)\n" : "  \($0)\n" }.joined())\
          return metadata
        }
        """
    }
    let lines = members.lines(metadata)
    return """
      \(raw: start) {
        return \(raw: inherited)[
      \(raw: lines.map { "    \($0),\n" }.joined())\
        ]
      }
      """
  }

  /// The class's own key paths; in a subclass, the ones to inherited properties.
  private var keyPaths: DeclSyntax {
    let inherited = superclass == nil ? "[:]" : "super._$keyPaths"
    let lines = members.lines { member in
      member.property.map { "keyPaths[\"\($0.name)\"] = \\Heir.\($0.identifier.text)" }
    }
    let body =
      lines.isEmpty
      ? ["return \(inherited)"]
      : ["func add<Heir: \(name)>(_: Heir.Type, to keyPaths: inout [String: AnyKeyPath]) {"]
        + lines.map { $0.hasPrefix("#") ? $0 : "  \($0)" }
        + [
          "}", "var keyPaths: [String: AnyKeyPath] = \(inherited)",
          "add(Self.self, to: &keyPaths)", "return keyPaths",
        ]
    let modifiers = "\(keptQuiet)\(superclass == nil ? "" : "override ")\(overridable)class"
    return """
      \(raw: modifiers) var _$keyPaths: [String: AnyKeyPath] {
      \(raw: body.map { $0.hasPrefix("#") ? $0 : "  \($0)" }.joined(separator: "\n"))
      }
      """
  }

  /// A deprecated member may name deprecated properties without a warning.
  private var keptQuiet: String {
    properties.contains(where: \.isDeprecated) ? "@available(*, deprecated) " : ""
  }

  private var initializer: DeclSyntax {
    let lines = members.lines { $0.property.map { "_\($0.name) = \($0.mark)" } }
    // A superclass that is no model is initialized at the end, so that `self` can't be used here.
    let isAlone = declaration.inheritanceClause == nil
    let last =
      superclass != nil
      ? ["_$isJoined = true", "super.init(backingData: backingData)"]
      : [isAlone ? "self.persistentBackingData = backingData" : "_$backingData = backingData"]
    return """
      \(raw: declaration.modifiers.memberAccess)required init(backingData: \(raw: backingData)) {
      \(raw: (lines + last).map { $0.hasPrefix("#") ? $0 : "  \($0)" }.joined(separator: "\n"))
      }
      """
  }

  /// Key paths of inherited properties have the superclass's function, which is preferred.
  private var favor: String { superclass == nil ? "" : "@_disfavoredOverload " }

  private var access: DeclSyntax {
    """
    \(raw: favor)internal nonisolated func access<_M>(keyPath: KeyPath<\(raw: name), _M>) {
      _$observationRegistrar.access(self, keyPath: keyPath)
    }
    """
  }

  private var withMutation: DeclSyntax {
    """
    \(raw: favor)internal nonisolated func withMutation<_M, _MR>(
      keyPath: KeyPath<\(raw: name), _M>, _ mutation: () throws -> _MR
    ) rethrows -> _MR {
      try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
    }
    """
  }
}

extension DeclSyntax {
  /// The names that a member declares, as far as they matter to generated ones.
  fileprivate var declaredNames: [String] {
    if let variable = self.as(VariableDeclSyntax.self) {
      return variable.bindings.map { $0.pattern.trimmedDescription }
    }
    if let function = self.as(FunctionDeclSyntax.self) { return [function.name.text] }
    if let type = self.as(StructDeclSyntax.self) { return [type.name.text] }
    guard let initializer = self.as(InitializerDeclSyntax.self) else { return [] }
    let labels = initializer.signature.parameterClause.parameters.map { "\($0.firstName.text):" }
    return ["init(\(labels.joined()))"]
  }
}
