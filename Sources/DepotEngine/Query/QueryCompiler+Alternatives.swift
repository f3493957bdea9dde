internal import DepotProtocol

extension QueryCompiler {
  /// Translates a disjunction.
  ///
  /// A table that is joined for only one alternative would have to be searched for every row. So if
  /// an index finds the few rows at the end of a path, they are searched first, and the alternative
  /// becomes the condition that the path starts at one of them. Each alternative can then use its
  /// own index.
  mutating func alternatives(
    _ parts: [QueryExpression],
    isFilter: Bool
  ) throws(DepotError) -> Condition {
    guard isFilter, parts.count > 1, scopes.count == 1 else {
      return try junction(parts, "OR", ifEmpty: false, isFilter: isFilter)
    }
    return try junction(parts, "OR", ifEmpty: false, isFilter: true) {
      (compiler, part) throws(DepotError) in
      try compiler.alternative(part)
    }
  }

  /// Translates an alternative as a search from the end of a path, if that is faster.
  private mutating func alternative(_ part: QueryExpression) throws(DepotError) -> Condition? {
    switch part {
    case .and(let parts) where parts.count > 1:
      return try junction(parts, "AND", ifEmpty: true, isFilter: true) {
        (compiler, part) throws(DepotError) in
        try compiler.alternative(part)
      }
    case .comparison(.equal, .attribute(let path), .value(let value), let options):
      return try beginning(path) { .comparison(.equal, $0, .value(value), options: options) }
    case .comparison(.equal, .value(let value), .attribute(let path), let options):
      return try beginning(path) { .comparison(.equal, .value(value), $0, options: options) }
    case .in(.attribute(let path), let list, let options) where !list.contains(.value(.null)):
      return try beginning(path) { .in($0, list, options: options) }
    default: return nil
    }
  }

  /// Translates a predicate on the end of a path by searching the first related rows for it.
  ///
  /// The condition is that the row's first reference is one of the rows from where the rest of the
  /// path satisfies the predicate; a missing row must not satisfy that. It is `nil` unless an
  /// index finds these rows.
  private mutating func beginning(
    _ path: String,
    _ predicate: (QueryExpression) -> QueryExpression
  ) throws(DepotError) -> Condition? {
    let steps = path.split(separator: ".", maxSplits: 1).map(String.init)
    guard steps.count == 2, steps[1] != "$id", let relationship = row.layout.relationship(steps[0]),
      case .column(let column) = relationship.storage
    else { return nil }
    let layout = try catalog.layout(of: relationship.destination)
    let start = row.guarded(Fragment(sql: "t0.\(column)"))
    // If all alternatives need a path, SQLite can begin at its end anyway.
    if let joined = scopes[0].alias(of: layout.table, where: "id", is: start),
      scopes[0].requires(joined)
    {
      return nil
    }
    let alias = nextAlias()
    let end = QueryObject(
      layout: layout,
      identifier: Fragment(sql: "\(alias).id"),
      isNullable: false,
      scope: scopes.count,
      rowSource: .alias(alias),
      source: .attribute(steps[0])
    )
    let name = KeyPathSyntax.generatedVariable(in: variables.map(\.name))
    let rest = predicate(.member(.variable(name), steps[1]))
    guard isSelective(rest, about: name, .object(end)) else { return nil }
    scopes.append(QueryScope(from: Fragment(sql: "\(layout.table) AS \(alias)")))
    let condition = try with(name, .object(end)) { (compiler) throws(DepotError) in
      try compiler.require(rest)
      return try compiler.condition(rest, isFilter: true)
    }
    let select = "SELECT " + end.identifier + scopes.removeLast().clauses(and: condition.fragment)
    return Condition(start + " IN (" + select + ")", isNullable: true)
  }
}
