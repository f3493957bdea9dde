import DepotProtocol
import Foundation

/// Random queries that fit a schema.
struct ExpressionGenerator {
  let schema: Schema
  let entity: String
  var random: ValueGenerator
  /// The names of the enclosing quantifiers and filters, with what they stand for.
  var variables: [(name: String, kind: Kind)] = []
  private var variableCount = 0

  enum Kind: Equatable {
    case value(AttributeType)
    case object(String)
  }

  struct Collection {
    var expression: QueryExpression
    var element: Kind
    var isOrdered: Bool
  }

  init(_ schema: Schema, entity: String, _ random: ValueGenerator) {
    self.schema = schema
    self.entity = entity
    self.random = random
  }

  // MARK: Predicates

  mutating func predicate(_ depth: Int) -> QueryExpression {
    switch random.int(0...(depth > 0 ? 17 : 8)) {
    case 0, 1, 2: return comparison(depth)
    case 3: return textComparison(depth)
    case 4: return text(depth)
    case 5: return between(depth)
    case 6: return membership(depth)
    case 7: return whole(depth)
    case 8: return kinds(depth) ?? value(.bool, depth)
    case 9: return .not(predicate(depth - 1))
    case 10: return .and(predicates(depth))
    case 11: return .or(predicates(depth))
    case 12, 13: return quantified(depth)
    case 14: return contains(depth)
    case 15: return counted(depth)
    case 16: return objects(depth)
    default: return value(.bool, depth)
    }
  }

  private mutating func predicates(_ depth: Int) -> [QueryExpression] {
    (0..<random.int(0...3)).map { _ in predicate(depth - 1) }
  }

  private mutating func comparison(_ depth: Int) -> QueryExpression {
    let comparison = random.pick(QueryExpression.Comparison.allCases)
    if random.chance(1, in: 8) {
      let json = value(.json, depth)
      if random.chance(1, in: 3) {
        return .comparison(random.pick([.equal, .notEqual]), json, .value(.null))
      }
      let type = random.pick([AttributeType.string, .int64, .double, .bool, .date, .decimal])
      return .comparison(comparison, json, .value(constant(type)))
    }
    if random.chance(1, in: 3) {
      let (left, right) = numbers(depth)
      return .comparison(comparison, left, right)
    }
    let type = random.pick(AttributeType.scalars)
    let left = value(type, depth)
    let right = random.chance(1, in: 2) ? .value(constant(type)) : value(type, depth)
    return random.chance(1, in: 4)
      ? .comparison(comparison, right, left) : .comparison(comparison, left, right)
  }

  private mutating func textComparison(_ depth: Int) -> QueryExpression {
    .comparison(
      random.pick(QueryExpression.Comparison.allCases),
      anyText(depth),
      random.chance(1, in: 2) ? .value(.string(random.text())) : value(.string, depth),
      options: options()
    )
  }

  private mutating func text(_ depth: Int) -> QueryExpression {
    if random.chance(1, in: 8) {
      return .text(.matches, anyText(depth), .value(.string(random.regex())), options: options())
    }
    let test = random.pick([QueryExpression.TextTest.contains, .begins, .ends, .like])
    let pattern =
      random.chance(2, in: 3) ? .value(.string(random.pattern())) : anyText(depth)
    return .text(test, anyText(depth), pattern, options: options())
  }

  private mutating func options() -> QueryExpression.TextOptions {
    QueryExpression.TextOptions(rawValue: random.pick([0, 0, 1, 2, 3, 4, 8, 5]))
  }

  private mutating func anyText(_ depth: Int) -> QueryExpression {
    value(random.pick([.string, .string, .string, .url, .json]), depth)
  }

  private mutating func between(_ depth: Int) -> QueryExpression {
    if random.chance(1, in: 2) {
      let (value, low) = numbers(depth)
      return .between(value, low, .value(constant(.int64)))
    }
    let type = random.pick(AttributeType.scalars)
    return .between(value(type, depth), .value(constant(type)), value(type, depth))
  }

  private mutating func membership(_ depth: Int) -> QueryExpression {
    let type = random.pick(AttributeType.scalars)
    let isText = type == .string
    let count = random.pick([0, 1, 2, 3, 4, 20])
    var list = (0..<count).map { _ in QueryExpression.value(constant(type)) }
    if random.chance(1, in: 4) { list.append(value(type, depth)) }
    return .in(value(type, depth), list, options: isText ? options() : [])
  }

