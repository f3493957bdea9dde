internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@OperationCases`: numbers the cases of an enumeration of operations, and passes their requests.
enum OperationCasesMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard declaration.is(EnumDeclSyntax.self) else {
      context.report("operations.kind", "'@OperationCases' needs an enumeration", at: node)
      return []
    }
    let cases = declaration.memberBlock.members.flatMap {
      $0.decl.as(EnumCaseDeclSyntax.self)?.elements.map { $0 } ?? []
    }
    let ordinals = cases.enumerated().map { "  case .\($1.name.text): \($0)\n" }.joined()
    let requests = cases.filter(hasRequest).map {
      """
        case .\($0.name.text)(var request):
          try request.members(&coder)
          if Coder.isReader { self = .\($0.name.text)(request) }

      """
    }
    return [
      """
      package var ordinal: Int {
        switch self {
      \(raw: ordinals)  }
      }
      """,
      """
      mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        switch self {
      \(raw: requests.joined())  default: try values(&coder)
        }
      }
      """,
    ]
  }

  /// Whether the case has a request, which lists its members itself.
  private static func hasRequest(_ element: EnumCaseElementSyntax) -> Bool {
    guard let values = element.parameterClause?.parameters, let value = values.first else {
      return false
    }
    return values.count == 1 && value.firstName == nil && !value.type.isValue
  }
}
