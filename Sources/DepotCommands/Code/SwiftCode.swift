internal import DepotProtocol

/// A schema as types of Swift, for programs with `DepotClient`.
enum SwiftCode {
  /// Returns a file with a structure for each entity.
  static func text(_ schema: Schema) -> String {
    var text = "// The entities of the schema"
    if let version = schema.version { text += ", version \(version)" }
    text += """
      . Made by: depot schema --swift
      //
      // The structures read and write rows. The schema has rules that they don't say: define it by its own file.


      """
    for module in ["DepotClient", "Foundation"] { text += "import \(module)\n" }
    return text + schema.entities.map { structure($0, schema) }.joined()
  }

  private static func structure(_ entity: Entity, _ schema: Schema) -> String {
    let type = typeName(entity.name)
    let argument = type == entity.name ? "" : "(\(JSONValue.string(entity.name).text))"
    var text = """

      @DTO\(argument) struct \(type): Sendable {
        var id: Identifier<\(type)>?

      """
    for field in schema.fields(of: entity) { text += property(field) }
    for relationship in schema.relationships(of: entity) where relationship.isToMany {
      let destination = typeName(relationship.destination)
      text += column(relationship.name, "[Related<\(destination)>] = []")
    }
    return text + "}\n"
  }

  private static func property(_ field: Field) -> String {
    if let relationship = field.relationship {
      let optional = relationship.isOptional ? "?" : ""
      return column(field.path, "Related<\(typeName(relationship.destination))>\(optional)")
    }
    if let derivation = field.attribute.derivation {
      // A structure with it couldn't be written.
      return "  // \(field.path) is kept by the service: \(derivation)\n"
    }
    guard let type = type(field.attribute) else {
      return "  // \(field.path) holds any JSON: give it a type that is a JSONAttributeValue.\n"
    }
    return column(field.path, type)
  }

  /// Returns the declaration of a property, with the name of its column if that is another.
  private static func column(_ path: String, _ type: String) -> String {
    let name = propertyName(path)
    let plain = name.filter { $0 != "`" }
    let mark = plain == path ? "" : "@Column(\(JSONValue.string(path).text)) "
    return "  \(mark)var \(name): \(type)\n"
  }

  /// Returns the type of an attribute; `nil` if it is any JSON.
  private static func type(_ attribute: Attribute) -> String? {
    guard var type = element(attribute) else { return nil }
    switch attribute.collection {
    case .array: type = "[\(type)]"
    case .set: type = "Set<\(type)>"
    case nil: if attribute.options.contains(.externalStorage) { type = "LargeValue<\(type)>" }
    }
    return attribute.isOptional ? type + "?" : type
  }

  private static func element(_ attribute: Attribute) -> String? {
    switch attribute.width {
    case .int8: "Int8"
    case .int16: "Int16"
    case .int32: "Int32"
    case .uint8: "UInt8"
    case .uint16: "UInt16"
    case .uint32: "UInt32"
    case .uint64: "UInt64"
    case .float: "Float"
    case nil:
      switch attribute.type {
      case .string: "String"
      case .int64: "Int"
      case .double: "Double"
      case .bool: "Bool"
      case .date: "Date"
      case .uuid: "UUID"
      case .data: "Data"
      case .decimal: "Decimal"
      case .url: "URL"
      case .json, .composite: nil
      }
    }
  }

  /// Returns the name of an entity's structure, which no other type has.
  private static func typeName(_ entity: String) -> String {
    taken.contains(entity) || keywords.contains(entity) ? entity + "Row" : entity
  }

  /// Returns the name of a column's property: of one in a composite, the steps in one word.
  private static func propertyName(_ path: String) -> String {
    let steps = path.split(separator: ".").map(String.init)
    let rest = steps.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    let name = (steps.prefix(1) + rest).joined()
    if owned.contains(name) { return name + "Value" }
    return keywords.contains(name) ? "`\(name)`" : name
  }

  private static let taken: Set<String> = [
    "Any", "Bool", "Client", "Data", "Date", "Decimal", "Double", "Float", "Identifier", "Int",
    "Int8", "Int16", "Int32", "LargeValue", "Protocol", "Related", "Self", "Sendable", "Set",
    "String", "Swift", "Type", "UInt8", "UInt16", "UInt32", "UInt64", "URL", "UUID",
  ]

  /// The properties that mean something of their own.
  private static let owned: Set<String> = ["id", "rowVersion", "init", "self", "Type", "Protocol"]

  private static let keywords: Set<String> = [
    "Any", "Self", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default",
    "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate",
    "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
    "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
    "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while",
  ]
}
