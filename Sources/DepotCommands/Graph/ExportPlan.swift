internal import DepotProtocol

/// The files of a whole export, in the order of their import.
///
/// Rows are in the order of their natural keys, or of their identifiers; references are natural
/// keys, or names such as `Trip/3` for the third row of Trip's file. So the files don't depend on
/// identifiers, and exporting an import again gives the same bytes.
struct ExportPlan: Equatable {
  /// The file of an entity.
  struct File: Equatable {
    var entity: String
    /// The paths of the attributes.
    var attributes: [String]
    /// The paths of texts and data, which may be too large for their rows.
    var largePaths: Set<String>
    /// The relationships that are written in this file instead of their inverses.
    var relationships: [Relationship]
    /// The path to sort the rows by.
    var sort: String
    /// Whether rows get names, because they have no natural key.
    var namesRows: Bool

    /// - Throws: ``DepotError`` `limit.value_bytes` if a row has only the length of a value.
    func check(_ values: [String: [UInt8]], of identifier: Int64) throws(DepotError) {
      for path in attributes where largePaths.contains(path) {
        if values[path]?.first == UInt8(ascii: "{") {
          throw .tooLargeForExport("\(entity)/\(identifier)", path)
        }
      }
    }
  }

  /// The files in the order of their import.
  private(set) var files: [File] = []

  init(_ schema: Schema) {
    let entities = schema.entities.filter { !$0.isAbstract }
    for entity in Self.order(entities, schema) {
      let key = NaturalKey(of: entity, schema)
      let fields = schema.fields(of: entity)
        .filter { $0.relationship == nil && $0.attribute.derivation == nil }
      files.append(
        File(
          entity: entity.name,
          attributes: fields.map(\.path),
          largePaths: Set(fields.filter(\.attribute.mayBeLarge).map(\.path)),
          relationships: schema.lineage(of: entity).flatMap { owner in
            owner.relationships.filter { Self.isWritten($0, of: owner, schema) }
          },
          sort: key?.path ?? "$id",
          namesRows: key == nil
        )
      )
    }
  }

  /// Whether a relationship is written itself, instead of its inverse.
  static func isWritten(_ relationship: Relationship, of owner: Entity, _ schema: Schema) -> Bool {
    guard let (other, inverse) = schema.inverse(of: relationship) else { return true }
    let isFirst =
      (owner.name, relationship.name) <= (other.name, inverse.name)
    switch (relationship.isToMany, inverse.isToMany) {
    case (false, true): return true
    // Only this side knows the order.
    case (true, false): return relationship.isOrdered
    case (true, true): return relationship.isOrdered || !inverse.isOrdered && isFirst
    case (false, false):
      return relationship.isOptional == inverse.isOptional ? isFirst : !relationship.isOptional
    }
  }

  /// Sorts entities so that required destinations come first, where there is no cycle.
  private static func order(_ entities: [Entity], _ schema: Schema) -> [Entity] {
    var result: [Entity] = []
    var isBegun: Set<String> = []
    func visit(_ entity: Entity) {
      guard isBegun.insert(entity.name).inserted else { return }
      for relationship in schema.relationships(of: entity)
      where relationship.isToMany ? relationship.minCount > 0 : !relationship.isOptional {
        let relatives =
          [relationship.destination]
          + schema.descendants(of: relationship.destination).map(\.name)
        for needed in entities where relatives.contains(needed.name) { visit(needed) }
      }
      result.append(entity)
    }
    for entity in entities { visit(entity) }
    return result
  }
}

extension Attribute {
  /// Whether values may be too large for their rows.
  var mayBeLarge: Bool { collection == nil && (type == .string || type == .data) }
}

extension DepotError {
  /// The error for a value that no file of an export can have.
  static func tooLargeForExport(_ row: String, _ path: String) -> DepotError {
    DepotError(.valueTooLarge, "\(path) of \(row) is too large for an export.")
      .hint("Get it with depot blob get \(row) \(path), or copy the store with depot backup.")
  }
}

/// The names that files use for rows.
struct ReferenceNames {
  private var names: [String: [Int64: [UInt8]]] = [:]

  /// Adds the JSON of the name of a row of a destination.
  mutating func add(_ destination: String, _ identifier: Int64, _ name: [UInt8]) {
    names[destination, default: [:]][identifier] = name
  }

  func has(_ destination: String) -> Bool { names[destination] != nil }

  /// Adds the names of all rows of a destination that has a natural key.
  mutating func add(_ destination: String, _ key: NaturalKey, _ fetch: StoreExport.Fetch) throws {
    var found = names[destination] ?? [:]
    try fetch(FetchRequest(entity: destination, select: [key.path])) { identifier, values in
      found[identifier] = values[key.path] ?? Array("null".utf8)
    }
    names[destination] = found
  }

