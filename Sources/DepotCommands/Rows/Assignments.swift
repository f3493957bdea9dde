internal import DepotProtocol
internal import FoundationEssentials

/// The values that a command line gives to attributes, as in `name=text size:=42`.
struct Assignments: Equatable {
  var columns: [String] = []
  /// The JSON text of each value.
  var values: [[UInt8]] = []

  /// Reads assignments to properties of `entity`.
  ///
  /// The text after `=` is read as the attribute's type requires, and after `:=` as JSON. For data,
  /// `@FILE` stands for the content of a file. A relationship takes an identifier such as `42` or
  /// `Country/42`; one to many takes several with commas between, or JSON. A composite value is given
  /// part by part, as in `home.city=Rome`, or as a JSON object, which stands for all of its parts.
  ///
  /// - Throws: ``DepotError`` `request.usage` if one isn't an assignment, `schema.unknown_attribute`,
  ///   or `request.type`.
  init(_ arguments: [String], for entity: Entity, _ schema: Schema) throws(DepotError) {
    let fields = schema.fields(of: entity)
    let relationships = schema.relationships(of: entity)
    // The composites that are given as objects.
    var wholes: [String] = []
    for argument in arguments {
      let (word, text) = try Selection.pair(
        argument,
        orThat: "is no assignment",
        "Write attribute=text, or attribute:=JSON."
      )
      let isJSON = word.last == ":"
      let name = String(word.dropLast(isJSON ? 1 : 0))
      if isJSON, fields.contains(where: { $0.path.hasPrefix(name + ".") }) {
        let value = try Self.document(text).root
        try DepotError.at(
          "\(entity.name).\(name)",
          try addComposite(name, value, entity, schema, fields)
        )
        if value.kind == .object { wholes.append(name) }
        continue
      }
      let field = fields.first { $0.path == name }
      let relationship = relationships.first { $0.name == name }
      guard field != nil || relationship != nil else {
        throw schema.unknownPath(name, from: entity)
      }
      try addColumn(name)
      do throws(DepotError) {
        if isJSON {
          values.append(try Self.json(text))
        } else if let relationship {
          values.append(try Self.identifiers(text, relationship, schema))
        } else if let field {
          values.append(try Self.value(text, of: field.attribute))
        }
      } catch {
        throw error.at("\(entity.name).\(name)")
      }
    }
    for path in wholes {
      for (path, value) in fields.leftOut(of: path, columns, values) {
        columns.append(path)
        values.append(value)
      }
    }
  }

  private mutating func addColumn(_ name: String) throws(DepotError) {
    if columns.contains(name) { throw DepotError(.usage, "\"\(name)\" gets two values.") }
    columns.append(name)
  }

  /// Adds the parts of a composite value given as an object, or as null.
  private mutating func addComposite(
    _ path: String,
    _ value: JSONNode,
    _ entity: Entity,
    _ schema: Schema,
    _ fields: [Field]
  ) throws(DepotError) {
    let field = fields.first { $0.path == path }
    let isComposite = fields.contains { $0.path.hasPrefix(path + ".") }
    guard field != nil || isComposite else { throw schema.unknownPath(path, from: entity) }
    let hasParts = isComposite && value.kind == .object
    let isFlag = value.kind == .true || value.kind == .false
    guard !isComposite || hasParts || field != nil && (value.isNull || isFlag) else {
      throw DepotError(.type, "\(path) is an object with attributes, not \(value.kind).")
    }
    if let field {
      let isAbsent = field.isPresence && value.isNull
      try addColumn(path)
      values.append(
        hasParts || isAbsent
          ? Array("\(!isAbsent)".utf8) : Array(value.document.bytes[value.range])
      )
    }
    guard hasParts else { return }
    for (name, value) in try value.members() {
      try addComposite("\(path).\(try name.string())", value, entity, schema, fields)
    }
  }

  private static func identifiers(
    _ text: String,
    _ relationship: Relationship,
    _ schema: Schema
  ) throws(DepotError) -> [UInt8] {
    guard text.first != "[" else {
      throw DepotError(.type, "\(relationship.name)= takes identifiers with commas between.")
        .hint("As in \(relationship.name)=2,3; JSON goes behind :=")
    }
    let words = text.isEmpty ? [] : Selection.names(text)
    guard relationship.isToMany || words.count <= 1 else {
      throw DepotError(.type, "\(relationship.name) leads to one row, not to \(words.count).")
    }
    var list: [JSONValue] = []
    for word in words {
      let parts = word.split(separator: "/", maxSplits: 1)
      if parts.count == 2 { try check(String(parts[0]), relationship, schema) }
      guard let identifier = Int64(parts.last ?? "") else {
        let isNull = word == "null" || word == "nil"
        throw DepotError(.type, "\"\(word)\" is no identifier.")
          .hint(
            isNull
              ? "To lead nowhere: \(relationship.name):=null"
              : "An identifier looks like 42 or \(relationship.destination)/42."
          )
      }
      list.append(.int64(identifier))
    }
    let value = relationship.isToMany ? JSONValue.array(list) : list.first ?? .null
    return Array(value.text.utf8)
  }

  /// Checks that a relationship may refer to rows of an entity.
  private static func check(
    _ name: String,
    _ relationship: Relationship,
    _ schema: Schema
  ) throws(DepotError) {
    let destination = try schema.entity(named: relationship.destination)
    let entity = try schema.entity(named: name)
    let family = [destination.name] + schema.descendants(of: destination.name).map(\.name)
    // The row may be named by a superentity.
    let isGeneral = schema.descendants(of: entity.name).contains { $0.name == destination.name }
    guard family.contains(entity.name) || isGeneral else {
      throw DepotError(.type, "It leads to \(destination.name), not to \(entity.name).")
        .hint("Name a row of \(destination.name), such as \(destination.name)/42.")
    }
  }

  /// The values as the only row of a batch.
  var batch: RowBatch {
    RowBatch(json: [values.jsonArray].jsonArray, count: 1)
  }

  private static func json(_ text: String) throws(DepotError) -> [UInt8] {
    let document = try document(text)
    return Array(document.bytes[document.root.range])
  }

  private static func document(_ text: String) throws(DepotError) -> JSONDocument {
    if let error = JSONDepth.error(of: text.utf8) { throw error }
    do throws(DepotError) {
      return try JSONDocument(Array(text.utf8))
    } catch {
      throw DepotError(.json, "\(text.debugDescription) isn't JSON.")
        .hint("Behind := goes JSON, such as 42, null, or '\"text\"'; behind = goes plain text.")
    }
  }

  private static func value(_ text: String, of attribute: Attribute) throws(DepotError) -> [UInt8] {
    if attribute.type == .data, text.hasPrefix("@") {
      let bytes = try InputFile(String(text.dropFirst())).readAll(limit: Limits.valueBytes)
      return JSONWriter.bytes { $0.write(.data(Data(bytes))) }
    }
    // A collection has no text form of its own.
    let type = attribute.collection == nil ? attribute.type : .json
    return try JSONWriter.bytes { (writer) throws(DepotError) in
      try TextValue.write(text, as: type, to: &writer)
    }
  }
}
