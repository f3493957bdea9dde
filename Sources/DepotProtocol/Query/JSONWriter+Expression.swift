extension QueryExpression {
  /// The expression as JSON.
  package var jsonText: String { JSONWriter.text { $0.write(self) } }
}

extension JSONWriter {
  /// Writes an expression in its JSON form.
  package mutating func write(_ expression: QueryExpression) {
    switch expression {
    case .value(let value): constant(value)
    case .attribute(let path): operation("attribute", .value(.string(path)))
    case .variable(let name): operation("variable", .value(.string(name)))
    case .member(let base, let path): operation("member", [base, .value(.string(path))])
    case .now: operation("now", .value(.bool(true)))
    case .comparison(let comparison, let left, let right, let options):
      operation(comparison.rawValue, [left, right], beside: options.member)
    case .text(let test, let left, let right, let options):
      operation(test.rawValue, [left, right], beside: options.member)
    case .between(let value, let low, let high): operation("between", [value, low, high])
    case .in(let value, let list, let options): membership(value, list, options)
    case .and(let parts): operation("and", parts)
    case .or(let parts): operation("or", parts)
    case .not(let part): operation("not", part)
    case .arithmetic(let arithmetic, let left, let right):
      operation(arithmetic.rawValue, [left, right])
    case .negate(let part): operation("negate", part)
    case .search(let paths, let words):
      raw("{\"search\":")
      string(words)
      if !paths.isEmpty {
        raw(",\"in\":")
        names(paths)
      }
      raw("}")
    case .is(let object, let entity): operation("is", object, beside: ("entity", entity))
    case .cast(let object, let entity): operation("as", object, beside: ("entity", entity))
    case .convert(let value, let type): operation("convert", value, beside: ("type", type.rawValue))
    case .narrow(let value, let width):
      operation("convert", value, beside: ("type", width.rawValue))
    case .list(let parts): operation("values", parts)
    case .conditional(let condition, let yes, let no): operation("if", [condition, yes, no])
    case .coalesce(let parts): operation("coalesce", parts)
    case .function(let function, let arguments): operation(function.rawValue, arguments)
    case .quantified(let quantifier, let collection, let name, let predicate):
      operation(quantifier.rawValue, [collection, predicate], beside: ("variable", name))
    case .filtered(let collection, let name, let predicate):
      operation("filter", [collection, predicate], beside: ("variable", name))
    case .aggregate(let aggregate, let collection): operation(aggregate.rawValue, collection)
    case .contains(let collection, let element): operation("has", [collection, element])
    case .element(let collection, let position):
      operation("element", [collection, .value(.int64(Int64(position)))])
    case .slice(let collection, let range):
      let ends = [range.lowerBound, range.upperBound].map { Value.int64(Int64($0)) }
      operation("slice", [collection] + ends.map(QueryExpression.value))
    }
  }

  /// Writes an operator with its argument and an optional member beside it.
  private mutating func operation(
    _ name: String,
    beside member: (name: String, value: String)? = nil,
    _ argument: (inout JSONWriter) -> Void
  ) {
    raw("{")
    self.name(name)
    argument(&self)
    if let member { beside(member.name, member.value) }
    raw("}")
  }

  private mutating func operation(
    _ name: String,
    _ part: QueryExpression,
    beside member: (name: String, value: String)? = nil
  ) {
    operation(name, beside: member) { $0.write(part) }
  }

  private mutating func operation(
    _ name: String,
    _ parts: [QueryExpression],
    beside member: (name: String, value: String)? = nil
  ) {
    operation(name, beside: member) { $0.list(parts) }
  }

  private mutating func beside(_ name: String, _ value: String) {
    self.name(name)
    string(value)
  }

  private mutating func membership(
    _ value: QueryExpression,
    _ list: [QueryExpression],
    _ options: QueryExpression.TextOptions
  ) {
    if let values = QueryExpression.constants(list), Self.namedType(of: values) != nil {
      return operation("in", [value, .value(.list(values))], beside: options.member)
    }
    operation("in", beside: options.member) { writer in
      writer.raw("[")
      writer.write(value)
      writer.raw(",")
      writer.list(list)
      writer.raw("]")
    }
  }

  private mutating func list(_ parts: [QueryExpression]) { array(parts) { $0.write($1) } }
}

extension QueryExpression.TextOptions {
  /// The member for the options, beside an operator.
  fileprivate var member: (name: String, value: String)? {
    isEmpty ? nil : ("options", letters)
  }
}

/// Constants.
extension JSONWriter {
  /// Writes a constant: in JSON's own form, or with its type.
  package mutating func constant(_ value: Value) {
    if Self.isPlain(value) { return write(value) }
    if case .list(let elements) = value { return list(elements, Self.namedType(of: elements)) }
    operation("value", beside: ("type", value.type?.rawValue ?? "")) { $0.write(value) }
  }

  private mutating func list(_ values: [Value], _ type: AttributeType?) {
    raw("{\"value\":")
    array(values) { (writer, value) in
      if type == nil { writer.constant(value) } else { writer.write(value) }
    }
    if let type { beside("type", type.rawValue) }
    raw(",\"list\":true}")
  }

  /// Whether JSON's own form determines the value's type.
  private static func isPlain(_ value: Value) -> Bool {
    switch value {
    case .null, .bool, .int64, .string: true
    case .double(let number): number.isFinite
    default: false
    }
  }

  /// The type to name for a list of values: their common type, if JSON doesn't determine it.
  private static func namedType(of values: [Value]) -> AttributeType? {
    let types = Set(values.filter { !$0.isNull }.map(\.type))
    guard types.count == 1, let type = types.first, !values.allSatisfy(isPlain) else { return nil }
    return type
  }
}
