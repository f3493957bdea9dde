internal import SwiftSyntax

/// What `@Model` finds in a class and has to tell the schema.
indirect enum ModelMember {
  case property(StoredProperty)
  /// `#Index` or `#Unique`.
  case constraint(MacroExpansionDeclSyntax)
  /// The clauses of `#if`, each with its first line.
  case conditional([(line: String, members: [ModelMember])])

  static func all(in list: MemberBlockItemListSyntax) -> [ModelMember] {
    list.compactMap { item in
      if let property = StoredProperty(item.decl) {
        return property.isPersisted ? .property(property) : nil
      }
      if let macro = item.decl.as(MacroExpansionDeclSyntax.self) {
        return ["Index", "Unique"].contains(macro.macroName.text) ? .constraint(macro) : nil
      }
      guard let conditional = item.decl.as(IfConfigDeclSyntax.self) else { return nil }
      let clauses = conditional.clauses.map { clause in
        let condition = clause.condition.map { " \($0.trimmedDescription)" } ?? ""
        let members = clause.elements?.as(MemberBlockItemListSyntax.self).map(all) ?? []
        return (clause.poundKeyword.text + condition, members)
      }
      return clauses.allSatisfy(\.1.isEmpty) ? nil : .conditional(clauses)
    }
  }

  /// The properties, in whatever clause they stand.
  var properties: [StoredProperty] {
    switch self {
    case .property(let property): [property]
    case .constraint: []
    case .conditional(let clauses): clauses.flatMap { $0.members.flatMap(\.properties) }
    }
  }

  /// Renders what stands for each property and constraint as lines, within the same conditions.
  static func lines(
    for members: [ModelMember],
    _ line: (ModelMember) -> String?
  ) -> [String] {
    members.flatMap { member -> [String] in
      guard case .conditional(let clauses) = member else {
        return line(member).map { [$0] } ?? []
      }
      return clauses.flatMap { [$0.line] + lines(for: $0.members, line) } + ["#endif"]
    }
  }
}
