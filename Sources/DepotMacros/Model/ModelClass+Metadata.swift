internal import SwiftSyntax

extension ModelClass {
  /// Returns the expression that describes a property or constraint to the schema.
  func metadata(of member: ModelMember) -> String {
    switch member {
    case .property(let property): metadata(of: property)
    case .constraint(let macro): metadata(of: macro)
    }
  }

  private func metadata(of property: StoredProperty) -> String {
    let description =
      property.attributes.description(of: "Attribute")
      ?? property.attributes.description(of: "Relationship")
    return "SwiftData.Schema.PropertyMetadata(name: \"\(property.name)\", "
      + "keypath: \\\(name).\(property.identifier.text), "
      + "defaultValue: \(property.defaultValue), metadata: \(description ?? "nil"))"
  }

  private func metadata(of macro: MacroExpansionDeclSyntax) -> String {
    let type = "SwiftData.Schema.\(macro.macroName.text)"
    let arguments = macro.arguments.trimmedDescription
    return "SwiftData.Schema.PropertyMetadata(name: \"\(type)\", "
      + "keypath: \\SwiftData.Schema.encodingVersion, defaultValue: nil, "
      + "metadata: \(type)<\(name)>(\(arguments)))"
  }
}

extension AttributeListSyntax {
  /// The construction of the schema's counterpart of an attribute.
  fileprivate func description(of name: String) -> String? {
    first(named: name).map { "SwiftData.Schema.\(name)(\($0.argumentText))" }
  }
}

extension StoredProperty {
  /// The default value as an expression that needs no context.
  fileprivate var defaultValue: String {
    guard let value = initialValue else { return "nil" }
    guard let type = type?.plain, !value.is(NilLiteralExprSyntax.self),
      !value.isLiteral(of: type.trimmedDescription)
    else { return "\(value)" }
    if let member = value.as(MemberAccessExprSyntax.self), member.base == nil,
      type.is(IdentifierTypeSyntax.self) || type.is(MemberTypeSyntax.self)
    {
      return "\(type)\(member)"
    }
    return value.isPostfix ? "(\(value) as \(type))" : "((\(value)) as \(type))"
  }
}

extension ExprSyntax {
  /// Whether it is a literal that has this type by default.
  fileprivate func isLiteral(of type: String) -> Bool {
    switch type {
    case "Int": self.is(IntegerLiteralExprSyntax.self)
    case "Double": self.is(FloatLiteralExprSyntax.self)
    case "Bool": self.is(BooleanLiteralExprSyntax.self)
    case "String": self.is(StringLiteralExprSyntax.self)
    default: false
    }
  }

  /// Whether `as` may follow it and mean all of it.
  fileprivate var isPostfix: Bool {
    [
      .integerLiteralExpr, .floatLiteralExpr, .stringLiteralExpr, .booleanLiteralExpr, .arrayExpr,
      .dictionaryExpr, .functionCallExpr, .memberAccessExpr, .declReferenceExpr,
      .prefixOperatorExpr,
    ].contains(kind)
  }
}
