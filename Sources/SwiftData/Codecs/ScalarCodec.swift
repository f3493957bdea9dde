internal import DepotProtocol

/// The codec of a type that one column holds.
// because codecs are immutable
final class ScalarCodec<Content: AttributeValue>: AttributeCodec, @unchecked Sendable {
  private let standIn: Content?

  init(_: Content.Type) { standIn = Placeholder.of(Content.self) }

  override var attribute: Attribute {
    var attribute = Attribute(name: "", type: Content.attributeType)
    Content.describe(&attribute)
    return attribute
  }

  override var placeholder: Any { standIn ?? () }

  override func read(_ row: inout RowReader) throws -> Any {
    if try row.skipNull() { return placeholder }
    return try Content.read(from: &row)
  }

  override func values(_ value: Any) throws -> [Value] {
    guard let value = value as? Content else { throw SwiftDataError.mistyped(value, Content.self) }
    return [value.attributeValue]
  }

  override func write(_ value: Any, to row: inout RowWriter) throws {
    guard let value = value as? Content else { throw SwiftDataError.mistyped(value, Content.self) }
    row.append(value)
  }

  override func areEqual(_ left: Any, _ right: Any) -> Bool {
    guard let left = left as? Content, let right = right as? Content else { return false }
    return left.attributeValue.isIdentical(to: right.attributeValue)
  }
}

/// The codec of a type whose values are stored as those of another one, in one column.
// because codecs are immutable
final class ConvertedCodec<Content, Stored: AttributeValue>: AttributeCodec, @unchecked Sendable {
  private let toStored: (Content) -> Stored
  private let fromStored: (Stored) -> Content?
  private let standIn: Content?

  init(
    _: Content.Type,
    placeholder: Content?,
    _ toStored: @escaping (Content) -> Stored,
    _ fromStored: @escaping (Stored) -> Content?
  ) {
    self.toStored = toStored
    self.fromStored = fromStored
    standIn = placeholder
  }

  override var attribute: Attribute {
    var attribute = Attribute(name: "", type: Stored.attributeType)
    Stored.describe(&attribute)
    return attribute
  }

  override var placeholder: Any { standIn ?? () }

  override func read(_ row: inout RowReader) throws -> Any {
    if try row.skipNull() { return placeholder }
    let stored = try Stored.read(from: &row)
    guard let value = fromStored(stored) else {
      throw SwiftDataError.unreadable(stored, Content.self)
    }
    return value
  }

  override func values(_ value: Any) throws -> [Value] {
    guard let value = value as? Content else { throw SwiftDataError.mistyped(value, Content.self) }
    return [toStored(value).attributeValue]
  }
}

extension SwiftDataError {
  /// Returns the error that what is stored is no value of a type.
  static func unreadable(_ stored: Any, _ type: Any.Type) -> SwiftDataError {
    SwiftDataError(
      .storeFailure,
      "The store has \(String(reflecting: stored)), which isn't a \(type).",
      hint: "Another version of the program may have stored it."
    )
  }
}
