internal import FoundationEssentials

/// Whole numbers that fit into 64 bits with a sign are stored as such.
extension AttributeValue where Self: FixedWidthInteger {
  public static var attributeType: AttributeType { .int64 }
  public static func describe(_ attribute: inout Attribute) {
    attribute.type = .int64
    attribute.width = NumberWidth(rawValue: "\(isSigned ? "int" : "uint")\(bitWidth)")
  }
  public static func read(from row: inout RowReader) throws(DepotError) -> Self {
    try row.next(.int64) { $0.int64.flatMap { Self(exactly: $0) } }
  }
  public var attributeValue: Value { .int64(Int64(self)) }
}

extension Int8: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension UInt8: AttributeValue {}
extension UInt16: AttributeValue {}
extension UInt32: AttributeValue {}

extension UInt64: AttributeValue {
  public static var attributeType: AttributeType { .decimal }
  public static func describe(_ attribute: inout Attribute) { attribute.describe(.uint64) }
  public static func read(from row: inout RowReader) throws(DepotError) -> UInt64 {
    try row.next(.decimal) { $0.decimal.flatMap { UInt64($0.description) } }
  }
  public var attributeValue: Value { .decimal(Decimal(self)) }
}

extension UInt: AttributeValue {
  public static var attributeType: AttributeType { .decimal }
  public static func describe(_ attribute: inout Attribute) { attribute.describe(.uint64) }
  public static func read(from row: inout RowReader) throws(DepotError) -> UInt {
    try row.next(.decimal) { $0.decimal.flatMap { UInt($0.description) } }
  }
  public var attributeValue: Value { .decimal(Decimal(self)) }
}

extension Float: AttributeValue {
  public static var attributeType: AttributeType { .double }
  public static func describe(_ attribute: inout Attribute) { attribute.describe(.float) }
  public static func read(from row: inout RowReader) throws(DepotError) -> Float {
    Float(try row.next(.double) { $0.double })
  }
  public var attributeValue: Value { .double(Double(self)) }
}

extension Attribute {
  /// Takes the type of numbers of a width.
  fileprivate mutating func describe(_ width: NumberWidth) {
    type = width.type
    self.width = width
  }
}
