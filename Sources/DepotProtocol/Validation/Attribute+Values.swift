internal import FoundationEssentials

extension Attribute {
  /// Returns the problem with a value other than null, as the rest of a sentence, or `nil`.
  ///
  /// It compiles the pattern each time, since a schema has few values.
  func problem(with value: Value) -> String? {
    let elements: [Value]
    switch (collection, value) {
    case (nil, .list): return "is a list"
    case (nil, _): elements = [value]
    case (_, .list(let list)): elements = list
    default: return "is no list"
    }
    for element in elements {
      if element.type != type { return "is no \(typeName)" }
      if let width, !width.holds(element) { return "is no \(width.rawValue)" }
      let cases = validation.cases
      if !cases.isEmpty, !cases.contains(where: { $0.isIdentical(to: element) }) {
        return "is none of its cases"
      }
    }
    if let least = validation.minimum, !(value.isOrdered && !(value < least)) {
      return "is below the min"
    }
    if let most = validation.maximum, !(value.isOrdered && !(most < value)) {
      return "is above the max"
    }
    if let length = value.length {
      if let least = validation.minLength, length < least { return "is shorter than minLength" }
      if let most = validation.maxLength, length > most { return "is longer than maxLength" }
    }
    if let pattern = validation.pattern, let text = value.text,
      let regex = try? TextPattern(pattern), !regex.matches(text)
    {
      return "doesn't match the pattern"
    }
    return nil
  }
}

extension NumberWidth {
  /// The range of numbers that are stored as int64; `nil` for other widths.
  package var range: ClosedRange<Int64>? {
    guard type == .int64, let (isSigned, bits) = whole else { return nil }
    let greatest = Int64(1) << Int64(bits) - 1
    return (isSigned ? -greatest - 1 : 0)...greatest
  }

  /// The signedness and the number of bits of integers of the width; `nil` for fractions.
  var whole: (isSigned: Bool, bits: Int)? {
    switch self {
    case .int8: (true, 7)
    case .int16: (true, 15)
    case .int32: (true, 31)
    case .uint8: (false, 8)
    case .uint16: (false, 16)
    case .uint32: (false, 32)
    case .uint64: (false, 64)
    case .float: nil
    }
  }

  /// Whether a number is in range; a float may be rounded, but not to infinity.
  package func holds(_ value: Value) -> Bool {
    switch value {
    case .int64(let number): range?.contains(number) == true
    case .decimal(let number): UInt64(number.description) != nil
    case .double(let number): !number.isFinite || Float(number).isFinite
    default: false
    }
  }
}

extension Value {
  /// Whether values of the type are ordered, and this one isn't NaN.
  var isOrdered: Bool { type?.isMeasure == true && !isNaN }

  /// Compares numbers and dates of one type.
  static func < (left: Value, right: Value) -> Bool {
    left.order(right) == -1
  }

  /// The characters of a text or URL, the bytes of data, or the elements of a list.
  fileprivate var length: Int? {
    switch self {
    case .data(let data): data.count
    case .list(let elements): elements.count
    default: text?.count
    }
  }
}
