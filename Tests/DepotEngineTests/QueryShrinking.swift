import DepotProtocol

extension QueryExpression {
  /// The expression with one part left out or replaced by a part of it, which may make no sense.
  var simplifications: [QueryExpression] {
    var result = shortcuts
    let parts = children
    for (index, part) in parts.enumerated() {
      for simpler in part.simplifications {
        var changed = parts
        changed[index] = simpler
        if let rebuilt = with(children: changed) { result.append(rebuilt) }
      }
    }
    return result
  }

  /// What may stand in place of the whole.
  private var shortcuts: [QueryExpression] {
    switch self {
    case .and(let parts):
      return parts
        + parts.indices.map { index in
          .and(parts.enumerated().filter { $0.offset != index }.map(\.element))
        }
    case .or(let parts):
      return parts
        + parts.indices.map { index in
          .or(parts.enumerated().filter { $0.offset != index }.map(\.element))
        }
    case .not(let part), .negate(let part), .filtered(let part, _, _), .slice(let part, _),
      .convert(let part, _), .narrow(let part, _):
      return [part]
    case .conditional(let test, let first, let second): return [test, first, second]
    case .coalesce(let parts) where parts.count > 1:
      return parts
        + parts.indices.map { index in
          .coalesce(parts.enumerated().filter { $0.offset != index }.map(\.element))
        }
    case .coalesce(let parts): return parts
    case .list(let parts) where parts.count > 1:
      return parts.indices.map { index in
        .list(parts.enumerated().filter { $0.offset != index }.map(\.element))
      }
    case .arithmetic(_, let left, let right): return [left, right]
    case .in(let value, let list, let options):
      return list.indices.map { index in
        .in(
          value,
          list.enumerated().filter { $0.offset != index }.map(\.element),
          options: options
        )
      }
    case .function(_, let arguments): return Array(arguments.prefix(1))
    case .quantified(let quantifier, let collection, let name, let predicate)
    where predicate != .and([]):
      return [.quantified(quantifier, collection, name, .and([]))]
    case .comparison: return []
    default: return []
    }
  }

  private var children: [QueryExpression] {
    switch self {
    case .comparison(_, let left, let right, _), .text(_, let left, let right, _),
      .arithmetic(_, let left, let right), .contains(let left, let right),
      .quantified(_, let left, _, let right), .filtered(let left, _, let right):
      [left, right]
    case .between(let value, let low, let high): [value, low, high]
    case .conditional(let test, let first, let second): [test, first, second]
    case .in(let value, let list, _): [value] + list
    case .and(let parts), .or(let parts), .coalesce(let parts), .function(_, let parts),
      .list(let parts):
      parts
    case .not(let part), .negate(let part), .member(let part, _), .is(let part, _),
      .cast(let part, _), .convert(let part, _), .narrow(let part, _), .aggregate(_, let part),
      .element(let part, _),
      .slice(let part, _):
      [part]
    default: []
    }
  }

  private func with(children: [QueryExpression]) -> QueryExpression? {
    func child(_ index: Int) -> QueryExpression { children[index] }
    switch self {
    case .comparison(let comparison, _, _, let options):
      return .comparison(comparison, child(0), child(1), options: options)
    case .text(let test, _, _, let options):
      return .text(test, child(0), child(1), options: options)
    case .arithmetic(let operation, _, _): return .arithmetic(operation, child(0), child(1))
    case .contains: return .contains(child(0), child(1))
    case .quantified(let quantifier, _, let name, _):
      return .quantified(quantifier, child(0), name, child(1))
    case .filtered(_, let name, _): return .filtered(child(0), name, child(1))
    case .between: return .between(child(0), child(1), child(2))
    case .conditional: return .conditional(child(0), child(1), child(2))
    case .in(_, _, let options):
      return .in(child(0), Array(children.dropFirst()), options: options)
    case .and: return .and(children)
    case .or: return .or(children)
    case .coalesce: return .coalesce(children)
    case .list: return .list(children)
    case .function(let function, _): return .function(function, children)
    case .not: return .not(child(0))
    case .negate: return .negate(child(0))
    case .member(_, let path): return .member(child(0), path)
    case .is(_, let entity): return .is(child(0), entity: entity)
    case .cast(_, let entity): return .cast(child(0), entity: entity)
    case .convert(_, let type): return .convert(child(0), type)
    case .narrow(_, let width): return .narrow(child(0), width)
    case .aggregate(let aggregate, _): return .aggregate(aggregate, child(0))
    case .element(_, let position): return .element(child(0), position)
    case .slice(_, let range): return .slice(child(0), range)
    default: return nil
    }
  }

  /// Returns the simplest expression found for which a check still fails.
  func shrunk(while fails: (QueryExpression) -> Bool) -> QueryExpression {
    var best = self
    for _ in 0..<200 {
      guard let simpler = best.simplifications.first(where: fails) else { break }
      best = simpler
    }
    return best
  }
}
