internal import FoundationEssentials

extension Int8: AttributeValue {
  public static var attributeType: AttributeType { .int64 }
  public static func describe(_ attribute: inout Attribute) { attribute.describe(.int8) }
  public static func read(from row: inout RowReader) throws(DepotError) -> Int8 {
    try row.next(.int64) { $0.int64.flatMap { Int8(exactly: $0) } }
  }
  public var attributeValue: Value { .int64(Int64(self)) }
}

extension Int16: AttributeValue {
  public static var attributeType: AttributeType { .int64 }
  public static func describe(_ attribute: inout Attribute) { attribute.describe(.int16) }
  public static func read(from row: inout RowReader) throws(DepotError) -> Int16 {
    try row.next(.int64) { $0.int64.flatMap { Int16(exactly: $0) } }
  }
  public var attributeValue: Value { .int64(Int64(self)) }
}

extension Int32: AttributeValue {
  public static var attributeType: AttributeType { .int64 }
  public static func describe(_ attribute: inout Attribute) { attribute.describe(.int32) }
  public static func read(from row: inout RowReader) throws(DepotError) -> Int32 {
    try row.next(.int64) { $0.int64.flatMap { Int32(exactly: $0) } }
  }
  public var attributeValue: Value { .int64(Int64(self)) }
}

extension UInt8: AttributeValue {
  public static var attributeType: AttributeType { .int64 }
  public static func describe(_ attribute: inout Attribute) { attribute.describe(.uint8) }
  public static func read(from row: inout RowReader) throws(DepotError) -> UInt8 {
    try row.next(.int64) { $0.int64.flatMap { UInt8(exactly: $0) } }
  }
  public var attributeValue: Value { .int64(Int64(self)) }
}

extension UInt16: AttributeValue {
  public static var attributeType: AttributeType { .int64 }
  public static func describe(_ attribute: inout Attribute) { attribute.describe(.uint16) }
  public static func read(from row: inout RowReader) throws(DepotError) -> UInt16 {
    try row.next(.int64) { $0.int64.flatMap { UInt16(exactly: $0) } }
  }
  public var attributeValue: Value { .int64(Int64(self)) }
}

extension UInt32: AttributeValue {
  public static var attributeType: AttributeType { .int64 }
  public static func describe(_ attribute: inout Attribute) { attribute.describe(.uint32) }
  public static func read(from row: inout RowReader) throws(DepotError) -> UInt32 {
    try row.next(.int64) { $0.int64.flatMap { UInt32(exactly: $0) } }
  }
  public var attributeValue: Value { .int64(Int64(self)) }
}

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
