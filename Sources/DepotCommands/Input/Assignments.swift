internal import DepotProtocol

/// The values that a command line gives to attributes, as in `name=text size:=42`.
struct Assignments: Equatable {
  var columns: [String] = []
  /// The JSON text of each value.
  var values: [[UInt8]] = []

  /// Reads assignments to what the rows of `entity` have.
  ///
  /// The text behind `=` is read as the attribute's type wants it, and behind `:=` as JSON. For data,
  /// `@FILE` stands for what is in a file. A relationship takes an identifier such as `42` or
  /// `Country/42`; one to many takes several with commas between, or JSON.
  ///
  /// - Throws: ``DepotError`` `request.usage` if one isn't an assignment, `schema.unknown_attribute`,
  ///   or `request.type`.
  init(_ arguments: [String], for entity: Entity, _ schema: Schema) throws(DepotError) {
    let fields = schema.fields(of: entity)
    let relationships = schema.relationships(of: entity)
    for argument in arguments {
      guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else {
        throw DepotError(.usage, "\"\(argument)\" is no assignment.")
          .hint("Write attribute=text, or attribute:=JSON.")
      }
      var name = String(argument[..<sign])
      let isJSON = name.last == ":"
      if isJSON { name.removeLast() }
      let field = fields.first { $0.path == name }
      let relationship = relationships.first { $0.name == name }
      guard field != nil || relationship != nil else {
        throw schema.unknownPath(name, from: entity)
      }
      if columns.contains(name) { throw DepotError(.usage, "\"\(name)\" gets two values.") }
      let text = String(argument[argument.index(after: sign)...])
      columns.append(name)
      do throws(DepotError) {
        if isJSON {
          values.append(try Self.json(text))
        } else if let relationship {
          values.append(try Self.identifiers(text, relationship))
        } else if let field {
          values.append(try Self.value(text, of: field.attribute))
        }
      } catch {
        throw error.at("\(entity.name).\(name)")
      }
    }
  }

  private static func identifiers(
    _ text: String,
    _ relationship: Relationship
  ) throws(DepotError) -> [UInt8] {
    let words = text.isEmpty ? [] : Selection.names(text)
    guard relationship.isToMany || words.count <= 1 else {
      throw DepotError(.type, "\(relationship.name) leads to one row, not to \(words.count).")
    }
    var list: [JSONValue] = []
    for word in words {
      guard let identifier = Int64(word.split(separator: "/", maxSplits: 1).last ?? "") else {
        throw DepotError(.type, "\"\(word)\" is no identifier.")
          .hint("An identifier looks like 42 or \(relationship.destination)/42.")
      }
      list.append(.int64(identifier))
    }
    let value = relationship.isToMany ? JSONValue.array(list) : list.first ?? .null
    return Array(value.text.utf8)
  }

  /// The values as the only row of a batch.
  var batch: RowBatch {
    var json = Array("[[".utf8)
    json.append(contentsOf: values.joined(separator: [UInt8(ascii: ",")]))
    json.append(contentsOf: "]]".utf8)
    return RowBatch(json: json, count: 1)
  }

  private static func json(_ text: String) throws(DepotError) -> [UInt8] {
    let document: JSONDocument
    do throws(DepotError) {
      document = try JSONDocument(Array(text.utf8))
    } catch {
      throw DepotError(.json, "\(text.debugDescription) isn't JSON.")
        .hint("Behind := goes JSON, such as 42, null, or '\"text\"'; behind = goes plain text.")
    }
    return Array(document.bytes[document.root.range])
  }

  private static func value(_ text: String, of attribute: Attribute) throws(DepotError) -> [UInt8] {
    if attribute.type == .data, text.hasPrefix("@") {
      return TextValue.base64(
        try InputFile(String(text.dropFirst())).readAll(limit: Limits.valueBytes)
      )
    }
    var writer = JSONWriter()
    // A collection has no text form of its own.
    let type = attribute.collection == nil ? attribute.type : .json
    try TextValue.write(text, as: type, to: &writer)
    return writer.bytes
  }
}
