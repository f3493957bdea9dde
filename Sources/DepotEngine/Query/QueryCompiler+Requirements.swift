internal import DepotProtocol

extension QueryCompiler {
  /// Notes which rows must be there for a predicate to be true that all elements of the innermost
  /// scope have to satisfy.
  mutating func require(_ predicate: QueryExpression) throws(DepotError) {
    switch predicate {
    case .and(let parts):
      for part in parts { try require(part) }
    case .comparison(.notEqual, _, _, _): return
    case .comparison(.equal, let part, .value(let value), _),
      .comparison(.equal, .value(let value), let part, _):
      if !value.isNull { try requireRow(of: part) }
    case .comparison(.equal, _, _, _): return
    case .comparison(_, let left, let right, _):
      try requireRow(of: left)
      try requireRow(of: right)
    case .text(_, let text, _, _): try requireRow(of: text)
    case .between(let value, _, _): try requireRow(of: value)
    case .in(let value, let list, _):
      let isConstant = list.allSatisfy { element in
        if case .value(let value) = element { !value.isNull } else { false }
      }
      if isConstant { try requireRow(of: value) }
    case .attribute, .member: try requireRow(of: predicate)
    default: return
    }
  }

  /// Notes that the row must be there whose column a path ends at.
  private mutating func requireRow(of part: QueryExpression) throws(DepotError) {
    switch part {
    case .attribute, .member(.variable, _): break
    default: return
    }
    let term = try term(part)
    let row: (scope: Int, alias: String)?
    switch term {
    case .operand(let operand): row = operand.row
    case .object(let object): row = object.operand.row
    default: return
    }
    if let row, row.scope == scopes.count - 1 { scopes[row.scope].require(row.alias) }
  }
}
