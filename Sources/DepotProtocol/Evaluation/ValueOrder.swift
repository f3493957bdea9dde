package import FoundationEssentials

extension Value {
  /// Returns -1, 0, or 1 if the value is less than, equal to, or greater than another one.
  ///
  /// It is `nil` if there is no order, as between a number and NaN, or between types that have
  /// none. Text is ordered by code points, and equal only if these are; false is before true.
  package func order(_ other: Value) -> Int? {
    switch (self, other) {
    case (.int64(let left), .int64(let right)): Self.order(left, right)
    case (.double(let left), .double(let right)): Self.order(left, right)
    case (.int64(let left), .double(let right)): Self.order(left, right)
    case (.double(let left), .int64(let right)): Self.order(right, left).map { -$0 }
    case (.decimal(let left), .decimal(let right)): Self.order(left, right)
    case (.decimal(let left), .int64(let right)): Self.order(left, Decimal(right))
    case (.int64(let left), .decimal(let right)): Self.order(Decimal(left), right)
    case (.decimal(let left), .double(let right)): Self.order(left, right)
    case (.double(let left), .decimal(let right)): Self.order(right, left).map { -$0 }
    case (.date(let left), .date(let right)):
      Self.order(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
    case (.bool(let left), .bool(let right)): Self.order(left ? 1 : 0, right ? 1 : 0)
    case (.uuid(let left), .uuid(let right)):
      Self.order(
        bytes: withUnsafeBytes(of: left.uuid, Array.init),
        withUnsafeBytes(of: right.uuid, Array.init)
      )
    case (.data(let left), .data(let right)): Self.order(bytes: left, right)
    default:
      text.flatMap { left in other.text.map { Self.order(bytes: left.utf8, $0.utf8) } }
    }
  }

  /// The characters of a string or URL.
  package var text: String? {
    switch self {
    case .string(let text): text
    case .url(let url): url.absoluteString
    default: nil
    }
  }

  private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int? {
    left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
  }

  static func order<Bytes: Sequence<UInt8>>(bytes left: Bytes, _ right: Bytes) -> Int {
    left.elementsEqual(right) ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  private static func order(_ left: Int64, _ right: Double) -> Int? {
    if right.isNaN { return nil }
    let floor = right.rounded(.down)
    if floor >= 0x1p63 { return -1 }
    if floor < -0x1p63 { return 1 }
    let whole = Int64(floor)
    return left < whole ? -1 : left > whole ? 1 : right > floor ? -1 : 0
  }

  /// A double counts as its shortest decimal, or as infinite if it is beyond all decimals.
  package static func order(_ left: Decimal, _ right: Double) -> Int? {
    if right.isNaN || left.isNaN { return nil }
    if right.magnitude > 1e165 { return right > 0 ? -1 : 1 }
    if right.magnitude < 1e-120 {
      return left.isZero ? (right > 0 ? -1 : right < 0 ? 1 : 0) : left < 0 ? -1 : 1
    }
    return DecimalText.parse(right.description).flatMap { order(left, $0) }
  }
}
