internal import DepotProtocol

/// The codec of a type that is stored as JSON, into which the store doesn't look.
final class JSONCodec<Content: Codable>: AttributeCodec {
  private let standIn: Content?

  init(_: Content.Type) { standIn = Placeholder.of(Content.self) }

  override var attribute: Attribute { Attribute(name: "", type: .json) }
  override var placeholder: Any { standIn ?? () }

  override func read(_ row: inout RowReader) throws -> Any {
    if let standIn, try row.skipNull() { return standIn }
    let text = try row.text()
    do {
      return try JSONCoding.decode(Content.self, text)
    } catch {
      // The answer is well-formed, and the other values of the row can be read.
      throw SwiftDataError(.storeFailure, error.message)
    }
  }

  override func values(_ value: Any) throws -> [Value] {
    let value = try cast(value, to: Content.self)
    do {
      let json = try JSONCoding.encode(value)
      // The service takes no names with a zero character, and would refuse the request as a whole.
      if case .json(let text) = json, text.contains(#"\u0000"#) {
        _ = try JSONValue(parsing: text.utf8)
      }
      return [json]
    } catch let error as DepotError {
      throw SwiftDataError(
        .modelValidationFailure,
        "A \(Content.self) can't be stored: \(error.message)"
      )
    } catch {
      throw SwiftDataError(.modelValidationFailure, "A \(Content.self) can't be encoded: \(error)")
    }
  }
}
