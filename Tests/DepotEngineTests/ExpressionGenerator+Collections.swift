import DepotProtocol
import Foundation

/// Random collections.
extension ExpressionGenerator {
  mutating func anyCollection(_ depth: Int) -> Collection? { collection(depth) }

  mutating func collection(_ depth: Int) -> Collection? {
    if depth > 0, random.chance(1, in: 3), let base = collection(depth - 1) {
      return derived(from: base, depth)
    }
    if depth > 0, random.chance(1, in: 8) { return listed(depth - 1) }
    if random.chance(1, in: 8) {
      let type = random.pick(AttributeType.scalars)
      let values = (0..<random.int(0...3)).map { _ in random.value(type) }
      let isKnown = !values.isEmpty
      return isKnown
        ? Collection(expression: .value(.list(values)), element: .value(type), isOrdered: true)
        : nil
    }
    var start: QueryExpression?
    var name = entity
    if let variable = variables.randomElement(using: &random),
      case .object(let entity) = variable.kind,
      random.chance(2, in: 3)
    {
      (start, name) = (.variable(variable.name), entity)
    } else if depth > 0, random.chance(1, in: 5), let (object, entity) = object(depth - 1) {
      (start, name) = (object, entity)
    }
    guard let found = paths(to: name, hops: 3).randomElement(using: &random) else { return nil }
    var result = found
    if case .attribute(let path) = found.expression, let start {
      result.expression = .member(start, path)
    }
    return result
  }

  /// Returns the collections that paths from an entity lead to.
  private func paths(to name: String, hops: Int) -> [Collection] {
    guard hops > 0, let entity = schema[name] else { return [] }
    var result: [Collection] = []
    for field in schema.fields(of: entity) {
      guard let kind = field.attribute.collection else { continue }
      result.append(
        Collection(
          expression: .attribute(field.path),
          element: .value(field.attribute.type),
          isOrdered: kind == .array
        )
      )
    }
    for relationship in schema.relationships(of: entity) {
      let prefix = relationship.name
      let rest = paths(to: relationship.destination, hops: hops - 1)
      if relationship.isToMany {
        result.append(
          Collection(
            expression: .attribute(prefix),
            element: .object(relationship.destination),
            isOrdered: relationship.isOrdered
          )
        )
        for end in ends(of: relationship.destination, hops: 1) where !end.isList && !end.isComposite
        {
          result.append(
            Collection(
              expression: .attribute("\(prefix).\(end.path)"),
              element: end.kind,
              isOrdered: relationship.isOrdered
            )
          )
        }
      }
      for next in rest {
        guard case .attribute(let path) = next.expression else { continue }
        let isOrdered = next.isOrdered && (!relationship.isToMany || relationship.isOrdered)
        result.append(
          Collection(
            expression: .attribute("\(prefix).\(path)"),
            element: next.element,
            isOrdered: isOrdered
          )
        )
      }
    }
    return result
  }

  /// Returns a list of expressions: values of a type, or objects of a hierarchy.
  private mutating func listed(_ depth: Int) -> Collection? {
    let count = random.int(1...4)
    if random.chance(1, in: 4), let (first, name) = object(depth) {
      var parts = [first]
      var lineage = schema[name].map { schema.lineage(of: $0).map(\.name) } ?? []
      for _ in 1..<max(2, count) {
        guard let (next, found) = object(depth, like: name), let entity = schema[found] else {
          continue
        }
        let other = schema.lineage(of: entity).map(\.name)
        lineage = lineage.filter(other.contains)
        parts.append(random.chance(1, in: 8) ? .value(.null) : next)
      }
      return lineage.last.map {
        Collection(expression: .list(parts), element: .object($0), isOrdered: true)
      }
    }
    let type = random.pick(AttributeType.scalars + [.json])
    guard let first = path(to: type) else { return nil }
    let parts = (1..<count + 1).map { index -> QueryExpression in
      if index == 1 { return first }
      return random.chance(1, in: 3) && type != .json
        ? .value(constant(type)) : value(type, depth)
    }
    return Collection(
      expression: .list(parts.shuffled(using: &random)),
      element: .value(type),
      isOrdered: true
    )
  }

  private mutating func derived(from base: Collection, _ depth: Int) -> Collection {
    var result = base
    switch random.int(0...2) {
    case 0:
      let (name, predicate) = inside(base, depth)
      result.expression = .filtered(base.expression, name, predicate)
    case 1 where base.isOrdered:
      let low = random.int(0...2)
      result.expression = .slice(base.expression, low..<low + random.int(0...3))
    default:
      guard case .object(let name) = base.element else { return base }
      let found = ends(of: name, hops: 1).filter { !$0.isList && !$0.isComposite }
      let end = random.pick(found)
      result.expression = .member(base.expression, end.path)
      result.element = end.kind
    }
    return result
  }
}
