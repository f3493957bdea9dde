internal import Foundation

extension AttributeCodec {
  /// Returns the codec of an enumeration without associated values and raw values, whose cases are stored
  /// by their names; `nil` if the type isn't one, or has an encoding of its own.
  static func named<Content: Codable>(_ type: Content.Type) -> AttributeCodec? {
    guard let cases = TypeKind.cases(of: type), let first = cases.first else { return nil }
    var byName: [String: Content] = [:]
    var names: [String] = []
    for content in cases {
      guard let name = name(of: content), byName.updateValue(content, forKey: name) == nil
      else { return nil }
      names.append(name)
    }
    return ConvertedCodec(
      ScalarCodec(String.self),
      placeholder: first,
      { [names] content in
        // The bytes of such a value are the number of its case.
        let number = withUnsafeBytes(of: content) { bytes in
          bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        return names[number]
      },
      { [byName] name in byName[name] }
    )
  }

  /// Returns the name in `{"name":{}}`, as the compiler's own encoding has it.
  private static func name<Content: Codable>(of content: Content) -> String? {
    guard let data = try? JSONEncoder().encode(content),
      let object = try? JSONDecoder().decode([String: [String: Bool]].self, from: data),
      object.count == 1, let member = object.first, member.value.isEmpty
    else { return nil }
    return member.key
  }
}
