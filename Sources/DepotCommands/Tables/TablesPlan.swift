internal import DepotProtocol

/// The plain tables of a store for other tools: readable names, a key `id`, and foreign keys.
///
/// A hierarchy of entities is one table with a column `entity`. A to-one relationship is a column
/// `author_id`. A to-many relationship is given by the column of its inverse, or else by a table
/// `Book_tags` of pairs.
struct TablesPlan {
  /// A table of rows.
  struct Rows {
    /// A property that has a column.
    struct Member {
      /// The entity that declares it; others of the hierarchy may have another of this name.
      var owner: String
      var path: String
      /// The attribute; `nil` for identifiers.
      var attribute: Attribute?
    }

    var table: PlainTable
    /// The properties of the columns after the key.
    var members: [Member]
    var hasEntity: Bool
    /// The members whose columns have other names, because theirs were taken.
    var renamed: [(member: Member, column: String)] = []
  }

  /// A table of the pairs of a relationship.
  struct Pairs {
    var table: PlainTable
    var relationship: Relationship
  }

  private(set) var rows: [String: Rows] = [:]
  /// The tables of pairs, by the declaring entity and the relationship's name.
  private(set) var pairs: [String: Pairs] = [:]
  /// All tables; referenced tables come first where possible.
  private(set) var tables: [PlainTable] = []

  init(_ schema: Schema) {
    for root in schema.entities where root.parent == nil {
      let family = [root] + schema.descendants(of: root.name)
      let hasEntity = family.count > 1
      var columns = [PlainTable.Column(name: "id", type: "INTEGER", isKey: true)]
      if hasEntity {
        columns.append(PlainTable.Column(name: "entity", type: "TEXT", isRequired: true))
      }
      var names = Set(columns.map(\.name))
      var members: [Rows.Member] = []
      var renamed: [(member: Rows.Member, column: String)] = []
      func add(_ member: Rows.Member, _ name: String, _ other: String? = nil) {
        var free = name
        // SQLite ignores the case of names.
        while !names.insert(free.lowercased()).inserted { free += "_" }
        if free != name { renamed.append((member, free)) }
        let type = member.attribute.map(Self.type) ?? "INTEGER"
        columns.append(PlainTable.Column(name: free, type: type, references: other))
        members.append(member)
      }
      for entity in family {
        for field in entity.ownFields
        where field.relationship == nil && field.attribute.derivation == nil {
          let name = field.path.split(separator: ".").joined(separator: "_")
          add(.init(owner: entity.name, path: field.path, attribute: field.attribute), name)
        }
        for relationship in entity.relationships
        where ExportPlan.isWritten(relationship, of: entity, schema) {
          let other = Self.root(relationship.destination, schema)
          if relationship.isToMany {
            addPairs(relationship, entity, root.name, other)
          } else {
            let name = relationship.name
            add(.init(owner: entity.name, path: name), name + "_id", other)
          }
        }
      }
      let table = PlainTable(name: root.name, columns: columns, file: "\(root.name).ndjson")
      rows[root.name] = Rows(
        table: table,
        members: members,
        hasEntity: hasEntity,
        renamed: renamed
      )
      tables.append(table)
    }
    var names = Set(tables.map { $0.name.lowercased() })
    for (key, var pair) in pairs.sorted(by: { $0.key < $1.key }) {
      // An entity may have the same name.
      while !names.insert(pair.table.name.lowercased()).inserted { pair.table.name += "_" }
      pairs[key] = pair
      tables.append(pair.table)
    }
  }

  /// Sentences about columns with unexpected names.
  var notes: [String] {
    rows.sorted { $0.key < $1.key }.flatMap { _, rows in
      rows.renamed.map { member, column in
        let name = "\(member.owner).\(member.path)"
        return "\(name) is in the column \(column), as its own name is taken."
      }
    }
  }

  private mutating func addPairs(
    _ relationship: Relationship,
    _ owner: Entity,
    _ source: String,
    _ target: String
  ) {
    let ends = source == target ? ["source", "target"] : [source, target]
    var columns = zip(ends, [source, target]).map { end, table in
      PlainTable.Column(
        name: end + "_id",
        type: "INTEGER",
        isKey: true,
        isRequired: true,
        references: table
      )
    }
    if relationship.isOrdered {
      columns.append(PlainTable.Column(name: "position", type: "INTEGER", isRequired: true))
    }
    let name = "\(owner.name)_\(relationship.name)"
    let table = PlainTable(name: name, columns: columns, file: "\(name).pairs.ndjson", isJoin: true)
    pairs["\(owner.name).\(relationship.name)"] = Pairs(table: table, relationship: relationship)
  }

  static func root(_ name: String, _ schema: Schema) -> String {
    guard let entity = schema[name] else { return name }
    return schema.lineage(of: entity).first { $0.parent == nil }?.name ?? name
  }

  private static func type(_ attribute: Attribute) -> String {
    if attribute.collection != nil { return "TEXT" }
    return switch attribute.type {
    case .int64, .bool: "INTEGER"
    case .double: "REAL"
    case .data: "BLOB"
    default: "TEXT"
    }
  }
}

extension PlainValue {
  /// Reads the JSON of an attribute's value; lists and JSON stay as texts.
  init(_ json: [UInt8], _ attribute: Attribute?) throws(DepotError) {
    let node = try JSONDocument(json, valueLimit: .max).root
    guard !node.isNull else {
      self = .null
      return
    }
    guard let attribute else {
      self = .integer(try node.int64())
      return
    }
    let isScalar = attribute.collection == nil && attribute.type != .json
    guard isScalar, case let value = try node.value(as: attribute.type) else {
      self = .text(String(decoding: json, as: UTF8.self))
      return
    }
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .integer(flag ? 1 : 0)
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .data(let bytes): self = .data(Array(bytes))
    default: self = .text(try node.kind == .string ? node.string() : JSONValue(node).text)
    }
  }
}
