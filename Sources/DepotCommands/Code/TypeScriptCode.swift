internal import DepotProtocol

/// Writes a schema as TypeScript interfaces, for programs that use proto-docs/clients/js.
enum TypeScriptCode {
  /// Returns a module with an interface for each entity.
  static func text(_ schema: Schema) -> String {
    let interfaces = schema.entities.map { interface($0, schema) }
    var text = "// The entities of the schema"
    if let version = schema.version { text += ", version \(version)" }
    text += ". Made by: depot schema --typescript\n"
    let types = ["DepotDate", "Int64"].filter { type in
      interfaces.contains { $0.contains(type) }
    }
    if !types.isEmpty {
      text += "import type { \(types.joined(separator: ", ")) } from \"depot-client\";\n"
    }
    if interfaces.contains(where: { $0.contains(large) }) {
      text += "\n/** What comes of a large value unless it is selected by its name. */\n"
      text += "export type \(large) = { $length: number | bigint };\n"
    }
    if interfaces.isEmpty { text += "\nexport {};\n" }
    return text + interfaces.joined()
  }

  /// The name of the type of a large value.
  private static let large = "LargeValue"

  private static func interface(_ entity: Entity, _ schema: Schema) -> String {
    let parent = entity.parent.map { " extends \(name($0))" } ?? ""
    var text = "\nexport interface \(name(entity.name))\(parent) {\n"
    for field in entity.ownFields { text += member(field) }
    for relationship in entity.relationships where relationship.isToMany {
      text +=
        "  /** \(relationship.destination) rows; only if \"\(relationship.name)\" is selected. */\n"
      text += "  \(key(relationship.name))?: Int64[];\n"
    }
    return text + "}\n"
  }

  private static func member(_ field: Field) -> String {
    let attribute = field.attribute
    var text = ""
    if let relationship = field.relationship {
      text += "  /** An identifier of \(relationship.destination). */\n"
    } else if field.isPresence {
      text += "  /** Whether there is a value. */\n"
    } else if let comment = comment(attribute) {
      text += "  /** \(comment) */\n"
    }
    let access = attribute.derivation == nil ? "" : "readonly "
    return text + "  \(access)\(key(field.path)): \(type(field));\n"
  }

  /// Returns the meaning of a text that has a form; `nil` if the type says enough.
  private static func comment(_ attribute: Attribute) -> String? {
    switch attribute.type {
    case .uuid: "A UUID."
    case .decimal where attribute.width == nil: "A decimal number."
    case .url: "A URL."
    default: nil
    }
  }

  private static func type(_ field: Field) -> String {
    let attribute = field.attribute
    var type = field.relationship != nil ? "Int64" : element(attribute)
    if attribute.collection != nil { type = type.contains(" ") ? "(\(type))[]" : "\(type)[]" }
    if attribute.options.contains(.externalStorage) { type += " | \(large)" }
    // Any JSON includes null.
    return attribute.isOptional && attribute.type != .json ? type + " | null" : type
  }

  private static func element(_ attribute: Attribute) -> String {
    let cases = attribute.validation.cases
    let literals = cases.compactMap(literal)
    if !cases.isEmpty, literals.count == cases.count { return literals.joined(separator: " | ") }
    return switch attribute.width {
    case .uint64: "Int64"
    case .some: "number"
    case nil:
      switch attribute.type {
      case .string, .uuid, .decimal, .url: "string"
      case .int64: "Int64"
      case .double: "number"
      case .bool: "boolean"
      case .date: "DepotDate"
      case .data: "Uint8Array"
      case .json, .composite: "any"
      }
    }
  }

  /// Returns a value as a literal type; `nil` if there is no such literal.
  private static func literal(_ value: Value) -> String? {
    switch value {
    case .string(let text): JSONValue.string(text).text
    case .int64(let number) where abs(number) < 1 << 53: "\(number)"
    case .bool(let isTrue): "\(isTrue)"
    default: nil
    }
  }

  /// Returns the name of a member, in quotation marks if needed.
  private static func key(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10
    }
    return isPlain ? name : JSONValue.string(name).text
  }

  /// Returns the name of an entity's interface, changed if TypeScript or another type uses it.
  static func name(_ entity: String) -> String { taken.contains(entity) ? entity + "_" : entity }

  private static let taken: Set<String> = [
    "DepotDate", "Int64", "LargeValue", "Uint8Array", "any", "as", "async", "await", "bigint",
    "boolean",
    "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do",
    "else",
    "enum", "export", "extends", "false", "finally", "for", "function", "if", "implements",
    "import", "in",
    "instanceof", "interface", "let", "never", "new", "null", "number", "object", "package",
    "private",
    "protected", "public", "return", "static", "string", "super", "switch", "symbol", "this",
    "throw",
    "true", "try", "type", "typeof", "undefined", "unknown", "var", "void", "while", "with",
    "yield",
  ]
}
