internal import SwiftParser
internal import SwiftSyntax

extension AttributeSyntax {
  /// The name without the module.
  var shortName: String {
    if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
    return attributeName.trimmedDescription
  }

  /// The arguments as they are written, without the parentheses.
  var argumentText: String { arguments?.trimmedDescription ?? "" }
}

extension AttributeListSyntax {
  /// The attributes that have a name, in order.
  func all(named name: String) -> [AttributeSyntax] {
    compactMap { $0.as(AttributeSyntax.self) }.filter { $0.shortName == name }
  }

  /// The first attribute that has a name.
  func first(named name: String) -> AttributeSyntax? { all(named: name).first }
}

extension DeclModifierListSyntax {
  /// Whether one of the modifiers is this word, alone and not about the setter.
  func contains(_ keyword: Keyword) -> Bool {
    contains { $0.name.tokenKind == .keyword(keyword) && $0.detail == nil }
  }

  /// The word that makes members as visible as the type, with a space after it; for `open`, that
  /// of members which can't be overridden.
  var memberAccess: String {
    if contains(.public) || contains(.open) { return "public " }
    if contains(.package) { return "package " }
    return ""
  }
}

extension TokenSyntax {
  /// The token's name, without backticks.
  var plainName: String { identifier?.name ?? text }

  /// Whether the name can be written only within backticks, even as a part of another one.
  var isRaw: Bool {
    guard text.hasPrefix("`") else { return false }
    let longer = "_\(plainName)"
    let expression = Parser.parse(source: longer).statements.first?.item
      .as(DeclReferenceExprSyntax.self)
    return expression?.baseName.text != longer
  }
}

extension TypeSyntax {
  /// The type as an expression can name it: `String?` for `String!`.
  var plain: TypeSyntax {
    guard let unwrapped = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else {
      return trimmed
    }
    return TypeSyntax(OptionalTypeSyntax(wrappedType: unwrapped.wrappedType.trimmed))
  }

  /// The type without optionality, if it has it.
  var wrapped: TypeSyntax? {
    if let type = self.as(OptionalTypeSyntax.self) { return type.wrappedType.trimmed }
    if let type = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return type.wrappedType.trimmed
    }
    guard let type = self.as(IdentifierTypeSyntax.self), type.name.text == "Optional" else {
      return nil
    }
    return type.genericArgumentClause?.arguments.first?.argument.as(TypeSyntax.self)?.trimmed
  }

  var isOptional: Bool { wrapped != nil }

  /// Whether it is written as the type of functions.
  var isFunction: Bool {
    self.as(AttributedTypeSyntax.self)?.baseType.isFunction ?? self.is(FunctionTypeSyntax.self)
  }
}
