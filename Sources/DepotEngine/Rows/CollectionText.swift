internal import DepotProtocol

/// The stored form of collections: a compact JSON array whose elements are written as on the wire.
enum CollectionText {
  /// Reads the elements of an array of a request; `nil` if this isn't one or an element doesn't fit.
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

  /// Returns why an element isn't of a type, though another one written like it is; `nil` if none is so.
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

  /// Writes the elements, those of a set sorted and each once.
  static func write(_ values: [Value], isSet: Bool) -> [UInt8] {
    var writer = JSONWriter(capacity: 64)
    writer.write(.list(isSet ? values.different : values))
    return writer.bytes
  }

  /// Returns the value as its width holds it, or `nil` if it doesn't.
  private static func fit(_ value: Value, _ width: NumberWidth?) -> Value? {
    guard let width else { return value }
    guard width.holds(value) else { return nil }
    if case .double(let number) = value { return .double(Double(Float(number))) }
    return value
  }
}
