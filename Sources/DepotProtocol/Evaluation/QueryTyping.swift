internal import FoundationEssentials

/// The types of the parts of a query, derived from the schema alone.
struct QueryTyping {
  let schema: Schema
  /// The entity of the rows that the query is about.
  let entity: String
  var variables: [(name: String, kind: Kind)] = []

  /// The type of a part.
  indirect enum Kind {
    /// A value; the type is `nil` for null.
    case value(AttributeType?)
    case object(String)
    case list(Kind, isSet: Bool)
    case composite
  }

  /// Returns the kind of a part; null for a part without a meaning.
  func kind(of expression: QueryExpression) -> Kind {
    switch expression {
    case .value(.list(let values)):
      .list(.value(AttributeType.common(values.map(\.type))), isSet: false)
    case .value(let value): .value(value.type)
    case .now: .value(.date)
    case .list(let parts): .list(choice(parts), isSet: false)
    case .convert, .narrow, .function:
      .value(expression.isConstant ? expression.constantType : computedType(of: expression))
    case .attribute(let path): follow(path, from: .object(entity))
    case .variable(let name):
      variables.last { $0.name == name }?.kind ?? .object(entity)
    case .member(let base, let path): follow(path, from: kind(of: base))
    case .arithmetic(_, let left, let right):
      .value(
        number(left).flatMap { left in number(right).flatMap { AttributeType.common([left, $0]) } }
      )
    case .negate(let part): .value(number(part))
    case .cast(_, let entity): .object(entity)
    case .conditional(_, let first, let second): choice([first, second])
    case .coalesce(let parts): choice(parts)
    case .filtered(let collection, _, _), .slice(let collection, _): kind(of: collection)
    case .element(let collection, _): element(of: collection)
    case .aggregate(let aggregate, let collection):
      .value(self.aggregate(aggregate, of: element(of: collection)))
    default: .value(.bool)
    }
  }

  /// Returns the type of a conversion or function; `nil` if an argument is always null.
  private func computedType(of expression: QueryExpression) -> AttributeType? {
    switch expression {
    case .convert(let part, let type): return isNull(part) ? nil : type
    case .narrow(let part, let width): return isNull(part) ? nil : width.type
    case .function(let function, let arguments):
      if arguments.contains(where: isNull) { return nil }
      return function.kind.result ?? arguments.first.flatMap { number($0) }
    default: return nil
    }
  }

  /// Returns whether a value is always null.
  private func isNull(_ expression: QueryExpression) -> Bool {
    if case .value(nil) = kind(of: expression) { true } else { false }
  }

  func type(of expression: QueryExpression) -> AttributeType? {
    if case .value(let type) = kind(of: expression) { type } else { nil }
  }

  /// The type of a number; JSON counts as a double.
  private func number(_ expression: QueryExpression) -> AttributeType? {
    let type = type(of: expression)
    return type == .json ? .double : type
  }

  func element(of expression: QueryExpression) -> Kind {
    if case .list(let element, _) = kind(of: expression) { element } else { .value(nil) }
  }

  private func aggregate(
    _ aggregate: QueryExpression.Aggregate,
    of element: Kind
  ) -> AttributeType? {
    var type: AttributeType?
    if case .value(let found) = element { type = found }
    switch aggregate {
    case .count, .countDistinct: return .int64
    case .sum: return type ?? .int64
    case .min, .max, .mode: return type
    case .average, .median, .stddev: return .double
    }
  }

  private func choice(_ parts: [QueryExpression]) -> Kind {
    for part in parts {
      if case .object(let name) = kind(of: part) { return .object(name) }
    }
    let fixed = parts.filter { !$0.isConstant }.compactMap(type)
    let constants = parts.filter(\.isConstant).compactMap(type)
    // Constants are read as the type of the others, unless they are wider numbers than integers.
    let isWhole = fixed.allSatisfy { $0 == .int64 }
    return .value(AttributeType.common(isWhole ? fixed + constants : fixed))
  }

  func follow(_ path: String, from start: Kind) -> Kind {
    var kind = start
    var steps = path.split(separator: ".").map(String.init)[...]
    while !steps.isEmpty {
      let (name, isList, isSet) = Self.entity(of: kind)
      guard let name, let entity = schema[name] else { return .value(nil) }
      var next: Kind
      (next, steps) = step(steps, from: entity)
      if isList {
        if case .list(let inner, _) = next { next = inner }
        next = .list(next, isSet: isSet)
      }
      kind = next
    }
    return kind
  }

  private static func entity(of kind: Kind) -> (String?, isList: Bool, isSet: Bool) {
    switch kind {
    case .object(let name): (name, false, false)
    case .list(.object(let name), let isSet): (name, true, isSet)
    default: (nil, false, false)
    }
  }

  private func step(
    _ steps: ArraySlice<String>,
    from entity: Entity
  ) -> (Kind, ArraySlice<String>) {
    guard let first = steps.first else { return (.object(entity.name), steps) }
    let rest = steps.dropFirst()
    switch first {
    case "$id", "$version": return (.value(.int64), rest)
    case "$entity": return (.value(.string), rest)
    default: break
    }
    if let relationship = schema.relationships(of: entity).first(where: { $0.name == first }) {
      let object = Kind.object(relationship.destination)
      return (relationship.isToMany ? .list(object, isSet: !relationship.isOrdered) : object, rest)
    }
    let path = steps.joined(separator: ".")
    guard let field = schema.fields(of: entity).first(where: { $0.path == path }) else {
      return (.composite, [])
    }
    let value = Kind.value(field.attribute.type)
    if field.isPresence { return (.composite, []) }
    return (field.attribute.collection.map { .list(value, isSet: $0 == .set) } ?? value, [])
  }
}

extension AttributeType {
  /// Returns the common type that values of several types are widened to.
  package static func common(_ types: some Sequence<AttributeType?>) -> AttributeType? {
    let types = Set(types.compactMap { $0 })
    if types.count < 2 { return types.first }
    if types.contains(.decimal) { return .decimal }
    return types.contains(.double) ? .double : .string
  }
}

extension QueryExpression {
  /// The type of a constant after all conversions; `nil` if it becomes null.
  fileprivate var constantType: AttributeType? { constantValue.type }

  private var constantValue: Value {
    switch self {
    case .value(let value): value
    case .now: .date(Date(timeIntervalSinceReferenceDate: 0))
    case .convert(let part, let type): part.constantValue.cast(to: type) ?? .null
    case .narrow(let part, let width): part.constantValue.cast(to: width) ?? .null
    case .function(let function, let arguments): function.value(arguments.map(\.constantValue))
    default: .null
    }
  }

  /// Whether the value is known before any row is read.
  ///
  /// Constants are converted to the type that they are compared with.
  var isConstant: Bool {
    switch self {
    case .value, .now: true
    case .convert(let part, _), .narrow(let part, _): part.isConstant
    case .function(let function, let arguments):
      function != .random && function != .randomn && arguments.allSatisfy(\.isConstant)
    default: false
    }
  }
}
