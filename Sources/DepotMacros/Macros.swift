package import SwiftSyntaxMacros

/// The macros that the compiler plugin offers.
package enum Macros {
  /// All macros, in the order of their names.
  package static var all: [any Macro.Type] {
    [
      AttributePropertyMacro.self,
      BlockingMacro.self,
      ColumnMacro.self,
      DTOMacro.self,
      IndexMacro.self,
      LinkingInitializerMacro.self,
      MemberwiseMacro.self,
      OperationCasesMacro.self,
      PersistedPropertyMacro.self,
      PersistentModelActorMacro.self,
      PersistentModelMacro.self,
      PredicateExpressionMacro.self,
      PredicateMacro.self,
      RelationshipPropertyMacro.self,
      TransformablePersistedPropertyMacro.self,
      TransientPropertyMacro.self,
      UniqueConstraintsMacro.self,
    ]
  }

  /// Returns the macro whose type has a name, as `#externalMacro` gives it.
  package static func named(_ name: String) -> (any Macro.Type)? {
    all.first { "\($0)" == name }
  }
}
