internal import DepotProtocol

extension QueryCompiler {
  /// Finds the rows that must exist for a predicate on all rows of the innermost scope to be true.
  mutating func require(_ predicate: QueryExpression) throws(DepotError) {
    for path in predicate.demands { try requireRow(of: path) }
  }

  /// Requires the row whose column is at the end of a path.
  private mutating func requireRow(of path: QueryExpression) throws(DepotError) {
    let term = try term(path)
    let row: (scope: Int, alias: String)?
    switch term {
    case .operand(let operand): row = operand.row
    case .object(let object): row = object.operand.row
    default: return
    }
    if let row, row.scope == scopes.count - 1 { scopes[row.scope].require(row.alias) }
  }
}

extension QueryExpression {
  /// The paths that can't be null if the predicate is true, and the paths that they start with.
  ///
  /// Their order depends only on the predicate.
  fileprivate var demands: [QueryExpression] {
    switch self {
    case .and(let parts): return parts.flatMap(\.demands).distinct
    case .or(let parts):
      guard let first = parts.first?.demands else { return [] }
      return parts.dropFirst().reduce(first) { common, part in
        if common.isEmpty { return [] }
        let others = Set(part.demands)
        return common.filter(others.contains)
      }
    case .comparison(.notEqual, let part, .value(.null), _),
      .comparison(.notEqual, .value(.null), let part, _):
      return part.sources
    case .comparison(.notEqual, _, _, _): return []
    case .comparison(.equal, let part, .value(let value), _),
      .comparison(.equal, .value(let value), let part, _):
      return value.isNull ? [] : part.sources
    case .comparison(.equal, _, _, _): return []
    case .comparison(_, let left, let right, _): return (left.sources + right.sources).distinct
    // A collection may contain nulls, so the second part isn't required.
    case .text(_, let text, _, _): return text.sources
    case .between(let value, let low, let high):
      return (value.sources + low.sources + high.sources).distinct
    case .in(let value, let list, _):
      let isConstant = list.allSatisfy { element in
        switch element {
        case .value(.list): false
        case .value(let value): !value.isNull
        default: false
        }
      }
      return isConstant ? value.sources : []
    case .attribute, .member: return sources
    default: return []
    }
  }

  /// The paths that can't be null unless the value is null, and the paths that they start with.
  private var sources: [QueryExpression] {
    switch self {
    case .attribute(let path): return Self.prefixes(of: path).map(QueryExpression.attribute)
    case .member(.variable(let name), let path):
      return Self.prefixes(of: path).map { .member(.variable(name), $0) }
    case .arithmetic(_, let left, let right): return (left.sources + right.sources).distinct
    case .negate(let part), .convert(let part, _), .narrow(let part, _): return part.sources
    case .function(_, let arguments):
      return arguments.flatMap(\.sources).distinct
    default: return []
    }
  }

  /// Returns `a.b.c`, `a.b`, and `a`.
  private static func prefixes(of path: String) -> [String] {
    var result = [path]
    var rest = path[...]
    while let dot = rest.lastIndex(of: ".") {
      rest = rest[..<dot]
      result.append(String(rest))
    }
    return result
  }
}

extension [QueryExpression] {
  /// The expressions without duplicates.
  fileprivate var distinct: [QueryExpression] {
    var seen: Set<QueryExpression> = []
    return filter { seen.insert($0).inserted }
  }
}
