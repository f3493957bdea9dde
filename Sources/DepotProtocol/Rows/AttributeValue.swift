public import FoundationEssentials

/// A Swift type that an attribute's value can be read as and written from.
public protocol AttributeValue: Sendable {
  /// The type of the attributes that hold such values.
  static var attributeType: AttributeType { get }

  /// Sets the type, width, collection, and optionality of `attribute` for values of this type.
  static func describe(_ attribute: inout Attribute)

  /// Reads the next value of a row.
  ///
  /// - Throws: ``DepotError`` `request.type` if it isn't of this type.
  static func read(from row: inout RowReader) throws(DepotError) -> Self

  /// The value to store.
  var attributeValue: Value { get }
}

extension AttributeValue {
  public static func describe(_ attribute: inout Attribute) { attribute.type = attributeType }
}

extension RowReader {
  /// Reads the next value of the row, in the order of the selected attributes.
  ///
  /// - Throws: ``DepotError`` `request.type` if it isn't a `Wanted`.
  public mutating func next<Wanted: AttributeValue>(
    _: Wanted.Type = Wanted.self
  ) throws(DepotError) -> Wanted {
    try Wanted.read(from: &self)
  }

  mutating func next<Wanted>(
    _ type: AttributeType,
    _ convert: (RowField) -> Wanted?
  ) throws(DepotError) -> Wanted {
    let field = try field()
    guard let value = convert(field) else {
      throw field.isNo(type.rawValue)
    }
    return value
  }
}

extension RowField {
  /// Returns the error that the value is of another type.
  package func isNo(_ type: String) -> DepotError {
    guard let length = externalLength else {
      return DepotError(.type, "Expected a value of type \(type), found \(kind).")
    }
    return DepotError(.type, "The row has only the length of the value, \(length) bytes.")
      .hint(
        "Read it in pieces or as a LargeValue; one of at most \(Limits.valueBytes) bytes can be selected."
      ).details(["length": .int64(length)])
  }
}

extension DepotError {
  /// Whether a row has only the length of a value.
  package var isOfLength: Bool { code == .type && details?["length"] != nil }
}

extension String: AttributeValue {
  public static var attributeType: AttributeType { .string }
  public static func read(from row: inout RowReader) throws(DepotError) -> String {
    if let text = row.plainText() { return text }
    return try row.next(.string) { $0.string }
  }
  public var attributeValue: Value { .string(self) }
}

extension Int64: AttributeValue {
  public static var attributeType: AttributeType { .int64 }
  public static func read(from row: inout RowReader) throws(DepotError) -> Int64 {
    if let number = row.shortInteger() { return number }
    return try row.next(.int64) { $0.int64 }
  }
  public var attributeValue: Value { .int64(self) }
}

extension Int: AttributeValue {
  public static var attributeType: AttributeType { .int64 }
  public static func read(from row: inout RowReader) throws(DepotError) -> Int {
    Int(try Int64.read(from: &row))
  }
  public var attributeValue: Value { .int64(Int64(self)) }
}

extension Double: AttributeValue {
  public static var attributeType: AttributeType { .double }
  public static func read(from row: inout RowReader) throws(DepotError) -> Double {
    if let number = row.plainDouble() { return number }
    return try row.next(.double) { $0.double }
  }
  public var attributeValue: Value { .double(self) }
}

extension Bool: AttributeValue {
  public static var attributeType: AttributeType { .bool }
  public static func read(from row: inout RowReader) throws(DepotError) -> Bool {
    if let truth = row.plainTruth() { return truth }
    return try row.next(.bool) { $0.bool }
  }
  public var attributeValue: Value { .bool(self) }
}

extension Date: AttributeValue {
  public static var attributeType: AttributeType { .date }
  public static func read(from row: inout RowReader) throws(DepotError) -> Date {
    Date(timeIntervalSinceReferenceDate: try row.next(.date) { $0.referenceSeconds })
  }
  public var attributeValue: Value { .date(self) }
}

extension UUID: AttributeValue {
  public static var attributeType: AttributeType { .uuid }
  public static func read(from row: inout RowReader) throws(DepotError) -> UUID {
    try row.next(.uuid) { $0.uuid }
  }
  public var attributeValue: Value { .uuid(self) }
}

extension Data: AttributeValue {
  public static var attributeType: AttributeType { .data }
  public static func read(from row: inout RowReader) throws(DepotError) -> Data {
    try row.next(.data) { $0.data }
  }
  public var attributeValue: Value { .data(self) }
}

extension Decimal: AttributeValue {
  public static var attributeType: AttributeType { .decimal }
  public static func read(from row: inout RowReader) throws(DepotError) -> Decimal {
    try row.next(.decimal) { $0.decimal }
  }
  public var attributeValue: Value { .decimal(self) }
}

extension URL: AttributeValue {
  public static var attributeType: AttributeType { .url }
  public static func read(from row: inout RowReader) throws(DepotError) -> URL {
    try row.next(.url) { $0.url }
  }
  public var attributeValue: Value { .url(self) }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
  public static var attributeType: AttributeType { Wrapped.attributeType }
  public static func describe(_ attribute: inout Attribute) {
    Wrapped.describe(&attribute)
    attribute.isOptional = true
  }
  public static func read(from row: inout RowReader) throws(DepotError) -> Wrapped? {
    try row.skipNull() ? nil : Wrapped.read(from: &row)
  }
  public var attributeValue: Value { self?.attributeValue ?? .null }
}
