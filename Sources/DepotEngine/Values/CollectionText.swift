internal import DepotProtocol

/// The stored form of collections: a compact JSON array, with elements as in requests.
enum CollectionText {
  /// Reads the elements of a request's array; `nil` if it isn't one or has an invalid element.
  static func read(
    _ field: RowField,
    of type: AttributeType,
    _ width: NumberWidth?
  ) -> [Value]? {
    guard field.kind == .array, var reader = try? RowReader(field.bytes) else {
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

  /// Returns why an element of the right JSON form isn't of a type; `nil` if it is valid.
  static func misfit(_ field: RowField, _ type: AttributeType) -> ValueMisfit? {
    guard field.kind == .array, var reader = try? RowReader(field.bytes) else {
      return nil
    }
    while !reader.isAtEndOfRow() {
      guard let element = try? reader.field() else { return nil }
      if element.value(as: type) == nil, let misfit = element.misfit(as: type) { return misfit }
    }
    return nil
  }

  /// Writes the elements; those of a set are sorted, without duplicates.
  static func write(_ values: [Value], isSet: Bool) -> [UInt8] {
    Value.list(isSet ? values.different : values).jsonBytes
  }

  /// Returns the value in a width, or `nil` if it doesn't fit.
  private static func fit(_ value: Value, _ width: NumberWidth?) -> Value? {
    guard let width else { return value }
    guard width.holds(value) else { return nil }
    if case .double(let number) = value { return .double(Double(Float(number))) }
    return value
  }
}
