internal import DepotProtocol

/// The replacement of identifiers in an expression by the numbers of rows.
///
/// Where objects of another hierarchy are compared with an identifier, it becomes a number that no
/// row has.
@Memberwise("description", "entities")
struct IdentityComparison {
  /// The entity that the expression is about.
  private let description: EntityDescription
  /// Others that it may name.
  private let entities: [String: EntityDescription]
  /// The entities of the elements of collections that have names.
  private var variables: [String: EntityDescription] = [:]

  /// Returns a stand-in for an identifier, until the other side of its comparison is known.
  static func mark(_ number: Int64, of root: String) -> Value {
    // A program's own constant never is a list of values of several types.
    .list([.int64(number), .string(root)])
  }

  /// Returns an expression with numbers instead of the stand-ins.
  mutating func resolve(_ expression: QueryExpression) -> QueryExpression {
    resolve(expression, comparedWith: nil)
  }

  // MARK: - Expressions

  private mutating func resolve(
    _ expression: QueryExpression,
    comparedWith entity: EntityDescription?
  ) -> QueryExpression {
    switch expression {
    case .value(let value): .value(number(value, entity))
    case .comparison(let comparison, let left, let right, let options):
      compare(comparison, left, right, options)
    case .in(let value, let list, let options):
      membership(of: value, in: list, options)
    case .contains(let collection, let element):
      .contains(
        resolve(collection, comparedWith: self.entity(of: element)),
        resolve(element, comparedWith: self.entity(of: collection))
      )
    case .quantified(let quantifier, let collection, let name, let test):
      .quantified(quantifier, resolve(collection), name, inside(name, collection, test))
    case .filtered(let collection, let name, let test):
      .filtered(resolve(collection), name, inside(name, collection, test))
    case .coalesce(let parts): .coalesce(parts.map { resolve($0, comparedWith: entity) })
    case .list(let parts): .list(parts.map { resolve($0, comparedWith: entity) })
    case .conditional(let test, let first, let second):
      .conditional(
        resolve(test),
        resolve(first, comparedWith: entity),
        resolve(second, comparedWith: entity)
      )
    default: expression.map { resolve($0) }
    }
  }

  private mutating func compare(
    _ comparison: QueryExpression.Comparison,
    _ left: QueryExpression,
    _ right: QueryExpression,
    _ options: QueryExpression.TextOptions
  ) -> QueryExpression {
    let entities = (entity(of: left), entity(of: right))
    let sides = (
      resolve(left, comparedWith: entities.1), resolve(right, comparedWith: entities.0)
    )
    guard comparison == .equal || comparison == .notEqual, let first = entities.0?.root,
      let second = entities.1?.root, first !== second
    else { return .comparison(comparison, sides.0, sides.1, options: options) }
    // They are equal only where there is nothing on both sides.
    let areNone: QueryExpression = .and([
      .comparison(.equal, sides.0, .value(.null)), .comparison(.equal, sides.1, .value(.null)),
    ])
    return comparison == .equal ? areNone : .not(areNone)
  }

  private mutating func membership(
    of value: QueryExpression,
    in list: [QueryExpression],
    _ options: QueryExpression.TextOptions
  ) -> QueryExpression {
    let own = entity(of: value)
    let others = own == nil ? entity(of: .list(list)) : nil
    return .in(
      resolve(value, comparedWith: others),
      list.map { resolve($0, comparedWith: own) },
      options: options
    )
  }

  private mutating func inside(
    _ name: String,
    _ collection: QueryExpression,
    _ test: QueryExpression
  ) -> QueryExpression {
    let outer = variables
    variables[name] = entity(of: collection)
    defer { variables = outer }
    return resolve(test)
  }

  // MARK: - Values

  private func number(_ value: Value, _ entity: EntityDescription?) -> Value {
    guard case .list(let elements) = value else { return value }
    if elements.count == 2, case .int64(let number) = elements[0],
      case .string(let root) = elements[1]
    {
      return .int64(entity == nil || entity?.root.name == root ? number : .min)
    }
    return .list(elements.map { number($0, entity) })
  }

  /// Finds the entity of an expression's objects or identifiers; `nil` for other expressions.
  private func entity(of expression: QueryExpression) -> EntityDescription? {
    switch expression {
    case .attribute(let path): follow(path, from: description)
    case .variable(let name): variables[name] ?? (name == "SELF" ? description : nil)
    case .member(let base, let path): entity(of: base).flatMap { follow(path, from: $0) }
    case .cast(_, let entity): entities[entity]
    case .filtered(let collection, _, _), .element(let collection, _), .slice(let collection, _):
      entity(of: collection)
    case .coalesce(let parts), .list(let parts):
      parts.lazy.compactMap { self.entity(of: $0) }.first
    case .conditional(_, let first, let second): entity(of: first) ?? entity(of: second)
    default: nil
    }
  }

  private func follow(_ path: String, from start: EntityDescription) -> EntityDescription? {
    start.entity(at: path == "$id" ? "" : path.hasSuffix(".$id") ? path.dropLast(4) : path[...])
  }
}
