import DepotProtocol
import Testing

@Suite struct WideningTests {
  /// A type or width by its name, with `[]` for an array and `{}` for a set.
  private func attribute(_ name: String) -> Attribute {
    let bare = name.trimmingCharacters(of: "[]{}")
    let width = NumberWidth(rawValue: bare)
    return Attribute(
      name: "a",
      type: width?.type ?? AttributeType(rawValue: bare) ?? .composite,
      width: width,
      collection: name.hasPrefix("[") ? .array : name.hasPrefix("{") ? .set : nil
    )
  }

  static let exact = [
    "int8 int16", "int8 float", "int32 int64", "int32 double", "int64 decimal", "uint8 int16",
    "uint16 int32", "uint32 int64", "uint32 uint64", "uint64 decimal", "float double",
    "int64 string", "double string", "float string", "bool string", "date string", "uuid string",
    "url string", "decimal string", "string [string]", "int8 {int64}", "{string} [string]",
    "[int8] [int16]", "json json", "data data",
  ]

  static let lossy = ["int64 double", "uint64 double", "[string] {string}", "[int64] [double]"]

  static let impossible = [
    "int16 int8", "int64 int32", "int8 uint8", "uint8 int8", "uint64 int64", "int32 float",
    "double float", "double decimal", "double int64", "decimal double", "string int64",
    "string url", "data string", "bool int64", "json string", "string json", "[string] string",
    "{string} string", "json [string]", "composite string", "date double",
  ]

  @Test(arguments: exact) func `values stay what they are`(pair: String) {
    #expect(widening(pair) == .exact)
  }

  @Test(arguments: lossy) func `values can lose something`(pair: String) {
    #expect(widening(pair) == .lossy)
  }

  @Test(arguments: impossible) func `some values can't be converted`(pair: String) {
    #expect(widening(pair) == .impossible)
  }

  private func widening(_ pair: String) -> Widening {
    let names = pair.split(separator: " ").map(String.init)
    return attribute(names[0]).widening(to: attribute(names[1]))
  }
}

extension String {
  fileprivate func trimmingCharacters(of set: String) -> String {
    filter { !set.contains($0) }
  }
}
