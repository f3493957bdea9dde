internal import FoundationEssentials

/// The evaluation of expressions to values, objects, and collections.
extension QueryEvaluator {
  /// Returns the value of an expression for the object; objects are given by their identifiers.
  package func value(_ expression: QueryExpression) -> Value { evaluate(expression).value }

  func evaluate(_ expression: QueryExpression) -> Evaluated {
    switch expression {
    case .value(.list(let values)):
      guard case .value(let type?) = typing.element(of: expression) else {
        return .list(values.map(Evaluated.value))
      }
      return .list(values.map { .value($0.converted(to: type) ?? $0) })
    case .value(let value): return .value(value)
    case .now: return .value(.date(now))
    case .attribute(let path): return follow(path, from: .object(row), .object(typing.entity))
    case .variable(let name): return variables.last { $0.name == name }?.value ?? .object(row)
    case .member(let base, let path):
      return follow(path, from: evaluate(base), typing.kind(of: base))
    case .arithmetic(let operation, let left, let right):
      return .value(
        ValueArithmetic.combine(operation, number(left), number(right)) ?? .null
      )
    case .negate(let part):
      return .value(ValueArithmetic.combine(.multiply, number(part), .int64(-1)) ?? .null)
    case .cast(let part, let entity):
      let object = evaluate(part)
      return isKind(object, of: entity) ? object : .object(nil)
    case .convert(let part, let type): return .value(value(part).cast(to: type) ?? .null)
    case .narrow(let part, let width): return .value(value(part).cast(to: width) ?? .null)
    case .list(let parts):
      let kind = typing.element(of: expression)
      return .list(parts.map { widened(evaluate($0), kind) })
    case .conditional(let test, let first, let second):
      return widened(evaluate(isTrue(test) ? first : second), typing.kind(of: expression))
    case .coalesce(let parts):
      let found = parts.lazy.map { evaluate($0) }.first { !$0.value.isNull }
      return widened(found ?? .value(.null), typing.kind(of: expression))
    case .function(let function, let arguments):
      return .value(function.value(self.arguments(arguments, of: function)))
    case .filtered(let collection, let name, let predicate):
      let kind = typing.element(of: collection)
      return .list(
        evaluate(collection).elements.filter { with(name, $0, kind).isTrue(predicate) }
      )
    case .element(let collection, let position):
      let elements = evaluate(collection).elements
      let index = position < 0 ? elements.count + position : position
      return elements.indices ~= index ? elements[index] : .value(.null)
    case .slice(let collection, let range):
      return .list(
        Array(evaluate(collection).elements.dropFirst(range.lowerBound).prefix(range.count))
      )
    case .aggregate(let aggregate, let collection):
      return .value(self.aggregate(aggregate, collection))
    case .comparison, .text, .between, .in, .and, .or, .not, .search, .is, .quantified, .contains:
      return .value(.bool(isTrue(expression)))
    }
  }

  /// Follows a path; from nothing it gives nothing, and nested collections are flattened.
  private func follow(
    _ path: String,
    from start: Evaluated,
    _ kind: QueryTyping.Kind
  ) -> Evaluated {
    let steps = path.split(separator: ".").map(String.init)[...]
    switch (start, kind) {
    case (.list(let elements), .list(let element, _)):
      return .list(
        elements.flatMap { next in
          let result = follow(path, from: next, element)
          guard case .list = typing.follow(path, from: element) else { return [result] }
          return result.elements
        }
      )
    case (.object(let object), .object(let entity)):
      return follow(steps, from: object, entity)
    default:
      return .value(.null)
    }
  }

  private func follow(
    _ steps: ArraySlice<String>,
    from object: (any EvaluationRow)?,
    _ entity: String
  ) -> Evaluated {
    guard let first = steps.first else { return .object(object) }
    guard let object else {
      switch typing.follow(steps.joined(separator: "."), from: .object(entity)) {
      case .object: return .object(nil)
      case .composite: return .composite(false)
      case .list, .value: return .value(.null)
      }
    }
    switch first {
    case "$id": return .value(.int64(object.identifier))
    case "$version": return .value(.int64(object.version))
    case "$entity": return .value(.string(object.entityName))
    default: break
    }
    let rest = steps.dropFirst()
    switch relationship(first, of: entity) {
    case .object(let destination)?: return follow(rest, from: object.object(first), destination)
    case .list(let kind, _)?:
      let objects = Evaluated.list(object.objects(first).map { .object($0) })
      if rest.isEmpty { return objects }
      return follow(rest.joined(separator: "."), from: objects, .list(kind, isSet: false))
    default: return field(steps.joined(separator: "."), of: object, entity)
    }
  }