  /// Returns the JSON of a relationship's value with names of rows.
  ///
  /// - Throws: ``DepotError`` `storage.corrupt` if it refers to a missing row.
  func json(_ value: [UInt8], _ relationship: Relationship) throws(DepotError) -> [UInt8] {
    let sorts = relationship.isToMany && !relationship.isOrdered
    return try relationship.json(value, sorts: sorts) { identifier throws(DepotError) in
      if let name = names[relationship.destination]?[identifier] { return name }
      throw DepotError(
        .corrupt,
        "\(relationship.name) leads to \(relationship.destination)/\(identifier), which isn't there."
      ).hint("Was the store changed meanwhile? Export it again.")
    }
  }
}

extension Relationship {
  /// Returns the JSON of a value with its identifiers replaced by names.
  func json(
    _ value: [UInt8],
    sorts: Bool = false,
    _ name: (Int64) throws(DepotError) -> [UInt8]
  ) throws(DepotError) -> [UInt8] {
    let node = try JSONDocument(value, valueLimit: .max).root
    if node.isNull { return isToMany ? Array("[]".utf8) : value }
    guard isToMany else { return try name(node.int64()) }
    var list = try node.elements().map { (node) throws(DepotError) in try name(node.int64()) }
    if sorts { list.sort { $0.lexicographicallyPrecedes($1) } }
    return list.jsonArray
  }
}

/// The export of a whole store.
struct StoreExport {
  /// Calls a function with the identifier of each row and the JSON of its values by their columns.
  typealias Fetch = (FetchRequest, (Int64, [String: [UInt8]]) throws -> Void) throws -> Void

  let plan: ExportPlan
  private let schema: Schema
  private let fetch: Fetch
  private var names = ReferenceNames()

  init(_ schema: Schema, fetch: @escaping Fetch) throws {
    self.schema = schema
    self.fetch = fetch
    plan = ExportPlan(schema)
    for relationship in plan.files.flatMap(\.relationships) {
      if names.has(relationship.destination) { continue }
      try readNames(schema.entity(named: relationship.destination))
    }
  }

  private mutating func readNames(_ destination: Entity) throws {
    var names = names
    if let key = NaturalKey(of: destination, schema) {
      try names.add(destination.name, key, fetch)
    } else {
      let entities = [destination] + schema.descendants(of: destination.name)
      for entity in entities where !entity.isAbstract {
        var count = 0
        let request = FetchRequest(
          entity: entity.name,
          includesSubentities: false,
          sort: [SortKey("$id")],
          select: []
        )
        try fetch(request) { identifier, _ in
          count += 1
          names.add(destination.name, identifier, Self.name(entity.name, count))
        }
      }
    }
    self.names = names
  }

  private static func name(_ entity: String, _ number: Int) -> [UInt8] {
    Array("\"\(entity)/\(number)\"".utf8)
  }

  /// Passes the lines of an entity's file to a function.
  func lines(_ file: ExportPlan.File, _ body: ([UInt8]) throws -> Void) throws {
    let request = FetchRequest(
      entity: file.entity,
      includesSubentities: false,
      sort: [SortKey(file.sort)],
      select: file.attributes + file.relationships.map(\.name)
    )
    var count = 0
    try fetch(request) { identifier, values in
      try file.check(values, of: identifier)
      count += 1
      var writer = JSONWriter()
      writer.raw("{")
      if file.namesRows { writer.member("$id", json: Self.name(file.entity, count)) }
      for path in file.attributes {
        writer.member(path, json: values[path] ?? Array("null".utf8))
      }
      for relationship in file.relationships {
        let value = values[relationship.name] ?? Array("null".utf8)
        writer.member(relationship.name, json: try names.json(value, relationship))
      }
      writer.raw("}\n")
      try body(writer.bytes)
    }
  }

  /// Writes all files and the schema into a folder, and returns the number of rows.
  ///
  /// The names of the files end with `suffix`.
  func write(to folder: String, suffix: String = "") throws -> Int {
    var count = 0
    for file in plan.files {
      let sink = try ByteSink(creating: "\(folder)/\(file.entity).ndjson\(suffix)")
      try lines(file) { line in
        sink.bytes += line
        count += 1
        try sink.flushIfLarge()
      }
      try sink.flush()
    }
    let document = try ByteSink(creating: "\(folder)/schema.json\(suffix)")
    document.append(PrettyJSON.text(of: schema.json) + "\n")
    try document.flush()
    return count
  }
}
