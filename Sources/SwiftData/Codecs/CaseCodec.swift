internal import DepotProtocol
internal import Foundation

/// The codec of an enumeration without associated values and raw values: its cases are stored by their
/// names.
// because codecs are immutable
final class CaseCodec<Content: Codable>: AttributeCodec, @unchecked Sendable {
  private let standIn: Content
  /// The cases by the names with which they are encoded.
  private let cases: [String: Content]
  private let names: [Value]

  /// Returns `nil` if the type isn't such an enumeration, or has an encoding of its own.
  init?(_ type: Content.Type) {
    guard let cases = TypeKind.cases(of: type), let first = cases.first else { return nil }
    var byName: [String: Content] = [:]
    var names: [Value] = []
    for content in cases {
      guard let name = Self.name(of: content), byName.updateValue(content, forKey: name) == nil
      else { return nil }
      names.append(.string(name))
    }
    standIn = first
    self.cases = byName
    self.names = names
  }

  /// Returns the name in `{"name":{}}`, as the compiler's own encoding has it.
  private static func name(of content: Content) -> String? {
    guard let data = try? JSONEncoder().encode(content),
      let object = try? JSONDecoder().decode([String: [String: Bool]].self, from: data),
      object.count == 1, let member = object.first, member.value.isEmpty
    else { return nil }
    return member.key
  }

  override var attribute: Attribute { Attribute(name: "", type: .string) }
  override var placeholder: Any { standIn }

  override func read(_ row: inout RowReader) throws -> Any {
    if try row.skipNull() { return standIn }
    let name: String = try row.next()
    guard let content = cases[name] else { throw SwiftDataError.unreadable(name, Content.self) }
    return content
  }

  override func values(_ value: Any) throws -> [Value] {
    guard let content = value as? Content else {
      throw SwiftDataError.mistyped(value, Content.self)
    }
    // The bytes of such a value are the number of its case.
    let number = withUnsafeBytes(of: content) { bytes in
      bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    return [names[number]]
  }
}