  private func relationship(_ name: String, of entity: String) -> QueryTyping.Kind? {
    guard let entity = schema[entity],
      schema.relationships(of: entity).contains(where: { $0.name == name })
    else { return nil }
    return typing.follow(name, from: .object(entity.name))
  }

  private func field(_ path: String, of object: any EvaluationRow, _ entity: String) -> Evaluated {
    switch typing.follow(path, from: .object(entity)) {
    case .list:
      guard case .list(let values) = object.value(at: path) else { return .value(.null) }
      return .list(values.map(Evaluated.value))
    case .composite:
      let isField = schema[entity].map { schema.fields(of: $0).contains { $0.path == path } }
      return .composite(isField == true ? object.value(at: path) == .bool(true) : true)
    default:
      return .value(object.value(at: path))
    }
  }

  /// Returns a number, also from JSON.
  private func number(_ expression: QueryExpression) -> Value {
    let value = value(expression)
    guard case .json(let text) = value else { return value }
    let scalar = JSONMember.scalar(text, as: .double) ?? .null
    return ValueArithmetic.double(scalar).map(Value.double) ?? .null
  }

  private func arguments(
    _ parts: [QueryExpression],
    of function: QueryExpression.Function
  ) -> [Value] {
    zip(parts, function.kind.arguments).map { part, kind in
      let value = value(part)
      return kind.readType.map(value.read(as:)) ?? value
    }
  }

  /// Returns one of several values, converted to their common type.
  private func widened(_ evaluated: Evaluated, _ kind: QueryTyping.Kind) -> Evaluated {
    switch (evaluated, kind) {
    case (.value(.null), .object): .object(nil)
    case (.value(let value), .value(let type?)):
      .value(value.converted(to: type) ?? value.cast(to: type) ?? .null)
    default: evaluated
    }
  }

  private func aggregate(
    _ aggregate: QueryExpression.Aggregate,
    _ collection: QueryExpression
  ) -> Value {
    let elements = evaluate(collection).elements.map(\.value)
    let values = elements.filter { !$0.isNull }
    switch aggregate {
    case .count: return .int64(Int64(elements.count))
    case .countDistinct:
      return .int64(Int64(values.different.count))
    case .min: return values.min { $0.sortOrder($1) < 0 } ?? .null
    case .max: return values.max { $0.sortOrder($1) < 0 } ?? .null
    default:
      var type = AttributeType.int64
      if case .value(let found?) = typing.element(of: collection) { type = found }
      var aggregation = ValueAggregation(aggregate, of: type)
      for value in values { aggregation.add(value) }
      return aggregation.result
    }
  }

  /// Returns whether two composite values or collections are equal; `nil` for other values.
  func sameWhole(
    _ left: QueryExpression,
    _ right: QueryExpression,
    _ kinds: (QueryTyping.Kind, QueryTyping.Kind)
  ) -> Bool? {
    switch kinds {
    case (.composite, _): return isAbsent(evaluate(left))
    case (_, .composite): return isAbsent(evaluate(right))
    case (.list(.value(let type), let isSet), .list(.value(let other), let isOtherSet)):
      let isList = (isList(evaluate(left)), isList(evaluate(right)))
      guard isList == (true, true) else { return isList == (false, false) }
      let set = isSet || isOtherSet
      let wanted = left.isConstant ? other : type
      let sides = (
        elements(of: left, as: wanted, isSet: set && left.isConstant),
        elements(of: right, as: wanted, isSet: set && right.isConstant)
      )
      return sides.0.count == sides.1.count
        && zip(sides.0, sides.1).allSatisfy { $0.order($1) == 0 }
    case (.list, _): return !isList(evaluate(left))
    case (_, .list): return !isList(evaluate(right))
    default: return nil
    }
  }

  private func isAbsent(_ value: Evaluated) -> Bool {
    if case .composite(let isThere) = value { !isThere } else { true }
  }

  private func isList(_ value: Evaluated) -> Bool {
    if case .list = value { true } else { false }
  }

  private func elements(
    of expression: QueryExpression,
    as type: AttributeType?,
    isSet: Bool
  ) -> [Value] {
    let values = evaluate(expression).elements.map(\.value).map { value in
      type.flatMap { value.converted(to: $0) } ?? value
    }
    return isSet ? values.different : values
  }
}