  /// Collections or composite values as wholes.
  private mutating func whole(_ depth: Int) -> QueryExpression {
    let comparison = random.pick([QueryExpression.Comparison.equal, .notEqual])
    let paths = ends(of: entity, hops: 1)
    let lists = paths.filter { $0.isList }
    let composites = paths.filter { $0.isComposite }
    if !composites.isEmpty, random.chance(1, in: 2) {
      return .comparison(comparison, .attribute(random.pick(composites).path), .value(.null))
    }
    guard let list = lists.randomElement(using: &random), case .value(let type) = list.kind else {
      return value(.bool, depth)
    }
    let same = lists.filter { $0.kind == list.kind && $0.isSet == list.isSet }
    let other: QueryExpression =
      switch random.int(0...3) {
      case 0: .value(.null)
      case 1: .attribute(random.pick(same).path)
      default:
        .value(.list((0..<random.int(0...2)).map { _ in random.value(type) }))
      }
    return .comparison(comparison, .attribute(list.path), other)
  }

  private mutating func kinds(_ depth: Int) -> QueryExpression? {
    guard let (object, name) = object(depth) else { return nil }
    let entities = [name] + schema.descendants(of: name).map(\.name)
    return .is(object, entity: random.pick(entities))
  }

  private mutating func quantified(_ depth: Int) -> QueryExpression {
    guard let collection = collection(depth - 1) else { return value(.bool, depth) }
    let quantifier = random.pick(QueryExpression.Quantifier.allCases)
    let (name, predicate) = inside(collection, depth)
    return .quantified(quantifier, collection.expression, name, predicate)
  }

  mutating func inside(
    _ collection: Collection,
    _ depth: Int
  ) -> (String, QueryExpression) {
    variableCount += 1
    let name = "v\(variableCount)"
    variables.append((name, collection.element))
    defer { variables.removeLast() }
    return (name, predicate(depth - 1))
  }

  private mutating func contains(_ depth: Int) -> QueryExpression {
    guard let collection = collection(depth - 1) else { return value(.bool, depth) }
    switch collection.element {
    case .object(let name):
      let element =
        random.chance(1, in: 2)
        ? QueryExpression.value(.int64(Int64(random.int(1...40))))
        : object(depth - 1, like: name)?.0 ?? .value(.null)
      return .contains(collection.expression, element)
    case .value(.json): return value(.bool, depth)
    case .value(let type):
      let element =
        random.chance(1, in: 2) ? .value(constant(type)) : value(type, depth - 1)
      if type == .string, random.chance(1, in: 4) {
        return .text(.contains, collection.expression, element, options: options())
      }
      return random.chance(1, in: 6)
        ? .in(element, [collection.expression]) : .contains(collection.expression, element)
    }
  }

  private mutating func counted(_ depth: Int) -> QueryExpression {
    guard let collection = collection(depth - 1) else { return value(.bool, depth) }
    return .comparison(
      random.pick(QueryExpression.Comparison.allCases),
      .aggregate(.count, collection.expression),
      .value(.int64(Int64(random.int(0...2))))
    )
  }

  mutating func objects(_ depth: Int) -> QueryExpression {
    guard let (left, name) = object(depth) else { return value(.bool, depth) }
    let right: QueryExpression =
      switch random.int(0...2) {
      case 0: .value(.null)
      case 1: .value(.int64(Int64(random.int(1...40))))
      default: object(depth, like: name)?.0 ?? .value(.null)
      }
    return .comparison(random.pick([.equal, .notEqual]), left, right)
  }

  // MARK: Values

  /// Returns two numbers that can be compared: infinity is no decimal, so it isn't held against one.
  private mutating func numbers(_ depth: Int) -> (QueryExpression, QueryExpression) {
    let type = random.pick([AttributeType.int64, .double, .decimal])
    if type == .decimal, random.chance(1, in: 4), let left = path(to: .decimal),
      let right = path(to: .double)
    {
      return random.chance(1, in: 2) ? (left, right) : (right, left)
    }
    let other =
      random.chance(1, in: 3)
      ? QueryExpression.value(constant(.int64)) : value(random.pick([.int64, type]), depth)
    return (value(type, depth), other)
  }

  mutating func constant(_ type: AttributeType) -> Value {
    if random.chance(1, in: 12) { return .null }
    let value = random.value(type)
    guard random.chance(1, in: 4) else { return value }
    // Text that can be read as the value.
    switch type {
    case .date, .uuid, .decimal, .data, .url:
      return value.isNaN ? value : value.cast(to: .string) ?? textOf(value)
    default: return value
    }
  }

  private func textOf(_ value: Value) -> Value {
    if case .data(let data) = value { return .string(data.base64EncodedString()) }
    return value
  }

