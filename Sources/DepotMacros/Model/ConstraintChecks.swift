internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// The checks of `#Index` and `#Unique` within a model.
enum ConstraintChecks {
  static func run(_ model: ModelClass, in context: some MacroExpansionContext) {
    let unstored = model.unstoredNames
    for member in model.members.items.compactMap(\.constraint) {
      let name = member.macroName.text
      if let type = member.genericArgumentClause?.arguments.first?.argument.as(TypeSyntax.self),
        type.lastName != model.name
      {
        context.report(
          "constraint.model",
          "'#\(name)' within '\(model.name)' must be about '\(model.name)'",
          at: type,
          fixIts: [
            .replace(
              "change '\(type.trimmedDescription)' to '\(model.name)'",
              type,
              by: TypeSyntax(IdentifierTypeSyntax(name: .identifier(model.name)))
            )
          ]
        )
      }
      if member.arguments.isEmpty {
        context.report(
          "constraint.empty",
          "'#\(name)' requires a list of key paths",
          at: member
        )
      }
      for keyPath in member.arguments.keyPaths {
        guard
          let component = keyPath.components.first?.component
            .as(KeyPathPropertyComponentSyntax.self),
          let kind = unstored[component.declName.baseName.plainName]
        else { continue }
        context.report(
          "constraint.property",
          "'#\(name)' requires persisted properties, and "
            + "'\(component.declName.baseName.text)' is \(kind)",
          at: keyPath
        )
      }
    }
  }
}

extension ModelClass {
  /// The kinds of the variables that the store doesn't keep, by name.
  fileprivate var unstoredNames: [String: String] {
    var result: [String: String] = [:]
    for variable in declaration.memberBlock.members.compactMap({
      $0.decl.as(VariableDeclSyntax.self)
    }) {
      let isTransient = variable.attributes.first(named: "Transient") != nil
      for binding in variable.bindings {
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainName ?? ""
        if isTransient {
          result[name] = "transient"
        } else if !variable.isInstanceVariable {
          result[name] = variable.modifiers.contains(.lazy) ? "lazy" : "static"
        } else if !binding.isStored {
          result[name] = "computed"
        }
      }
    }
    return result
  }
}

extension TypeSyntax {
  /// The name without the types that it is nested in.
  fileprivate var lastName: String {
    if let member = self.as(MemberTypeSyntax.self) { return member.name.text }
    return self.as(IdentifierTypeSyntax.self)?.name.text ?? trimmedDescription
  }
}

extension LabeledExprListSyntax {
  /// The key paths, at any depth.
  fileprivate var keyPaths: [KeyPathExprSyntax] {
    let finder = KeyPathFinder(viewMode: .sourceAccurate)
    finder.walk(self)
    return finder.found
  }
}

private final class KeyPathFinder: SyntaxVisitor {
  var found: [KeyPathExprSyntax] = []

  override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
    found.append(node)
    return .skipChildren
  }
}
