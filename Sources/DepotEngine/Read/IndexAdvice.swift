internal import DepotProtocol

/// What would make a fetch faster.
enum IndexAdvice {
  static func text(for request: FetchRequest, of entity: Entity, plan: [String]) -> String? {
    guard plan.contains(where: { $0.hasPrefix("SCAN ") }) else { return nil }
    if let predicate = request.predicate {
      let candidates = attributes(servedIn: predicate)
      if let name = candidates.first(where: { !isIndexed($0, in: entity) }) {
        return advice(name, "this predicate")
      }
      return candidates.isEmpty ? "No index can serve this predicate; every row is looked at." : nil
    }
    if case .attribute(let path) = request.sort.first?.expression,
      plan.contains(where: { $0.contains("FOR ORDER BY") }),
      entity[path] != nil, !isIndexed(path, in: entity)
    {
      return advice(path, "this order")
    }
    return nil
  }

  private static func advice(_ name: String, _ what: String) -> String {
    "An index on \(name) would serve \(what): add \"indexed\": true to it in the schema."
  }

  /// The attributes whose index could find the rows of a predicate.
  private static func attributes(servedIn expression: QueryExpression) -> [String] {
    switch expression {
    case .and(let parts):
      return parts.flatMap { attributes(servedIn: $0) }
    case .or(let parts):
      // Only if each alternative has an index can an index serve them all.
      let each = parts.map { attributes(servedIn: $0) }
      return each.contains([]) ? [] : each.flatMap { $0 }
    case .comparison(let comparison, let left, let right, let options):
      guard options.isEmpty, comparison != .notEqual else { return [] }
      if case .attribute(let name) = left, right.isConstant { return [name] }
      if case .attribute(let name) = right, left.isConstant { return [name] }
      return []
    case .between(.attribute(let name), let low, let high):
      return low.isConstant && high.isConstant ? [name] : []
    case .in(.attribute(let name), let list, let options):
      return options.isEmpty && list.allSatisfy(\.isConstant) ? [name] : []
    case .text(.begins, .attribute(let name), let prefix, let options):
      return options.isEmpty && prefix.isConstant ? [name] : []
    case .attribute(let name):
      return [name]
    default:
      return []
    }
  }

  private static func isIndexed(_ name: String, in entity: Entity) -> Bool {
    if name == "$id" { return true }
    // The version has no index and can't have one, so there is nothing to advise.
    guard let attribute = entity[name] else { return true }
    return attribute.isIndexed || attribute.isUnique
      || entity.indexes.contains { $0.first == name }
  }
}

extension QueryExpression {
  fileprivate var isConstant: Bool {
    switch self {
    case .value, .now: true
    default: false
    }
  }
}