  /// Returns an expression of a type.
  mutating func value(_ type: AttributeType, _ depth: Int) -> QueryExpression {
    if depth > 0, random.chance(1, in: 2), let part = composed(type, depth - 1) { return part }
    return path(to: type) ?? .value(random.value(type))
  }

  mutating func path(to type: AttributeType) -> QueryExpression? {
    var starts: [(QueryExpression?, String)] = [(nil, entity)]
    for variable in variables {
      switch variable.kind {
      case .value(let found):
        if found == type, random.chance(1, in: 2) { return .variable(variable.name) }
      case .object(let name):
        starts += Array(repeating: (.variable(variable.name), name), count: 2)
      }
    }
    let (start, name) = random.pick(starts)
    let found = ends(of: name, hops: 2).filter {
      $0.kind == .value(type) && !$0.isList && !$0.isComposite
    }
    guard let end = found.randomElement(using: &random) else { return nil }
    return start.map { .member($0, end.path) } ?? .attribute(end.path)
  }

  struct End {
    var path: String
    var kind: Kind
    var isList = false
    var isSet = false
    var isComposite = false
  }

  /// Returns what paths through at most so many to-one relationships lead to.
  func ends(of name: String, hops: Int) -> [End] {
    guard let entity = schema[name] else { return [] }
    var ends = [
      End(path: "$id", kind: .value(.int64)), End(path: "$version", kind: .value(.int64)),
      End(path: "$entity", kind: .value(.string)),
    ]
    for field in schema.fields(of: entity) where field.relationship == nil {
      ends.append(
        End(
          path: field.path,
          kind: .value(field.attribute.type),
          isList: field.attribute.collection != nil,
          isSet: field.attribute.collection == .set,
          isComposite: field.isPresence
        )
      )
    }
    for relationship in schema.relationships(of: entity) where !relationship.isToMany {
      ends.append(End(path: relationship.name, kind: .object(relationship.destination)))
      guard hops > 0 else { continue }
      for end in self.ends(of: relationship.destination, hops: hops - 1) {
        var longer = end
        longer.path = "\(relationship.name).\(end.path)"
        ends.append(longer)
      }
    }
    return ends
  }

  /// Returns an object, with its entity.
  mutating func object(_ depth: Int) -> (QueryExpression, String)? {
    var found: [(QueryExpression, String)] = [(.variable("SELF"), entity)]
    for case (let name, .object(let entity)) in variables {
      found.append((.variable(name), entity))
      for end in ends(of: entity, hops: 1) {
        if case .object(let destination) = end.kind {
          found.append((.member(.variable(name), end.path), destination))
        }
      }
    }
    for end in ends(of: entity, hops: 2) {
      if case .object(let destination) = end.kind {
        found.append((.attribute(end.path), destination))
      }
    }
    let (object, name) = random.pick(found)
    guard depth > 0, random.chance(1, in: 3) else { return (object, name) }
    switch random.int(0...3) {
    case 0:
      let below = schema.descendants(of: name).map(\.name)
      guard let entity = below.randomElement(using: &random) else { return (object, name) }
      return (.cast(object, entity: entity), entity)
    case 1:
      guard let collection = collection(depth - 1), collection.isOrdered,
        case .object(let entity) = collection.element
      else { return (object, name) }
      return (.element(collection.expression, random.int(-2...2)), entity)
    case 2:
      guard let (other, found) = self.object(depth - 1, like: name) else { return (object, name) }
      let choice: QueryExpression =
        random.chance(1, in: 2)
        ? .conditional(predicate(depth - 1), object, other) : .coalesce([object, other])
      let lineages = [name, found].compactMap { schema[$0] }.map {
        schema.lineage(of: $0).map(\.name)
      }
      return (choice, lineages[0].last { lineages[1].contains($0) } ?? name)
    default: return (object, name)
    }
  }

  /// Returns an object whose table is that of an entity.
  mutating func object(_ depth: Int, like name: String) -> (QueryExpression, String)? {
    for _ in 0..<4 {
      guard let (object, found) = object(depth), let entity = schema[found],
        let wanted = schema[name]
      else { continue }
      if schema.lineage(of: entity)[0].name == schema.lineage(of: wanted)[0].name {
        return (object, found)
      }
    }
    return nil
  }

  /// Returns a path from an object that isn't simply the row or a variable.
  mutating func member(_ type: AttributeType, _ depth: Int) -> QueryExpression? {
    guard let (object, name) = object(depth) else { return nil }
    let found = ends(of: name, hops: 1).filter {
      $0.kind == .value(type) && !$0.isList && !$0.isComposite
    }
    return found.randomElement(using: &random).map { .member(object, $0.path) }
  }
}
