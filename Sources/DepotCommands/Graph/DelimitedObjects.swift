internal import DepotProtocol

/// The conversion of rows of CSV into JSON records with relationships, or into rows of a request.
final class DelimitedObjects {
  private enum Property {
    case attribute(Attribute)
    /// A relationship, with the type of the keys in the column.
    case relationship(Relationship, AttributeType?)
  }

  /// The name of each column; `nil` for omitted columns.
  private var names: [String?] = []
  /// The meaning of each column in rows of an entity, by entity names.
  private var properties: [String: [Property?]] = [:]
  /// The column with the name of each row's entity.
  private var entityColumn: Int?
  /// The names of the columns, if each is an attribute and all rows are of one entity.
  private(set) var attributes: [String]?
  /// The columns in that case; `nil` for omitted columns.
  private var plan: [DelimitedColumn?] = []
  private let entity: String
  private let values: DelimitedValue
  /// The names of the columns as they were given.
  private let header: DelimitedNames

  /// Resolves the meaning of columns.
  ///
  /// - Throws: ``DepotError`` `schema.unknown_attribute`, or `request.usage` if a name is repeated.
  init(
    _ header: DelimitedNames,
    of entity: Entity,
    _ schema: Schema,
    _ rules: LinkRules,
    _ style: ImportStyle
  ) throws(DepotError) {
    self.header = header
    self.entity = entity.name
    values = DelimitedValue(nullText: style.nullText, listSeparator: style.listSeparator)
    let entities = [entity] + schema.descendants(of: entity.name)
    let originals = header.texts
    if let name = style.map.paths.keys.sorted().first(where: { !originals.contains($0) }) {
      throw DepotError(.usage, "The file has no column \"\(name)\", which --map names.")
        .hint(Spelling.hint(for: name, in: originals))
    }
    for name in header.paths(style.map) {
      var found: [String: Property] = [:]
      for entity in entities {
        let property = try name.flatMap { name throws(DepotError) in
          try Self.property(name, of: entity, schema, rules)
        }
        found[entity.name] = property
        properties[entity.name, default: []].append(property)
      }
      if let name, !found.isEmpty, names.contains(name) {
        throw DepotError(.usage, "The header names \"\(name)\" twice.")
          .hint("Name the columns in their order with --columns, as in --columns id,name,,price")
      }
      if name == "$entity" { entityColumn = entityColumn ?? names.count }
      let isKnown = !found.isEmpty || name == "$entity"
      if name == "", !style.ignoresUnknown { throw Self.unnamed(names.count, header) }
      if let name, !isKnown, !style.ignoresUnknown, name != "$id", name != "$version" {
        let hint = header.source == .header ? SeparatorAdvice.hint(originals) : nil
        throw schema.unknownPath(name, from: entity).hint(hint)
      }
      names.append(isKnown ? name : nil)
    }
    let isPlain = zip(names, properties[entity.name] ?? []).allSatisfy { name, property in
      if case .attribute = property { true } else { name == nil }
    }
    guard isPlain, entities.count == 1 else { return }
    attributes = names.compactMap(\.self)
    plan = zip(names, properties[entity.name] ?? []).map { name, property in
      guard let name, case .attribute(let attribute) = property else { return nil }
      return DelimitedColumn(name, attribute, values)
    }
  }

  /// Returns the error about a column without a name.
  private static func unnamed(_ index: Int, _ header: DelimitedNames) -> DepotError {
    let names = header.texts.joined(separator: ",")
    let canList = !header.texts.contains { $0.contains(",") }
    return DepotError(.unknownAttribute, "Column \(index + 1) of the header has no name.")
      .hint(
        "Leave it out with --ignore-unknown"
          + (canList ? ", or name all: --columns '\(names)'." : ", or name all with --columns.")
      )
  }

  private static func property(
    _ name: String,
    of entity: Entity,
    _ schema: Schema,
    _ rules: LinkRules
  ) throws(DepotError) -> Property? {
    if let relationship = schema.relationships(of: entity).first(where: { $0.name == name }) {
      let destination = try schema.entity(named: relationship.destination)
      return .relationship(relationship, rules.key(name, to: destination)?.key.type)
    }
    let field = schema.fields(of: entity).first { $0.path == name }
    return field.map { .attribute($0.attribute) }
  }

  /// Whether a blank line could be a row.
  var isSingle: Bool { names.count == 1 }

  /// Writes a row as an array of the values of ``attributes``.
  ///
  /// - Throws: ``DepotError`` `request.type`; a part of the row is written then.
  func write(_ record: DelimitedRecord, to writer: inout JSONWriter) throws(DepotError) {
    try record.check(fieldsOf: header)
    writer.raw("[")
    var isFirst = true
    try record.forEachField { index, field throws(DepotError) in
      guard let column = plan[index] else { return }
      if !isFirst { writer.bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      try column.write(field, to: &writer)
    }
    writer.raw("]")
  }

  /// Returns a row as a JSON object.
  ///
  /// - Throws: ``DepotError`` `request.type`.
  func object(_ record: DelimitedRecord) throws(DepotError) -> [UInt8] {
    try record.check(fieldsOf: header)
    let properties = properties[try entity(of: record)]
    var writer = JSONWriter(capacity: record.text.count * 2 + 16)
    writer.raw("{")
    try record.forEachField { index, field throws(DepotError) in
      guard let name = names[index] else { return }
      let property = properties?[index]
      // Rows of other entities have the property.
      if property == nil, values.isNull(field) { return }
      writer.name(name)
      try DepotError.at(name, try write(field, property, &writer))
    }
    writer.raw("}")
    return writer.bytes
  }

  /// Returns the name of the entity that a row is of.
  private func entity(of record: DelimitedRecord) throws(DepotError) -> String {
    guard let entityColumn else { return entity }
    return try record.withField(entityColumn) { field throws(DepotError) in
      values.isNull(field) ? entity : try DelimitedValue.text(field)
    }
  }

  private func write(
    _ field: DelimitedField,
    _ property: Property?,
    _ writer: inout JSONWriter
  ) throws(DepotError) {
    switch property {
    // It names the entity, or the record's reader reports an unknown attribute.
    case nil: writer.string(try DelimitedValue.text(field))
    case .attribute(let attribute): try values.write(field, as: attribute, to: &writer)
    case .relationship(let relationship, let type):
      if relationship.isToMany {
        return try values.writeList(field, ofReferences: type, to: &writer)
      }
      if values.isNull(field) { return writer.raw("null") }
      let text = try DelimitedValue.text(field)
      if text.isEmpty, type.map(DelimitedValue.hasEmptyText) != true { return writer.raw("null") }
      try DelimitedValue.writeReference(text, as: type, to: &writer)
    }
  }
}

/// The options for reading the records of a file.
struct ImportStyle: Hashable {
  var ignoresUnknown = false
  /// The text for null in CSV.
  var nullText: String?
  /// The separator of the values of a list in CSV.
  var listSeparator: Character = ";"
  /// The names of the columns or members in the schema.
  var map = RecordMap()
}
