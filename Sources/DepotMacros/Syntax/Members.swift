internal import SwiftSyntax

/// The members of a type that matter to a macro, within their clauses of `#if`.
struct Members<Item> {
  private enum Node {
    case item(Item)
    /// The clauses of `#if`, each with its first line.
    case clauses([(line: String, members: Members)])
  }

  private let nodes: [Node]

  /// - Parameters:
  ///   - list: All members.
  ///   - read: Returns the macro's view of a member; `nil` if it doesn't matter.
  init(_ list: MemberBlockItemListSyntax, _ read: (DeclSyntax) -> Item?) {
    nodes = list.compactMap { item in
      if let found = read(item.decl) { return .item(found) }
      guard let conditional = item.decl.as(IfConfigDeclSyntax.self) else { return nil }
      let clauses = conditional.clauses.map { clause in
        let condition = clause.condition.map { " \($0.trimmedDescription)" } ?? ""
        let elements = clause.elements?.as(MemberBlockItemListSyntax.self) ?? []
        return (line: clause.poundKeyword.text + condition, members: Members(elements, read))
      }
      return clauses.allSatisfy(\.members.nodes.isEmpty) ? nil : .clauses(clauses)
    }
  }

  /// The members of all clauses.
  var items: [Item] {
    nodes.flatMap { node in
      switch node {
      case .item(let item): [item]
      case .clauses(let clauses): clauses.flatMap(\.members.items)
      }
    }
  }

  /// Whether there are members within `#if`.
  var isConditional: Bool { nodes.contains { if case .clauses = $0 { true } else { false } } }

  /// Renders the lines of each member, within the same conditions.
  func lines(_ line: (Item) -> String?) -> [String] {
    nodes.flatMap { node in
      switch node {
      case .item(let item): line(item).map { [$0] } ?? []
      case .clauses(let clauses):
        clauses.flatMap { [$0.line] + $0.members.lines(line) } + ["#endif"]
      }
    }
  }
}
