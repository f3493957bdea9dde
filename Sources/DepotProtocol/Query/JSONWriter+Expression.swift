extension JSONWriter {
  /// Writes an expression in its JSON form.
  package mutating func write(_ expression: QueryExpression) {
    switch expression {
    case .value(let value): constant(value)
    case .attribute(let path): named("attribute", path)
    case .variable(let name): named("variable", name)
    case .member(let base, let path):
      raw("{\"member\":[")
      write(base)
      raw(",")
      string(path)
      raw("]}")
    case .now: raw("{\"now\":true}")
    case .comparison(let comparison, let left, let right, let options):
      operation(comparison.rawValue, [left, right], options)
    case .text(let test, let left, let right, let options):
      operation(test.rawValue, [left, right], options)
    case .between(let value, let low, let high): operation("between", [value, low, high])
    case .in(let value, let list, let options): membership(value, list, options)
    case .and(let parts): operation("and", parts)
    case .or(let parts): operation("or", parts)
    case .not(let part): prefix("not", part)
    case .arithmetic(let arithmetic, let left, let right):
      operation(arithmetic.rawValue, [left, right])
    case .negate(let part): prefix("negate", part)
    case .search(let paths, let words):
      raw("{\"search\":")
      string(words)
      if !paths.isEmpty {
        raw(",\"in\":")
        names(paths)
      }
      raw("}")
    case .is(let object, let entity): prefix("is", object, beside: "entity", entity)
    case .cast(let object, let entity): prefix("as", object, beside: "entity", entity)
    case .convert(let value, let type): prefix("convert", value, beside: "type", type.rawValue)
    case .narrow(let value, let width): prefix("convert", value, beside: "type", width.rawValue)
    case .list(let parts): operation("values", parts)
    case .conditional(let condition, let yes, let no): operation("if", [condition, yes, no])
    case .coalesce(let parts): operation("coalesce", parts)
    case .function(let function, let arguments): operation(function.rawValue, arguments)
    default: collectionOperation(expression)
    }
  }

  private mutating func collectionOperation(_ expression: QueryExpression) {
    switch expression {
    case .quantified(let quantifier, let collection, let name, let predicate):
      operation(quantifier.rawValue, [collection, predicate], beside: "variable", name)
    case .filtered(let collection, let name, let predicate):
      operation("filter", [collection, predicate], beside: "variable", name)
    case .aggregate(let aggregate, let collection): prefix(aggregate.rawValue, collection)
    case .contains(let collection, let element): operation("has", [collection, element])
    case .element(let collection, let position): positions("element", collection, [position])
    case .slice(let collection, let range):
      positions("slice", collection, [range.lowerBound, range.upperBound])
    default: break
    }
  }

  private mutating func open(_ name: String) {
    raw("{")
    string(name)
    raw(":")
  }

  private mutating func beside(_ name: String, _ value: String) {
    raw(",")
    string(name)
    raw(":")
    string(value)
  }

  private mutating func named(_ name: String, _ value: String) {
    open(name)
    string(value)
    raw("}")
  }

  private mutating func prefix(_ name: String, _ part: QueryExpression) {
    open(name)
    write(part)
    raw("}")
  }

  private mutating func prefix(
    _ name: String,
    _ part: QueryExpression,
    beside member: String,
    _ value: String
  ) {
    open(name)
    write(part)
    beside(member, value)
    raw("}")
  }

  private mutating func operation(
    _ name: String,
    _ parts: [QueryExpression],
    _ options: QueryExpression.TextOptions = []
  ) {
    open(name)
    list(parts)
    write(options)
    raw("}")
  }

  private mutating func operation(
    _ name: String,
    _ parts: [QueryExpression],
    beside member: String,
    _ value: String
  ) {
    open(name)
    list(parts)
    beside(member, value)
    raw("}")
  }

  private mutating func positions(
    _ name: String,
    _ collection: QueryExpression,
    _ positions: [Int]
  ) {
    open(name)
    raw("[")
    write(collection)
    for position in positions {
      raw(",")
      integer(position)
    }
    raw("]}")
  }

  private mutating func membership(
    _ value: QueryExpression,
    _ list: [QueryExpression],
    _ options: QueryExpression.TextOptions
  ) {
    raw("{\"in\":[")
    write(value)
    raw(",")
    if let values = Self.constants(list), let type = Self.namedType(of: values) {
      self.list(values, type)
    } else {
      self.list(list)
    }
    raw("]")
    write(options)
    raw("}")
  }

  private mutating func list(_ parts: [QueryExpression]) { array(parts) { $0.write($1) } }

  private mutating func write(_ options: QueryExpression.TextOptions) {
    guard !options.isEmpty else { return }
    beside("options", options.letters)
  }
}

/// Constants.
extension JSONWriter {
  /// Writes a constant: as JSON has it, or with its type.
  package mutating func constant(_ value: Value) {
    if Self.isPlain(value) { return write(value) }
    if case .list(let elements) = value { return list(elements, Self.namedType(of: elements)) }
    raw("{\"value\":")
    write(value)
    beside("type", value.type?.rawValue ?? "")
    raw("}")
  }

  private mutating func list(_ values: [Value], _ type: AttributeType?) {
    raw("{\"value\":")
    array(values) { (writer, value) in
      if type == nil { writer.constant(value) } else { writer.write(value) }
    }
    if let type { beside("type", type.rawValue) }
    raw(",\"list\":true}")
  }

  /// Whether JSON tells the value's type.
  private static func isPlain(_ value: Value) -> Bool {
    switch value {
    case .null, .bool, .int64, .string: true
    case .double(let number): number.isFinite
    default: false
    }
  }

  /// The type of all the values if they have one and JSON doesn't tell it.
  private static func namedType(of values: [Value]) -> AttributeType? {
    let types = Set(values.filter { !$0.isNull }.map(\.type))
    guard types.count == 1, let type = types.first, !values.allSatisfy(isPlain) else { return nil }
    return type
  }

  private static func constants(_ list: [QueryExpression]) -> [Value]? {
    var values: [Value] = []
    for part in list {
      guard case .value(let value) = part else { return nil }
      values.append(value)
    }
    return values
  }
}
