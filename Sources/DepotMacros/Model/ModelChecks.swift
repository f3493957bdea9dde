internal import SwiftDiagnostics
internal import SwiftParser
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// The checks of a class that `@Model` is attached to.
enum ModelChecks {
  /// Returns whether the declaration is a class that can be a model, and reports it if not.
  static func isModel(
    _ declaration: some DeclGroupSyntax,
    _ node: AttributeSyntax,
    in context: some MacroExpansionContext
  ) -> Bool {
    let removal = FixIt.remove(named: "Model", from: declaration.attributes)
    guard let model = declaration.as(ClassDeclSyntax.self) else {
      let (kind, name, keyword) = declaration.kindAndName
      context.report(
        "model.kind",
        "'@Model' cannot be applied to \(kind) type '\(name)'",
        at: node,
        fixIts: [keyword.flatMap { replacement(of: $0, in: declaration) }, removal]
      )
      return false
    }
    var generic: String?
    if model.genericParameterClause != nil {
      generic = "generic class '\(model.name.text)'"
    } else if let outer = context.lexicalContext.first(where: \.isGeneric) {
      generic = "class '\(model.name.text)' within generic '\(outer.typeName ?? "code")'"
    }
    guard let generic else { return true }
    context.report(
      "model.generic",
      "'@Model' cannot be applied to \(generic), because a store keeps one entity for each class",
      at: node,
      fixIts: [removal]
    )
    return false
  }

  /// Reports all that is wrong with a class.
  static func check(_ model: ModelClass, in context: some MacroExpansionContext) {
    let declaration = model.declaration
    let variables = declaration.memberBlock.members.variables
    for variable in variables { PropertyChecks(variable, context).run() }
    if !declaration.memberBlock.members.hasInitializer {
      context.report(
        "model.initializer",
        "@Model requires an initializer be provided for '\(model.name)'",
        at: declaration.name,
        fixIts: [model.superclass == nil ? insertion(into: model) : nil]
      )
    }
    ConstraintChecks.run(model, in: context)
    var origins: [String: String] = [:]
    for property in model.properties {
      guard let origin = property.originalName else { continue }
      if let other = origins.updateValue(property.name, forKey: origin.text) {
        context.report(
          "attribute.origin",
          "properties '\(other)' and '\(property.name)' cannot have the same original name "
            + "'\(origin.text)'",
          at: origin.node
        )
      }
    }
  }

  private static func replacement(
    of keyword: TokenSyntax,
    in declaration: some DeclGroupSyntax
  ) -> FixIt? {
    guard keyword.text != "enum", keyword.text != "protocol" else { return nil }
    let isFinal = declaration.modifiers.contains(.final)
    return .change(keyword, to: isFinal ? "class" : "final class")
  }

  /// Inserts an initializer after the stored properties, with a parameter for each that it can.
  private static func insertion(into model: ModelClass) -> FixIt? {
    let members = model.declaration.memberBlock.members
    let properties = members.compactMap { StoredProperty($0.decl) }
      .filter { $0.type != nil && ($0.isPersisted || $0.initialValue == nil) }
    let parameters = properties.map { property in
      let type = property.type?.plain.trimmedDescription ?? ""
      let value = property.initialValue.map { " = \($0)" } ?? ""
      let none = property.initialValue == nil && property.type?.isOptional == true ? " = nil" : ""
      return "\(property.identifier.text): \(type)\(value)\(none)"
    }
    let assignments = properties.map {
      "self.\($0.identifier.text) = \($0.identifier.text)"
    }
    return .insertInitializer(into: model.declaration, parameters, assignments)
  }
}

extension FixIt {
  /// Inserts an initializer behind the members of a type.
  static func insertInitializer(
    into declaration: some DeclGroupSyntax,
    _ parameters: [String],
    _ statements: [String]
  ) -> FixIt {
    let members = declaration.memberBlock.members
    let indentation = members.first?.leadingTrivia.indentation ?? "  "
    let blank = members.isEmpty ? "" : "\n"
    let body = statements.map { "\n\(indentation)\(indentation)\($0)" }.joined()
    let initializer: DeclSyntax = """
      \(raw: blank)\n\(raw: indentation)\(raw: declaration.modifiers.memberAccess)\
      init(\(raw: parameters.joined(separator: ", "))) {\(raw: body)
      \(raw: indentation)}
      """
    return .replace(
      "insert an initializer",
      members,
      by: MemberBlockItemListSyntax(Array(members) + [MemberBlockItemSyntax(decl: initializer)])
    )
  }
}

extension StoredProperty {
  /// The former name of the property, as `@Attribute` or `@Relationship` says.
  fileprivate var originalName: (text: String, node: ExprSyntax)? {
    for attribute in attributes.all(named: "Attribute") + attributes.all(named: "Relationship") {
      guard case .argumentList(let arguments) = attribute.arguments else { continue }
      for argument in arguments where argument.label?.text == "originalName" {
        guard let literal = argument.expression.as(StringLiteralExprSyntax.self),
          let text = literal.representedLiteralValue
        else { continue }
        return (text, argument.expression)
      }
    }
    return nil
  }
}

extension MemberBlockItemListSyntax {
  /// The variables, including all clauses of `#if`.
  var variables: [VariableDeclSyntax] {
    Members(self) { $0.as(VariableDeclSyntax.self) }.items
  }

  fileprivate var hasInitializer: Bool {
    Members(self) { $0.as(InitializerDeclSyntax.self) }.items.contains { initializer in
      !initializer.modifiers.contains(.convenience)
        && initializer.signature.parameterClause.parameters.first?.firstName.text != "backingData"
    }
  }
}

extension Trivia {
  /// The spaces at the beginning of the line that the next token is on.
  var indentation: String {
    description.split(separator: "\n", omittingEmptySubsequences: false).last.map(String.init) ?? ""
  }
}

extension Syntax {
  var isGeneric: Bool {
    asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
  }

  fileprivate var typeName: String? { asProtocol((any NamedDeclSyntax).self)?.name.text }
}

extension DeclGroupSyntax {
  /// The compiler's word for the declaration, its name, and the keyword that begins it.
  var kindAndName: (kind: String, name: String, keyword: TokenSyntax?) {
    let name = asProtocol((any NamedDeclSyntax).self)?.name.text ?? ""
    if self.is(ExtensionDeclSyntax.self) { return ("this", name, nil) }
    return (introducer.text, name, introducer)
  }
}
