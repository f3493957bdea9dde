internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// The checks of one variable of a model.
struct PropertyChecks<Context: MacroExpansionContext> {
  private let variable: VariableDeclSyntax
  private let context: Context

  init(_ variable: VariableDeclSyntax, _ context: Context) {
    self.variable = variable
    self.context = context
  }

  func run() {
    checkAttributes()
    guard variable.isStoredInObjects else { return }
    if variable.bindings.count > 1 { return reportBindings() }
    guard let binding = variable.bindings.first else { return }
    guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
      return context.report(
        "property.pattern",
        "@Model requires each property to be declared on its own, not in a tuple pattern",
        at: binding.pattern
      )
    }
    let name = pattern.identifier.text
    if variable.attributes.first(named: "Transient") != nil {
      checkTransient(binding, name)
    } else {
      checkPersisted(binding, name)
    }
  }

  // MARK: Storage

  private func checkPersisted(_ binding: PatternBindingSyntax, _ name: String) {
    if let wrapper = variable.attributes.propertyWrapper {
      return context.report(
        "property.wrapper",
        "@Model cannot persist property '\(name)', whose storage is the property wrapper "
          + "'@\(wrapper.shortName)'",
        at: wrapper,
        fixIts: [.remove(wrapper, from: variable.attributes), addTransient()]
      )
    }
    if let pattern = binding.pattern.as(IdentifierPatternSyntax.self), pattern.identifier.isRaw {
      return context.report(
        "property.name",
        "@Model cannot persist property '\(name)', because no store has such a name",
        at: pattern
      )
    }
    if variable.bindingSpecifier.tokenKind == .keyword(.let) {
      // The compiler refuses it from Swift 6 on. With the fix, others still can only read it.
      let isPrivate =
        variable.modifiers.contains(.private) || variable.modifiers.contains(.fileprivate)
      let new = isPrivate ? "var" : "private(set) var"
      context.report(
        "property.constant",
        "@Model requires property '\(name)' to be mutable in the Swift 6 language mode",
        at: variable.bindingSpecifier,
        severity: .warning,
        fixIts: [.change(variable.bindingSpecifier, to: new)]
      )
    }
    for word in [Keyword.weak, .unowned] {
      guard let modifier = variable.modifiers.first(where: { $0.name.tokenKind == .keyword(word) })
      else { continue }
      let rest = variable.modifiers.filter { $0.id != modifier.id }
      context.report(
        "property.weak",
        "'\(modifier.name.text)' cannot be applied to persisted property '\(name)', "
          + "because a context holds related objects",
        at: modifier,
        fixIts: [.replace("remove '\(modifier.name.text)'", variable, by: removing(rest))]
      )
    }
    guard let type = binding.typeAnnotation?.type, let kind = type.unstorableKind else { return }
    context.report(
      "property.type",
      "@Model cannot persist property '\(name)', whose type is \(kind)",
      at: type,
      fixIts: [binding.initializer == nil && !type.isOptional ? nil : addTransient()]
    )
  }

  private func removing(_ rest: DeclModifierListSyntax) -> VariableDeclSyntax {
    var result = variable.with(\.modifiers, rest)
    result.leadingTrivia = variable.leadingTrivia
    if rest.isEmpty, variable.attributes.isEmpty {
      result.bindingSpecifier.leadingTrivia = variable.leadingTrivia
    }
    return result
  }

  private func addTransient() -> FixIt {
    var bare = variable
    bare.leadingTrivia = []
    let attribute = AttributeSyntax(TypeSyntax("Transient"))
      .with(\.leadingTrivia, variable.leadingTrivia)
      .with(\.trailingTrivia, .space)
    let attributes = AttributeListSyntax([.attribute(attribute)] + Array(bare.attributes))
    return .replace("add '@Transient'", variable, by: bare.with(\.attributes, attributes))
  }

  private func reportBindings() {
    let indentation = variable.leadingTrivia.indentation
    // A type at the end applies to all variables before it that have no type of their own.
    var type: TypeAnnotationSyntax?
    var lines: [String] = []
    for binding in variable.bindings.reversed() {
      if let own = binding.typeAnnotation { type = own }
      if binding.initializer != nil, binding.typeAnnotation == nil { type = nil }
      let declared = binding.with(\.trailingComma, nil).with(\.typeAnnotation, type)
      let start = variable.with(\.bindings, [declared.trimmed]).trimmedDescription
      lines.insert(start, at: 0)
    }
    let text = lines.joined(separator: "\n\(indentation)")
    context.report(
      "property.bindings",
      "@Model requires each property to be declared on its own",
      at: variable.bindings,
      fixIts: [
        .replace(
          "declare each property on its own",
          variable,
          by: DeclSyntax("\(raw: variable.leadingTrivia)\(raw: text)")
        )
      ]
    )
  }

  // MARK: Attributes

  private func checkTransient(_ binding: PatternBindingSyntax, _ name: String) {
    guard binding.initializer == nil, let type = binding.typeAnnotation?.type, !type.isOptional
    else { return }
    let value = type.emptyValue ?? "<#value#>"
    let initializer = InitializerClauseSyntax(
      equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
      value: ExprSyntax("\(raw: value)")
    )
    context.report(
      "transient.default",
      "@Transient requires non-optional property '\(name)' to have a default value",
      at: binding,
      fixIts: [
        .replace(
          "add a default value",
          binding,
          by: binding.trimmed.with(\.initializer, initializer)
            .with(\.trailingTrivia, binding.trailingTrivia)
        ),
        .replace(
          "make the property optional",
          type,
          by: TypeSyntax(OptionalTypeSyntax(wrappedType: type.trimmed))
            .with(\.trailingTrivia, type.trailingTrivia)
        ),
      ]
    )
  }

  private func checkAttributes() {
    let attributes = variable.attributes
    for name in ["Attribute", "Relationship", "Transient"] {
      let all = attributes.all(named: name)
      for duplicate in all.dropFirst() {
        context.report(
          "attribute.duplicate",
          "a property can have '@\(name)' only once",
          at: duplicate,
          fixIts: [.remove(duplicate, from: attributes)]
        )
      }
      guard let attribute = all.first, name != "Transient" else { continue }
      if !variable.isStoredInObjects {
        context.report(
          "attribute.computed",
          "'@\(name)' cannot be applied to \(kind) property '\(variable.names)'",
          at: attribute,
          fixIts: [.remove(attribute, from: attributes)]
        )
      }
    }
    for (first, second) in [
      ("Attribute", "Relationship"), ("Attribute", "Transient"), ("Relationship", "Transient"),
    ] {
      guard let one = attributes.first(named: first), let two = attributes.first(named: second)
      else { continue }
      context.report(
        "attribute.conflict",
        "a property cannot have both '@\(first)' and '@\(second)'",
        at: two,
        fixIts: [.remove(two, from: attributes), .remove(one, from: attributes)]
      )
    }
    checkRelationship()
  }

  private func checkRelationship() {
    guard let attribute = variable.attributes.first(named: "Relationship"),
      variable.isStoredInObjects, let binding = variable.bindings.first,
      let type = binding.typeAnnotation?.type, type.isValue
    else { return }
    context.report(
      "relationship.type",
      "'@Relationship' requires property '\(variable.names)' to be a model, an optional model, "
        + "or an array of models",
      at: type,
      fixIts: [.remove(attribute, from: variable.attributes)]
    )
  }

  private var kind: String {
    if variable.modifiers.contains(.lazy) { return "lazy" }
    return variable.isInstanceVariable ? "computed" : "static"
  }
}

extension VariableDeclSyntax {
  fileprivate var names: String {
    bindings.map(\.pattern.trimmedDescription).joined(separator: ", ")
  }
}

extension StoredProperty {
  /// Whether the store can keep values of the type, as far as its spelling shows.
  var isStorable: Bool { type?.unstorableKind == nil }

  /// Whether a property wrapper has the value.
  var isWrapped: Bool { attributes.propertyWrapper != nil }
}

extension AttributeListSyntax {
  /// The property wrapper: an attribute with the name of a type that is no macro or global actor.
  fileprivate var propertyWrapper: AttributeSyntax? {
    compactMap { $0.as(AttributeSyntax.self) }.first { attribute in
      let name = attribute.shortName
      return name.first?.isUppercase == true && !name.hasSuffix("Actor")
        && !["Attribute", "Relationship", "Transient", "ObservationIgnored"].contains(name)
    }
  }
}
