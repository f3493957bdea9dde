import DepotProtocol
import Testing

@Suite struct ValueVectorTests {
  /// A composite has no form of its own: its parts have columns.
  private static let types = AttributeType.scalars + [.json]

  private func load(_ type: AttributeType) throws -> JSONValue {
    let vectors = try Vectors.document("values/\(type.rawValue).json")
    #expect(vectors["type"]?.string == type.rawValue)
    return vectors
  }

  private func read(_ text: String, as type: AttributeType) throws -> Value? {
    try? JSONDocument(Array(text.utf8)).root.value(as: type)
  }

  private func texts(_ vectors: JSONValue, _ name: String) throws -> [String] {
    try #require(vectors[name]?.array).compactMap(\.string)
  }

  @Test(arguments: types)
  func `canonical texts read and write as they are`(type: AttributeType) throws {
    let texts = try texts(load(type), "canonical")
    #expect(texts.count > 1)
    for text in texts {
      let value = try #require(try read(text, as: type), "\(text) was refused")
      #expect(value.type == type)
      #expect(jsonText { $0.write(value) } == text)
    }
  }

  @Test(arguments: types, ["accepted", "lossy"])
  func `other spellings are written canonically`(type: AttributeType, list: String) throws {
    for pair in try #require(load(type)[list]?.array) {
      let text = try #require(pair["text"]?.string)
      let canonical = try #require(pair["canonical"]?.string)
      let value = try #require(try read(text, as: type), "\(text) was refused")
      #expect(jsonText { $0.write(value) } == canonical, "\(text)")
      let again = try #require(try read(canonical, as: type))
      #expect(again.isIdentical(to: value), "\(text)")
    }
  }

  @Test(arguments: types)
  func `what isn't a value of the type is refused`(type: AttributeType) throws {
    let texts = try texts(load(type), "rejected")
    // Any JSON is a JSON value.
    #expect(texts.isEmpty == (type == .json))
    for text in texts {
      #expect(scanError(Array(text.utf8)) == nil, "\(text) isn't JSON")
      let value = try read(text, as: type)
      #expect(value == nil, "\(text) was read as \(String(describing: value))")
    }
  }
}
