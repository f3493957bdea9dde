internal import SwiftSyntax

extension TypeSyntax {
  /// The name of a type that no store can keep; `nil` for all others.
  var unstorableKind: String? {
    if let wrapped { return wrapped.unstorableKind }
    if let tuple = self.as(TupleTypeSyntax.self) {
      if tuple.elements.count == 1 { return tuple.elements.first?.type.unstorableKind }
      return "a tuple"
    }
    if self.is(FunctionTypeSyntax.self) { return "a function" }
    if let attributed = self.as(AttributedTypeSyntax.self) {
      return attributed.baseType.unstorableKind
    }
    if self.is(MetatypeTypeSyntax.self) { return "a metatype" }
    return nil
  }

  /// Whether it is known, from its name alone, to be a value and not a model.
  var isValue: Bool {
    if let wrapped { return wrapped.isValue }
    if let array = self.as(ArrayTypeSyntax.self) { return array.element.isValue }
    if self.is(DictionaryTypeSyntax.self) { return true }
    guard let type = self.as(IdentifierTypeSyntax.self) else { return unstorableKind != nil }
    if ["Array", "Set"].contains(type.name.text),
      let element = type.genericArgumentClause?.arguments.first?.argument.as(TypeSyntax.self)
    {
      return element.isValue
    }
    return Self.values.contains(type.name.text) || type.name.text == "Dictionary"
  }

  private static let values: Set = [
    "Bool", "Character", "Data", "Date", "Decimal", "Double", "Duration", "Float", "Int", "Int8",
    "Int16", "Int32", "Int64", "String", "Substring", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    "URL", "UUID",
  ]

  /// The empty value of a well-known type.
  var emptyValue: String? {
    if self.is(ArrayTypeSyntax.self) { return "[]" }
    if self.is(DictionaryTypeSyntax.self) { return "[:]" }
    guard let type = self.as(IdentifierTypeSyntax.self) else { return nil }
    switch type.name.text {
    case "Array", "Set": return "[]"
    case "Dictionary": return "[:]"
    case "Bool": return "false"
    case "String", "Substring": return "\"\""
    case "Data", "UUID": return "\(type.name.text)()"
    case "Date": return "Date.distantPast"
    case "Decimal", "Double", "Float", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8",
      "UInt16", "UInt32", "UInt64":
      return "0"
    default: return nil
    }
  }
}
