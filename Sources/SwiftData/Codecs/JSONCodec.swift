internal import DepotProtocol

/// The codec of a type that is stored as JSON, into which the store doesn't look.
// because codecs are immutable
final class JSONCodec<Content: Codable>: AttributeCodec, @unchecked Sendable {
  private let standIn: Content?

  init(_: Content.Type) { standIn = Placeholder.of(Content.self) }

  override var attribute: Attribute { Attribute(name: "", type: .json) }
  override var placeholder: Any { standIn ?? () }

  override func read(_ row: inout RowReader) throws -> Any {
    if let standIn, try row.skipNull() { return standIn }
    return try JSONCoding.decode(Content.self, try row.text())
  }

  override func values(_ value: Any) throws -> [Value] {
    let value = try cast(value, to: Content.self)
    do {
      return [try JSONCoding.encode(value)]
    } catch {
      throw SwiftDataError(.modelValidationFailure, "A \(Content.self) can't be encoded: \(error)")
    }
  }
}
