internal import FoundationEssentials

/// `CAST("…", "type")`: a value of a type that has no literal.
enum PredicateCast {
  /// Returns the text of the cast of a literal.
  static func text(_ literal: String, _ type: String) -> String {
    "CAST(\(literal), \"\(type)\")"
  }

  /// Whether `token` is a literal, whose cast is a constant rather than a conversion.
  static func isLiteral(_ token: PredicateToken, isNegative: Bool) -> Bool {
    switch token.kind {
    case .double, .integer: true
    case .string: !isNegative
    case .word: !isNegative && token.constant?.constant?.type == .bool
    default: false
    }
  }

  /// Returns the type named `name`, or by Core Data's name.
  static func type(_ name: String) -> AttributeType? {
    if let type = AttributeType(rawValue: name) { return type == .composite ? nil : type }
    return foundation[name]
  }

  private static let foundation: [String: AttributeType] = [
    "NSString": .string, "NSNumber": .double, "NSDate": .date, "NSUUID": .uuid, "NSData": .data,
    "NSDecimalNumber": .decimal, "NSURL": .url,
  ]

  /// Returns the value of the literal `operand` as `type`.
  ///
  /// A date may be given as a number of seconds since 2001-01-01T00:00:00Z.
  static func value(
    _ operand: PredicateToken,
    isNegative: Bool,
    _ type: PredicateToken
  ) throws(PredicateFailure) -> Value {
    guard let literal = Self.literal(operand, isNegative: isNegative) else {
      throw operand.failure("The number is too large.")
        .hint("Write it as text: CAST(\"…\", \"decimal\").")
    }
    guard case .string(let name) = type.kind else { throw noType(type) }
    let value: Value?
    if let width = NumberWidth(rawValue: name) {
      value = literal.cast(to: width)
    } else if let wanted = Self.type(name) {
      value = convert(literal, to: wanted)
    } else {
      throw noType(type)
    }
    guard let value else {
      throw operand.failure("This isn't a value of type \(name).")
        .hint(Self.type(name) == .date ? "Write \(DateText.forms)." : nil)
    }
    return value
  }

  static func noType(_ token: PredicateToken) -> PredicateFailure {
    let types =
      AttributeType.allCases.filter { $0 != .composite }.map(\.rawValue)
      + NumberWidth.allCases.map(\.rawValue)
    return token.failure("The second part of CAST is the name of a type.")
      .hint("The types are " + types.map { "\"\($0)\"" }.joined(separator: ", ") + ".")
  }

  private static func literal(_ operand: PredicateToken, isNegative: Bool) -> Value? {
    switch operand.kind {
    case .string(let text): return .string(text)
    case .double(let value): return .double(isNegative ? -value : value)
    case .integer(let magnitude):
      if isNegative { return .int64(Int64(truncatingIfNeeded: 0 &- magnitude)) }
      return Int64(exactly: magnitude).map(Value.int64)
    default: return operand.constant?.constant
    }
  }

  private static func convert(_ literal: Value, to type: AttributeType) -> Value? {
    switch (literal, type) {
    case (.string(let text), .date):
      if let seconds = NonFinite.double(text) {
        return .date(Date(timeIntervalSinceReferenceDate: seconds))
      }
      return DateText.exact(text.utf8).flatMap { DateText.parse($0.utf8) }
        .map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case (.int64(let seconds), .date):
      return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.double(let seconds), .date):
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.string(let text), .json):
      return (try? JSONValue(parsing: text.utf8)).map { .json($0.text) }
    default: break
    }
    var writer = JSONWriter()
    writer.write(literal)
    return try? JSONDocument(writer.bytes).root.value(as: type)
  }
}
