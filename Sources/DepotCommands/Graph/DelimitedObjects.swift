internal import DepotProtocol

/// The conversion of rows of CSV into JSON records with relationships.
struct DelimitedObjects {
  /// What a field of a row is.
  private enum Column {
    case attribute(Field)
    case relationship(Relationship, AttributeType)
    case omitted
  }

  private var columns: [(name: String, column: Column)] = []
  private let separator: Character
  private let nullText: [UInt8]?

  /// Reads a header row.
  ///
  /// - Throws: ``DepotError`` `schema.unknown_attribute`, or `request.usage` if a name stands twice.
  init(
    _ header: DelimitedRecord,
    of entity: Entity,
    _ schema: Schema,
    _ rules: LinkRules,
    _ style: ImportStyle
  ) throws(DepotError) {
    separator = style.listSeparator
    nullText = style.nullText.map { Array($0.utf8) }
    let fields = schema.fields(of: entity)
    let relationships = schema.relationships(of: entity)
    for field in header.fields {
      let name = String(decoding: field.bytes, as: UTF8.self)
      if columns.contains(where: { $0.name == name }) {
        throw DepotError(.usage, "The header names \"\(name)\" twice.")
      }
      if let relationship = relationships.first(where: { $0.name == name }) {
        let destination = try schema.entity(named: relationship.destination)
        let type = rules.key(name, to: destination)?.key.type ?? .int64
        columns.append((name, .relationship(relationship, type)))
      } else if let field = fields.first(where: { $0.path == name }) {
        columns.append((name, .attribute(field)))
      } else if style.ignoresUnknown || ["$id", "$version", "$entity"].contains(name) {
        columns.append((name, .omitted))
      } else {
        throw schema.unknownPath(name, from: entity)
      }
    }
  }

  /// Whether a blank line could be a row.
  var isSingle: Bool { columns.count == 1 }

  /// Returns a row as a JSON object.
  ///
  /// - Throws: ``DepotError`` `request.type`.
  func object(_ record: DelimitedRecord) throws(DepotError) -> [UInt8] {
    guard record.fields.count == columns.count else {
      throw DepotError(
        .type,
        "The row has \(record.fields.count) fields; the header has \(columns.count)."
      )
    }
    var writer = JSONWriter(capacity: record.text.count * 2 + 16)
    writer.raw("{")
    var isFirst = true
    for (field, (name, column)) in zip(record.fields, columns) {
      if case .omitted = column { continue }
      if !isFirst { writer.raw(",") }
      isFirst = false
      writer.string(name)
      writer.raw(":")
      do throws(DepotError) {
        try write(field, column, &writer)
      } catch {
        throw error.at(name)
      }
    }
    writer.raw("}")
    return writer.bytes
  }

  private func write(
    _ field: DelimitedRecord.Field,
    _ column: Column,
    _ writer: inout JSONWriter
  ) throws(DepotError) {
    if let nullText, !field.isQuoted, field.bytes == nullText { return writer.raw("null") }
    guard let text = String(validating: field.bytes, as: UTF8.self) else {
      throw DepotError(.json, "The text isn't UTF-8.")
    }
    switch column {
    case .omitted: break
    case .relationship(let relationship, let type):
      if relationship.isToMany { return try writeList(text, type, &writer) }
      if text.isEmpty { return writer.raw("null") }
      try TextValue.write(text, as: type, to: &writer)
    case .attribute(let field):
      let attribute = field.attribute
      if attribute.collection != nil { return try writeList(text, attribute.type, &writer) }
      if text.isEmpty, attribute.type != .string {
        if let value = attribute.defaultValue { return writer.write(value) }
        if attribute.isOptional { return writer.raw("null") }
      }
      try TextValue.write(text, as: attribute.type, to: &writer)
    }
  }

  /// Writes a list; a text that begins with a bracket is JSON.
  private func writeList(
    _ text: String,
    _ type: AttributeType,
    _ writer: inout JSONWriter
  ) throws(DepotError) {
    if text.first == "[" { return try TextValue.write(text, as: .json, to: &writer) }
    writer.raw("[")
    var isFirst = true
    for part in text.split(separator: separator) {
      let word = String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      if word.isEmpty { continue }
      if !isFirst { writer.raw(",") }
      isFirst = false
      try TextValue.write(word, as: type, to: &writer)
    }
    writer.raw("]")
  }
}

/// How the records of a file are read.
struct ImportStyle: Hashable {
  var ignoresUnknown = false
  /// What stands for null in CSV.
  var nullText: String?
  /// What stands between the values of a list in CSV.
  var listSeparator: Character = ";"
}
