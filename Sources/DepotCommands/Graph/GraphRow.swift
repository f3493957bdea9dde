internal import DepotProtocol

/// The target of an imported row's relationship, before it is looked up.
enum GraphReference: Hashable {
  case key(NaturalKey, Value)
  /// A row nested in this one, by its temporary identifier.
  case nested(String)
}

/// A row read by an import, with its references.
struct GraphRow {
  /// A relationship with its destinations.
  struct RelationshipTargets {
    var record: RecordLink
    var references: [GraphReference]

    var relationship: Relationship { record.relationship }
  }

  var entity: String
  /// The temporary identifier.
  var name: String
  /// The temporary identifier of the enclosing row.
  var parent: String?
  var columns: [String] = []
  /// The JSON of the values of ``columns``.
  var values: [[UInt8]] = []
  var links: [RelationshipTargets] = []
  /// The keys by which others may refer to the row.
  var keys: [(key: NaturalKey, value: Value)] = []
}

/// A record of an import: a row and the rows nested in it, the innermost first.
struct GraphRecord {
  /// The position in the file, counted from 0.
  var index: Int
  var line: Int
  private(set) var rows: [GraphRow] = []
  /// The indexes of the first rows with natural keys, among rows nested in others.
  private(set) var inside: [NaturalKey: [Value: Int]] = [:]
  /// The record's text in the file, if rejects are wanted.
  var input: [UInt8]?
  /// Its size as JSON.
  var byteCount = 0

  /// The row of the record itself.
  var root: GraphRow? { rows.last }

  init(index: Int, line: Int) {
    self.index = index
    self.line = line
  }

  /// Adds a row after the rows nested in it.
  mutating func add(_ row: GraphRow) {
    if row.parent != nil {
      for (key, value) in row.keys where inside[key]?[value] == nil {
        inside[key, default: [:]][value] = rows.count
      }
    }
    rows.append(row)
  }

  /// Removes the last rows, from an index on.
  mutating func removeRows(from place: Int) {
    for row in rows[place...] {
      for (key, value) in row.keys {
        if let first = inside[key]?[value], first >= place { inside[key]?[value] = nil }
      }
    }
    rows.removeSubrange(place...)
  }
}

/// A reader of records into rows.
final class GraphReader {
  private let schema: Schema
  private let rules: LinkRules
  /// Whether unknown members are left out.
  private let ignoresUnknown: Bool
  private let map: RecordMap
  /// The identifier of the store of each entity.
  private let stores: [String: String]
  private let shapes: [String: RecordShape]

  init(
    _ schema: Schema,
    _ rules: LinkRules,
    ignoresUnknown: Bool = false,
    map: RecordMap = RecordMap(),
    stores: [String: String] = [:],
    fileKeys: Set<NaturalKey> = []
  ) throws(DepotError) {
    self.map = map
    self.stores = stores
    self.schema = schema
    self.rules = rules
    self.ignoresUnknown = ignoresUnknown
    let shapes = try schema.entities.map { (entity) throws(DepotError) in
      (entity.name, try RecordShape(entity, schema, rules, fileKeys))
    }
    self.shapes = Dictionary(shapes) { first, _ in first }
  }

  /// Reads a JSON object.
  ///
  /// - Throws: ``DepotError`` that names the part that doesn't fit the entity.
  func record(
    _ bytes: [UInt8],
    of entity: Entity,
    index: Int,
    line: Int
  ) throws(DepotError) -> GraphRecord {
    var record = GraphRecord(index: index, line: line)
    let root = try JSONNode.record(bytes)
    record.byteCount = bytes.count
    try add(root, entity, name: "#\(index)", parent: nil, path: "", to: &record)
    return record
  }

  private func add(
    _ object: JSONNode,
    _ entity: Entity,
    name: String,
    parent: String?,
    path: String,
    to record: inout GraphRecord
  ) throws(DepotError) {
    var members: [(name: String, value: JSONNode)] = []
    for (name, value) in try object.members() { members.append((try name.string(), value)) }
    if parent == nil { members = try map.members(members) }
    let shape = try shape(entity, members)
    var row = GraphRow(entity: shape.entity.name, name: name, parent: parent)
    for (member, value) in members {
      if let link = shape.links[member] {
        let references = try references(value, link, of: name, path: path + member, &record)
        row.links.append(.init(record: link, references: references))
      } else if member.hasPrefix("$") {
        try addSpecial(member, value, shape, &row)
      } else {
        try addValue(member, value, shape, &row)
      }
    }
    addKeys(shape, &row)
    record.add(row)
  }

  /// Returns the shape of the entity that a record names: the expected one or a subentity.
  private func shape(
    _ entity: Entity,
    _ members: [(name: String, value: JSONNode)]
  ) throws(DepotError) -> RecordShape {
    let node = members.first { $0.name == "$entity" }?.value
    let name = try node?.string() ?? entity.name
    let named = try schema.entity(named: name)
    guard let shape = shapes[named.name], shape.lineage.contains(entity.name) else {
      throw DepotError(.type, "\(name) is no \(entity.name).").at("$entity")
    }
    return shape
  }

  private func addSpecial(
    _ member: String,
    _ value: JSONNode,
    _ shape: RecordShape,
    _ row: inout GraphRow
  ) throws(DepotError) {
    if member == "$id", value.kind == .string {
      row.keys.append((shape.fileKey, .string(try value.string())))
    } else if !ignoresUnknown, !["$id", "$version", "$entity"].contains(member) {
      throw schema.unknownPath(member, from: shape.entity)
    }
  }

