internal import DepotProtocol

/// The codec of a type that is stored by its raw value.
// because codecs are immutable
final class RawCodec<Content: RawRepresentable>: AttributeCodec, @unchecked Sendable {
  private let codec: AttributeCodec
  private let standIn: Content?

  /// Returns `nil` if the raw values can't be stored in one column.
  init?(_ type: Content.Type) {
    codec = .of(Content.RawValue.self, nil)
    guard codec.problem == nil, codec.attribute.type.isScalar else { return nil }
    standIn =
      TypeKind.cases(of: type)?.first
      ?? (codec.placeholder as? Content.RawValue).flatMap { Content(rawValue: $0) }
  }

  override var attribute: Attribute { codec.attribute }
  override var placeholder: Any { standIn ?? () }

  override func read(_ row: inout RowReader) throws -> Any {
    if try row.skipNull() { return placeholder }
    let raw = try codec.read(&row)
    guard let value = (raw as? Content.RawValue).flatMap({ Content(rawValue: $0) }) else {
      throw SwiftDataError.unreadable(raw, Content.self)
    }
    return value
  }

  override func values(_ value: Any) throws -> [Value] {
    guard let value = value as? Content else { throw SwiftDataError.mistyped(value, Content.self) }
    return try codec.values(value.rawValue)
  }
}
