internal import SwiftSyntax

/// A member of a class that `@Model` describes to the schema.
enum ModelMember {
  case property(StoredProperty)
  /// `#Index` or `#Unique`.
  case constraint(MacroExpansionDeclSyntax)

  init?(_ member: DeclSyntax) {
    if let property = StoredProperty(member), property.isPersisted, !property.isWrapped {
      self = .property(property)
    } else if let macro = member.as(MacroExpansionDeclSyntax.self),
      ["Index", "Unique"].contains(macro.macroName.text)
    {
      self = .constraint(macro)
    } else {
      return nil
    }
  }

  var property: StoredProperty? {
    if case .property(let property) = self { property } else { nil }
  }

  var constraint: MacroExpansionDeclSyntax? {
    if case .constraint(let macro) = self { macro } else { nil }
  }
}
