internal import FoundationEssentials

extension Value {
  /// Returns the value as another type if nothing is lost; constants are read so.
  package func converted(to type: AttributeType) -> Value? {
    switch (self, type) {
    case (.string(let text), .date):
      DateText.exact(text.utf8).flatMap { DateText.parse($0.utf8) }
        .map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case (.string(let text), .uuid): UUID(uuidString: text).map(Value.uuid)
    case (.string(let text), .url): URL(exactly: text).map(Value.url)
    case (.string(let text), .decimal): DecimalText.parse(text).map(Value.decimal)
    case (.string(let text), .data): Base64.decode(text).map(Value.data)
    case (.url(let url), .string): .string(url.absoluteString)
    case (.int64(let number), .double): Double(exactly: number).map(Value.double)
    case (.int64(let number), .decimal): .decimal(Decimal(number))
    case (.double(let number), .int64): Int64(exactly: number).map(Value.int64)
    // The client wrote the shortest text of the double.
    case (.double(let number), .decimal): DecimalText.parse(number.description).map(Value.decimal)
    case (.decimal(let number), .int64): Int64(number.description).map(Value.int64)
    default: self.type == type ? self : nil
    }
  }

  /// Returns the value as another type, possibly with loss; `nil` if there is no such conversion.
  ///
  /// Text is converted from the wire form of a value. A fraction is cut off, a date is its seconds
  /// since 2001, and 0 is the only number that is false.
  package func cast(to type: AttributeType) -> Value? {
    if self.type == type { return self }
    if case .json(let text) = self { return JSONMember.scalar(text)?.cast(to: type) }
    switch type {
    case .string: return spelling.map(Value.string)
    case .int64: return whole.map(Value.int64)
    case .double: return number.map(Value.double)
    case .decimal:
      switch self {
      case .int64(let number): return .decimal(Decimal(number))
      case .bool(let value): return .decimal(value ? 1 : 0)
      case .double, .date: return number.flatMap { Value.double($0).converted(to: .decimal) }
      default: return converted(to: .decimal)
      }
    case .bool:
      switch self {
      case .string("true"): return .bool(true)
      case .string("false"): return .bool(false)
      case .int64, .double, .decimal: return order(.int64(0)).map { .bool($0 != 0) }
      default: return nil
      }
    case .date:
      if case .string = self { return converted(to: .date) }
      if case .bool = self { return nil }
      return number.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .url: return spelling.flatMap { Value.string($0).converted(to: .url) }
    case .uuid, .data: return converted(to: type)
    case .json, .composite: return nil
    }
  }

  /// Returns the value; JSON is converted to a type, and is null if it is of another kind.
  package func read(as type: AttributeType) -> Value {
    guard case .json(let text) = self else { return self }
    return JSONMember.scalar(text, as: type) ?? .null
  }

  /// Returns the value as a number of a width; `nil` if it can't be one, for example out of range.
  ///
  /// A double is rounded to the nearest float.
  package func cast(to width: NumberWidth) -> Value? {
    guard var value = cast(to: width.type) else { return nil }
    if width == .uint64, case .decimal(let number) = value {
      guard let whole = DecimalParts(number).rounded(.towardZero) else { return nil }
      value = .decimal(whole)
    }
    guard width.holds(value) else { return nil }
    if width == .float, case .double(let number) = value { return .double(Double(Float(number))) }
    return value
  }

  private var spelling: String? {
    switch self {
    case .null, .list, .json: return nil
    case .string(let text): return text
    default:
      let text = JSONWriter.text { $0.write(self) }
      return text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
    }
  }

  private var number: Double? {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .date(let date): date.timeIntervalSinceReferenceDate
    case .string(let text): NonFinite.double(text) ?? Self.double(text)
    default: ValueArithmetic.double(self)
    }
  }

  private var whole: Int64? {
    switch self {
    case .string(let text): return Int64(text)
    case .decimal(let number):
      return Int64(number.description.prefix { $0 != "." })
    default:
      guard let number, number >= -0x1p63, number < 0x1p63 else { return nil }
      return Int64(number)
    }
  }

  /// Reads a double in JSON's grammar, which excludes hexadecimal numbers.
  private static func double(_ text: String) -> Double? {
    DecimalText.isGrammatical(text) ? Double(text) : nil
  }
}

/// Reads JSON values of attributes.
enum JSONMember {
  /// Returns the member of an object as JSON text; `nil` if it is null or missing.
  static func member(_ name: String, of text: String) -> String? {
    guard let value = try? JSONValue(parsing: text.utf8), let member = value.object?[name],
      member != .null
    else { return nil }
    return JSONWriter.text { $0.write(member) }
  }

  /// Returns the string, number, or truth value of JSON text.
  static func scalar(_ text: String) -> Value? {
    switch try? JSONValue(parsing: text.utf8) {
    case .string(let text)?: .string(text)
    case .bool(let value)?: .bool(value)
    case .int64(let number)?: .int64(number)
    case .double(let number)?: .double(number)
    default: nil
    }
  }

  /// Returns the value of JSON text if its kind is the one that the type is written as.
  static func scalar(_ text: String, as type: AttributeType) -> Value? {
    guard let value = scalar(text) else { return nil }
    switch (value, type) {
    case (.int64, .double), (.int64, .int64), (.double, .double), (.bool, .bool): return value
    default: return value.converted(to: type)
    }
  }
}
