internal import SwiftSyntax

/// One stored variable of a model, as it is written.
struct StoredProperty {
  /// The name as code has to write it, with backticks if needed.
  let identifier: TokenSyntax
  let type: TypeSyntax?
  let initialValue: ExprSyntax?
  let observers: AccessorDeclListSyntax?
  let attributes: AttributeListSyntax

  /// The name without backticks.
  var name: String { identifier.plainName }

  /// Returns the variable that a declaration makes if a model can keep its value.
  ///
  /// The result is `nil` for variables that aren't written as a model requires, for computed,
  /// static, and lazy ones, and for names that no store can have.
  init?(_ declaration: some DeclSyntaxProtocol) {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      variable.isInstanceVariable, !variable.isTransientConstant, variable.bindings.count == 1,
      let binding = variable.bindings.first, binding.isStored,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self), !pattern.identifier.isRaw
    else { return nil }
    identifier = pattern.identifier.trimmed
    type = binding.typeAnnotation?.type.trimmed
    initialValue = binding.initializer?.value.trimmed
    attributes = variable.attributes
    observers = binding.observers
  }

  /// Whether its value belongs to the store.
  var isPersisted: Bool { attributes.first(named: "Transient") == nil }

  /// Whether a transformer converts its value to data.
  var isTransformable: Bool {
    attributes.all(named: "Attribute").contains { $0.argumentText.contains(".transformable(") }
  }

  /// Whether its users are warned.
  var isDeprecated: Bool {
    attributes.all(named: "available").contains { $0.argumentText.contains("deprecated") }
  }

  /// The type of the peer that says that the property has been initialized.
  var markType: String { observers == nil ? "_SwiftDataNoType" : "Bool" }

  /// The value of the peer; for an observed property it says whether the observers run.
  var mark: String { observers == nil ? "_SwiftDataNoType()" : "false" }
}

extension VariableDeclSyntax {
  /// Whether each object has the variable, and it may have storage.
  var isInstanceVariable: Bool {
    !modifiers.contains(.static) && !modifiers.contains(.class) && !modifiers.contains(.lazy)
      && !modifiers.contains(.override)
  }

  /// Whether each object has the variable, and it has storage.
  var isStoredInObjects: Bool { isInstanceVariable && bindings.allSatisfy(\.isStored) }

  /// Whether it never changes and isn't stored, so that it is no model's business.
  fileprivate var isTransientConstant: Bool {
    bindingSpecifier.tokenKind == .keyword(.let) && attributes.first(named: "Transient") != nil
  }
}

extension PatternBindingSyntax {
  /// Whether the variable has storage: no accessors but observers.
  var isStored: Bool { accessorBlock == nil || observers != nil }

  /// The observers, if the variable has nothing else.
  var observers: AccessorDeclListSyntax? {
    guard case .accessors(let accessors) = accessorBlock?.accessors,
      accessors.allSatisfy({
        [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
      })
    else { return nil }
    return accessors
  }
}
