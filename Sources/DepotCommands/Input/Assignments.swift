internal import DepotProtocol

/// The values that a command line gives to attributes, as in `name=text size:=42`.
struct Assignments: Equatable {
  var columns: [String] = []
  /// The JSON text of each value.
  var values: [[UInt8]] = []

  /// Reads assignments to attributes of `entity`.
  ///
  /// The text behind `=` is read as the attribute's type wants it, and behind `:=` as JSON. For data,
  /// `@FILE` stands for what is in a file.
  ///
  /// - Throws: ``DepotError`` `request.usage` if one isn't an assignment, `schema.unknown_attribute`,
  ///   or `request.type`.
  init(_ arguments: [String], for entity: Entity) throws(DepotError) {
    for argument in arguments {
      guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else {
        throw DepotError(.usage, "\"\(argument)\" is no assignment.")
          .hint("Write attribute=text, or attribute:=JSON.")
      }
      var name = argument[..<sign]
      let isJSON = name.last == ":"
      if isJSON { name.removeLast() }
      guard let attribute = entity[String(name)] else {
        throw entity.unknownAttribute(String(name))
      }
      if columns.contains(attribute.name) {
        throw DepotError(.usage, "\"\(attribute.name)\" gets two values.")
      }
      let text = String(argument[argument.index(after: sign)...])
      columns.append(attribute.name)
      do throws(DepotError) {
        values.append(isJSON ? try Self.json(text) : try Self.value(text, of: attribute))
      } catch {
        throw error.at("\(entity.name).\(attribute.name)")
      }
    }
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
    try TextValue.write(text, as: attribute.type, to: &writer)
    return writer.bytes
  }
}
