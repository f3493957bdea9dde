internal import DepotProtocol
internal import FoundationEssentials

/// The translation of one predicate.
struct PredicateCompiler {
  let layout: EntityLayout
  let now: Date
  var isSlow = false

  init(layout: EntityLayout, now: Date) {
    self.layout = layout
    self.now = now
  }

  /// Translates a part that is true or false.
  ///
  /// - Parameters:
  ///   - expression: The part.
  ///   - isFilter: Whether NULL counts as false where the result is used, so that forms may be
  ///     chosen that indexes serve better.
  /// - Returns: The condition, which may be NULL in place of false.
  /// - Throws: ``DepotError`` `request.predicate` or `schema.unknown_attribute`.
  mutating func condition(
    _ expression: QueryExpression,
    isFilter: Bool
  ) throws(DepotError) -> Condition {
    switch expression {
    case .and(let parts):
      return try junction(parts, "AND", ifEmpty: true, isFilter: isFilter)
    case .or(let parts):
      return try junction(parts, "OR", ifEmpty: false, isFilter: isFilter)
    case .not(let part):
      return Condition("NOT " + (try condition(part, isFilter: false)).strict.parenthesized)
    case .comparison(let comparison, let left, let right, let options):
      return try self.comparison(
        comparison,
        left,
        right,
        options,
        in: expression,
        isFilter: isFilter
      )
    case .text(let test, let text, let pattern, let options):
      return try self.text(test, text, pattern, options, in: expression)
    case .between(let value, let low, let high):
      return try between(value, low, high, in: expression)
    case .in(let value, let list, let options):
      return try membership(value, list, options, in: expression, isFilter: isFilter)
    case .attribute, .value, .now, .arithmetic, .negate:
      let operand = try operand(expression)
      if operand.isNull { return .always(false) }
      guard operand.type == .bool else {
        throw invalid(expression, "This is of type \(operand.typeName), not true or false.")
      }
      return isFilter
        ? Condition(operand.fragment + " = 1", isNullable: operand.isNullable)
        : Condition(operand.fragment + " IS 1")
    default:
      throw invalid(expression, "This isn't available yet.")
    }
  }

  private mutating func junction(
    _ parts: [QueryExpression],
    _ word: String,
    ifEmpty: Bool,
    isFilter: Bool
  ) throws(DepotError) -> Condition {
    var fragments: [Fragment] = []
    var isNullable = false
    for part in parts {
      let condition = try condition(part, isFilter: isFilter)
      isNullable = isNullable || condition.isNullable
      fragments.append(condition.fragment.parenthesized)
    }
    guard !fragments.isEmpty else { return .always(ifEmpty) }
    return Condition(.joined(fragments[...], by: word), isNullable: isNullable)
  }

  /// Translates a part that has a value.
  mutating func operand(_ expression: QueryExpression) throws(DepotError) -> Operand {
    switch expression {
    case .value(let value):
      return Operand(constant: value, source: expression)
    case .now:
      return Operand(constant: .date(now), source: expression)
    case .attribute(let name):
      return try attribute(name, source: expression)
    case .arithmetic(let arithmetic, let left, let right):
      return try self.arithmetic(
        arithmetic,
        try operand(left),
        try operand(right),
        source: expression
      )
    case .negate(let part):
      let minusOne = Operand(constant: .int64(-1), source: expression)
      return try arithmetic(.multiply, try operand(part), minusOne, source: expression)
    case .comparison, .text, .between, .in, .and, .or, .not:
      let condition = try condition(expression, isFilter: false)
      return Operand(
        type: .bool,
        condition.strict.parenthesized,
        isNullable: false,
        source: expression
      )
    default:
      throw invalid(expression, "This isn't available yet.")
    }
  }

  private func attribute(_ name: String, source: QueryExpression) throws(DepotError) -> Operand {
    if name == "$id" || name == "$version" {
      let column = Fragment(sql: String(name.dropFirst()))
      return Operand(type: .int64, column, isNullable: false, source: source)
    }
    guard let position = layout.position(of: name) else {
      throw layout.entity.unknownAttribute(name)
    }
    let attribute = layout.fields[position].attribute
    return Operand(
      type: attribute.type,
      Fragment(sql: layout.sql(ofField: position, in: layout.table)),
      isNullable: attribute.isOptional,
      source: source
    )
  }

  /// Returns the error that `expression` is wrong for the reason `message`.
  func invalid(_ expression: QueryExpression, _ message: String) -> DepotError {
    DepotError(.predicate, "In \(expression.spelling): \(message)")
  }
}

extension Operand {
  var typeName: String { type?.rawValue ?? "null" }
}

extension QueryExpression {
  /// The expression as text for messages, cut if it is long.
  var spelling: String {
    var writer = JSONWriter()
    writer.write(self)
    let text = String(decoding: writer.bytes, as: UTF8.self)
    return text.count > 200 ? text.prefix(200) + "…" : text
  }
}
