/// The way values of one type become values of another without a program.
package enum Widening: Hashable, Sendable {
  /// Some values can't be converted.
  case impossible
  /// Each value can be converted, and stays equal.
  case exact
  /// Each value can be converted, but large integers are rounded, or repeated elements become one.
  case lossy
}

extension Attribute {
  /// Returns the way values become values of `new`, judging by type, width, and kind of collection.
  package func widening(to new: Attribute) -> Widening {
    let elements = Self.widening(of: (type, width), to: (new.type, new.width))
    return switch (collection, new.collection) {
    case (nil, nil), (.array, .array), (.set, .set), (.set, .array): elements
    case (nil, _): type.isScalar ? elements : .impossible
    case (.array, .set): elements == .exact ? .lossy : elements
    case (_, nil): .impossible
    }
  }

  private static func widening(
    of old: (type: AttributeType, width: NumberWidth?),
    to new: (type: AttributeType, width: NumberWidth?)
  ) -> Widening {
    if old == new { return .exact }
    if new.type == .string, old.type != .data, old.type.isScalar { return .exact }
    if new == (.double, nil), old.width == .float { return .exact }
    guard let range = WholeNumbers(old.type, old.width) else { return .impossible }
    if let wider = WholeNumbers(new.type, new.width) {
      return wider.contains(range) ? .exact : .impossible
    }
    switch (new.type, new.width) {
    case (.decimal, nil): return .exact
    case (.double, nil): return range.bits <= 53 ? .exact : .lossy
    case (.double, .float): return range.bits <= 24 ? .exact : .impossible
    default: return .impossible
    }
  }
}

/// The integers that a type holds.
private struct WholeNumbers {
  var isSigned: Bool
  /// The number of bits of a magnitude.
  var bits: Int

  init?(_ type: AttributeType, _ width: NumberWidth?) {
    let whole = width.map(\.whole) ?? (type == .int64 ? (true, 63) : nil)
    guard let whole else { return nil }
    (isSigned, bits) = whole
  }

  func contains(_ other: WholeNumbers) -> Bool {
    bits >= other.bits && (isSigned || !other.isSigned)
  }
}
