/// Enumerations with raw values are stored by their raw value: `enum Size: String, AttributeValue`.
extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
  public static var attributeType: AttributeType { RawValue.attributeType }
  public static func describe(_ attribute: inout Attribute) { RawValue.describe(&attribute) }
  public static func read(from row: inout RowReader) throws(DepotError) -> Self {
    let raw = try RawValue.read(from: &row)
    guard let value = Self(rawValue: raw) else { throw DepotError.noCase(Self.self, "\(raw)") }
    return value
  }
  public var attributeValue: Value { rawValue.attributeValue }
}

/// Enumerations without raw values are stored by the names of their cases.
///
/// For example, `enum Size: CaseIterable, AttributeValue`.
///
/// A custom description doesn't matter.
extension AttributeValue where Self: CaseIterable {
  public static var attributeType: AttributeType { .string }
  public static func read(from row: inout RowReader) throws(DepotError) -> Self {
    let name = try String.read(from: &row)
    guard let value = CaseName.value(name, among: allCases) else {
      throw DepotError.noCase(Self.self, name)
    }
    return value
  }
  public var attributeValue: Value { CaseName.stored(self, among: Self.allCases) }
}

// An enumeration with raw values that is also `CaseIterable` is stored as its raw value.
extension AttributeValue where Self: RawRepresentable & CaseIterable, RawValue: AttributeValue {
  public static var attributeType: AttributeType { RawValue.attributeType }
  public static func describe(_ attribute: inout Attribute) { RawValue.describe(&attribute) }
  public static func read(from row: inout RowReader) throws(DepotError) -> Self {
    let raw = try RawValue.read(from: &row)
    guard let value = Self(rawValue: raw) else { throw DepotError.noCase(Self.self, "\(raw)") }
    return value
  }
  public var attributeValue: Value { rawValue.attributeValue }
}

extension DepotError {
  fileprivate static func noCase(_ type: Any.Type, _ text: String) -> DepotError {
    DepotError(.type, "\(type) has no case for \"\(text)\".")
  }
}