  private func addValue(
    _ path: String,
    _ value: JSONNode,
    _ shape: RecordShape,
    _ row: inout GraphRow
  ) throws(DepotError) {
    if value.kind == .object, shape.composites.contains(path) {
      if shape.fields[path]?.isPresence == true {
        row.columns.append(path)
        row.values.append(Array("true".utf8))
      }
      for (name, value) in try value.members() {
        try addValue("\(path).\(try name.string())", value, shape, &row)
      }
      for (path, value) in shape.allFields.leftOut(of: path, row.columns, row.values) {
        row.columns.append(path)
        row.values.append(value)
      }
      return
    }
    guard let field = shape.fields[path] else {
      if ignoresUnknown { return }
      throw schema.unknownPath(path, from: shape.entity)
    }
    row.columns.append(path)
    if field.isPresence, value.isNull {
      row.values.append(Array("false".utf8))
    } else {
      let text = value.document.bytes[value.range]
      if value.kind == .array || value.kind == .object, let error = JSONDepth.error(of: text) {
        throw error.at(path)
      }
      let exact = RecordValue(of: field.attribute).exact(text)
      row.values.append(exact ?? Array(text))
    }
  }

  /// Adds the keys that identify a row for rules about its entity.
  private func addKeys(_ shape: RecordShape, _ row: inout GraphRow) {
    for key in shape.keys {
      guard let column = row.columns.firstIndex(of: key.path),
        let value = try? JSONDocument(row.values[column]).root.value(as: key.type),
        !value.isNull
      else { continue }
      row.keys.append((key, value))
    }
  }
}

extension GraphReader {
  private func references(
    _ value: JSONNode,
    _ link: RecordLink,
    of parent: String,
    path: String,
    _ record: inout GraphRecord
  ) throws(DepotError) -> [GraphReference] {
    if value.isNull { return [] }
    let elements = value.kind == .array ? try value.elements() : [value]
    guard link.relationship.isToMany || value.kind != .array else {
      throw DepotError(.type, "It leads to one row, not to a list.").at(path)
    }
    let rule = rules.key(path, link)
    var references: [GraphReference] = []
    for (index, element) in elements.enumerated() {
      do throws(DepotError) {
        if element.kind == .object {
          let name = "\(parent).\(link.relationship.name).\(index)"
          try references.append(
            nested(
              element,
              link.destination,
              rule?.key,
              name: name,
              parent: parent,
              path: path,
              to: &record
            )
          )
        } else {
          try references.append(scalar(element, rule, link, path))
        }
      } catch {
        throw error.at(path)
      }
    }
    return references
  }

  /// Returns the reference for a key or an identifier.
  ///
  /// A key may be a number too, so that exported files can use it in all places.
  private func scalar(
    _ value: JSONNode,
    _ rule: (key: NaturalKey, isChosen: Bool)?,
    _ link: RecordLink,
    _ path: String
  ) throws(DepotError) -> GraphReference {
    if value.kind == .string, rule?.isChosen != true, rule?.key.type.isText != true,
      let reference = RowReference(try value.string())
    {
      return .key(link.identifier, .int64(try identifier(reference, link.destination, path)))
    }
    let isBool = value.kind == .true || value.kind == .false
    if let rule,
      rule.isChosen || value.kind == .string || rule.key.type.isNumber
        || isBool && rule.key.type == .bool
    {
      let key = try value.value(as: rule.key.type)
      guard !key.isNull else { throw DepotError(.type, "A key can't be null.") }
      return .key(rule.key, key)
    }
    guard value.kind == .number else {
      throw DepotError(.type, "There is no key by which to find \(value.kind) there.")
        .hint("Say which, as in --link \(path)=\(link.destination.name).attribute")
    }
    return .key(link.identifier, .int64(try value.int64()))
  }

  /// Returns the identifier in a file's reference, if it is of this store.
  private func identifier(
    _ reference: RowReference,
    _ destination: Entity,
    _ path: String
  ) throws(DepotError) -> Int64 {
    let relatives = schema.lineage(of: destination) + schema.descendants(of: destination.name)
    guard relatives.contains(where: { $0.name == reference.entity }) else {
      throw DepotError(.type, "\(reference.text) is no \(destination.name).")
    }
    guard reference.store == nil || reference.store == stores[destination.name] else {
      throw DepotError(.objectNotFound, "\(reference.text) is a row of another store.")
        .hint(
          "Take all of it along with depot export --all and depot import --all, or find the rows by "
            + "an attribute, as in --link \(path)=\(destination.name).attribute"
        )
    }
    return reference.identifier
  }

  /// Adds a nested row; if it has a key and exists already, it is only linked.
  private func nested(
    _ object: JSONNode,
    _ destination: Entity,
    _ key: NaturalKey?,
    name: String,
    parent: String,
    path: String,
    to record: inout GraphRecord
  ) throws(DepotError) -> GraphReference {
    let count = record.rows.count
    try add(object, destination, name: name, parent: parent, path: path + ".", to: &record)
    guard let key, let row = record.rows.last,
      let value = row.keys.first(where: { $0.key == key })?.value
    else { return .nested(name) }
    if let first = record.inside[key]?[value], first < count { record.removeRows(from: count) }
    return .key(key, value)
  }
}

extension AttributeType {
  fileprivate var isNumber: Bool { self == .int64 || self == .double || self == .decimal }

  /// Whether any text is a valid value, even one that looks like a reference to a row.
  var isText: Bool { self == .string || self == .url }
}
