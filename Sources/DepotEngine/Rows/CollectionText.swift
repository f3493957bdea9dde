internal import DepotProtocol
internal import FoundationEssentials

/// The stored form of collections: a compact JSON array whose elements are written as on the wire.
enum CollectionText {
  /// Reads the elements of an array of a request; `nil` if this isn't one or an element doesn't fit.
  static func read(
    _ field: RowField,
    of type: AttributeType,
    _ width: NumberWidth?
  ) -> [Value]? {
    guard field.kind == .array, var reader = try? RowReader(elementsOf: field.bytes) else {
      return nil
    }
    var values: [Value] = []
    while !reader.isAtEndOfRow() {
      guard let element = try? reader.field(), !element.isNull,
        let value = element.value(as: type), let fitting = fit(value, width)
      else { return nil }
      values.append(fitting)
    }
    guard (try? reader.endRow()) != nil, reader.offset == field.bytes.count else { return nil }
    return values
  }

  /// Writes the elements, those of a set sorted and each once.
  static func write(_ values: [Value], isSet: Bool) -> [UInt8] {
    var writer = JSONWriter(capacity: 64)
    writer.write(.list(isSet ? sorted(values) : values))
    return writer.bytes
  }

  /// Returns the elements of a set in their order, each once.
  static func sorted(_ values: [Value]) -> [Value] {
    var different: [Value] = []
    for value in values.sorted(by: { ScalarOrder.compare($0, $1) < 0 })
    where different.last.map({ ScalarOrder.compare($0, value) != 0 }) ?? true {
      different.append(value)
    }
    return different
  }

  /// Returns the value as its width holds it, or `nil` if it doesn't.
  private static func fit(_ value: Value, _ width: NumberWidth?) -> Value? {
    guard let width else { return value }
    guard width.holds(value) else { return nil }
    if case .double(let number) = value { return .double(Double(Float(number))) }
    return value
  }
}

/// The order of scalars, which is that of the store: text by code point, false before true, NaN last.
enum ScalarOrder {
  /// Returns a number less than, equal to, or greater than 0; values of one type only.
  static func compare(_ left: Value, _ right: Value) -> Int {
    switch (left, right) {
    case (.int64(let left), .int64(let right)): order(left, right)
    case (.bool(let left), .bool(let right)): order(left ? 1 : 0, right ? 1 : 0)
    case (.double(let left), .double(let right)): numbers(left, right)
    case (.date(let left), .date(let right)):
      numbers(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
    case (.string(let left), .string(let right)): bytes(left.utf8, right.utf8)
    case (.url(let left), .url(let right)):
      bytes(left.absoluteString.utf8, right.absoluteString.utf8)
    case (.data(let left), .data(let right)): bytes(left, right)
    case (.decimal(let left), .decimal(let right)):
      bytes(DecimalKey.encode(left), DecimalKey.encode(right))
    case (.uuid(let left), .uuid(let right)):
      withUnsafeBytes(of: left.uuid) { left in
        withUnsafeBytes(of: right.uuid) { bytes(left, $0) }
      }
    default: 0
    }
  }

  private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  private static func numbers(_ left: Double, _ right: Double) -> Int {
    if left.isNaN || right.isNaN { return order(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0) }
    return order(left, right)
  }

  private static func bytes(
    _ left: some Sequence<UInt8>,
    _ right: some Sequence<UInt8>
  ) -> Int {
    if left.lexicographicallyPrecedes(right) { return -1 }
    return right.lexicographicallyPrecedes(left) ? 1 : 0
  }
}
