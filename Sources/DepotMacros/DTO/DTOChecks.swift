internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// The checks of a type that `@DTO` is attached to.
enum DTOChecks {
  /// Whether the declaration is a structure or final class that isn't generic.
  static func isSuitable(_ declaration: some DeclGroupSyntax) -> Bool {
    let isFinal =
      declaration.is(StructDeclSyntax.self)
      || declaration.is(ClassDeclSyntax.self) && declaration.modifiers.contains(.final)
    return isFinal && !Syntax(declaration).isGeneric
  }

  /// Returns whether the declaration is suitable, and reports it if not.
  static func isSuitable(
    _ declaration: some DeclGroupSyntax,
    _ node: AttributeSyntax,
    in context: some MacroExpansionContext
  ) -> Bool {
    if isSuitable(declaration) { return true }
    let (kind, name, keyword) = declaration.kindAndName
    let isClass = declaration.is(ClassDeclSyntax.self)
    let isGeneric =
      (isClass || declaration.is(StructDeclSyntax.self)) && Syntax(declaration).isGeneric
    let removal = FixIt.remove(named: "DTO", from: declaration.attributes)
    let finalizing: FixIt? =
      isClass && !isGeneric
      ? keyword.map {
        .replace("make the class final", $0, by: $0.with(\.tokenKind, .identifier("final class")))
      } : nil
    let type = isGeneric ? "generic type" : isClass ? "non-final class" : "\(kind) type"
    context.report(
      "dto.kind",
      "'@DTO' cannot be applied to \(type) '\(name)'",
      at: node,
      fixIts: [finalizing, removal]
    )
    return false
  }

  /// Reports the properties that can't be columns.
  static func check(_ type: DTOType, in context: some MacroExpansionContext) {
    for variable in type.declaration.memberBlock.members.variables { check(variable, in: context) }
    var known: [String: TokenSyntax] = [:]
    for column in type.columns where column.kind != .identifier && column.kind != .version {
      // Of equal names under conditions, only one may be compiled.
      if let other = known.updateValue(column.identifier, forKey: column.name), !type.isConditional
      {
        context.report(
          "column.duplicate",
          "properties '\(other.text)' and '\(column.identifier.text)' cannot both be \(column.name)",
          at: column.identifier
        )
      }
      let forbidden: Set =
        column.kind == .attribute
        ? ["inverse", "deleteRule", "isOrdered"] : ["isUnique", "isIndexed"]
      for option in column.options where forbidden.contains(option.label?.text ?? "") {
        let what = column.kind == .attribute ? "a relationship" : "an attribute"
        context.report(
          "column.option",
          "'\(option.label?.text ?? "")' is about \(what), and '\(column.identifier.text)' isn't one",
          at: option
        )
      }
    }
  }

  private static func check(
    _ variable: VariableDeclSyntax,
    in context: some MacroExpansionContext
  ) {
    guard variable.isStoredInObjects, let binding = variable.bindings.first else { return }
    let name = binding.pattern.trimmedDescription
    if variable.bindings.count > 1 || !binding.pattern.is(IdentifierPatternSyntax.self) {
      context.report(
        "dto.bindings",
        "@DTO requires each property to be declared on its own",
        at: variable.bindings
      )
    } else if variable.bindingSpecifier.tokenKind == .keyword(.let), binding.initializer != nil {
      context.report(
        "dto.constant",
        "@DTO cannot read constant '\(name)', which has a value already",
        at: binding,
        fixIts: [.change(variable.bindingSpecifier, to: "var")]
      )
    }
  }
}
