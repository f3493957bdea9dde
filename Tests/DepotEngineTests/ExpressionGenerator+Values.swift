import DepotProtocol

extension ExpressionGenerator {
  /// Returns an expression of a type that is made of others; `nil` if there is none this time.
  mutating func composed(_ type: AttributeType, _ depth: Int) -> QueryExpression? {
    switch random.int(0...6) {
    case 0:
      return .conditional(predicate(depth), value(type, depth), value(type, depth))
    case 1:
      return .coalesce((0..<random.int(1...3)).map { _ in value(type, depth) })
    case 2: return aggregated(type, depth)
    case 3 where type != .json:
      let from = random.pick(AttributeType.scalars)
      let widths = NumberWidth.allCases.filter { $0.type == type }
      if let width = widths.randomElement(using: &random), random.chance(1, in: 3) {
        return .narrow(value(from, depth), width)
      }
      return .convert(value(from, depth), type)
    case 4: return member(type, depth)
    default: return special(type, depth)
    }
  }

  /// Returns a value that a collection comes to, or one element.
  private mutating func aggregated(_ type: AttributeType, _ depth: Int) -> QueryExpression? {
    guard let collection = anyCollection(depth) else { return nil }
    if type == .int64, collection.element != .value(.json), random.chance(1, in: 2) {
      let aggregate = random.pick([QueryExpression.Aggregate.count, .countDistinct])
      return .aggregate(aggregate, collection.expression)
    }
    guard case .value(let element) = collection.element else { return nil }
    if type == .double, [.int64, .double, .decimal].contains(element) {
      return .aggregate(random.pick([.average, .median, .stddev]), collection.expression)
    }
    guard element == type, type != .json else { return nil }
    if collection.isOrdered, random.chance(1, in: 3) {
      return .element(collection.expression, random.int(-3...3))
    }
    if [.int64, .double, .decimal].contains(type), random.chance(1, in: 2) {
      return .aggregate(.sum, collection.expression)
    }
    return .aggregate(random.pick([.min, .max, .mode]), collection.expression)
  }

  private mutating func special(_ type: AttributeType, _ depth: Int) -> QueryExpression? {
    switch type {
    case .int64, .double, .decimal:
      return number(type, depth)
    case .bool: return predicate(depth)
    case .string:
      switch random.int(0...2) {
      case 0:
        let from = random.pick([AttributeType.string, .url])
        let function = random.pick([QueryExpression.Function.uppercase, .lowercase, .canonical])
        return .function(function, [value(from, depth)])
      case 1:
        let other = random.pick(AttributeType.scalars)
        return .function(.concatenate, [value(other, depth), value(.string, depth)])
      default: return nil
      }
    case .json:
      let name = QueryExpression.value(.string(random.pick(["k", "m", "a", "zz"])))
      return .function(.json, [value(.json, depth), name])
    default: return nil
    }
  }

  private mutating func number(_ type: AttributeType, _ depth: Int) -> QueryExpression? {
    switch random.int(0...3) {
    case 0: return .negate(value(type, depth))
    case 1:
      // Decimals are combined with whole numbers only, for a double has no exact decimal.
      let other: AttributeType = random.chance(1, in: 2) ? .int64 : type
      let parts = [value(type, depth), value(other, depth)].shuffled(using: &random)
      return .arithmetic(random.pick(QueryExpression.Arithmetic.allCases), parts[0], parts[1])
    case 2:
      let functions: [QueryExpression.Function] = [.abs, .floor, .ceiling, .trunc, .round]
      return .function(random.pick(functions), [value(type, depth)])
    default:
      if type == .int64 { return bits(depth) }
      guard type == .double else { return nil }
      let from = random.pick([AttributeType.int64, .double, .decimal])
      return .function(random.pick([.sqrt, .exp, .ln, .log]), [value(from, depth)])
    }
  }

  private mutating func bits(_ depth: Int) -> QueryExpression {
    switch random.int(0...2) {
    case 0:
      return .function(.length, [value(random.pick([.string, .url, .data]), depth)])
    case 1: return .function(.onesComplement, [value(.int64, depth)])
    default:
      let functions: [QueryExpression.Function] = [
        .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftshift, .rightshift,
      ]
      return .function(random.pick(functions), [value(.int64, depth), value(.int64, depth)])
    }
  }
}
