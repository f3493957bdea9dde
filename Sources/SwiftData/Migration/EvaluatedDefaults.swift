internal import DepotClient
internal import DepotProtocol

/// The attributes, new in a store with rows, whose defaults are expressions such as `UUID()`.
///
/// Each row gets its own value of them.
///
/// The program evaluates them, in a copy that replaces the store at the end.
struct EvaluatedDefaults {
  private let properties: [PropertyDescription]

  /// How many rows are changed at once.
  private static let batch = 5000

  /// Finds the attributes without a value in existing rows.
  ///
  /// - Parameters:
  ///   - descriptions: The entities of the program.
  ///   - stored: The schema of the store.
  ///   - schema: The schema that it is to have.
  ///   - connection: A connection about the store.
  /// - Throws: ``DepotError`` if the store can't be asked.
  init(
    of descriptions: [EntityDescription],
    from stored: DepotProtocol.Schema,
    to schema: DepotProtocol.Schema,
    over connection: BlockingConnection
  ) throws {
    let inference = SchemaInference(from: stored, to: schema)
    properties = try descriptions.flatMap { description in
      guard let before = inference.origins[description.name] else { return [PropertyDescription]() }
      let attributes = inference.attributes[description.name] ?? []
      let lacking = description.changingDefaults.filter { property in
        Schema.entityName(for: property.owner) == description.name
          && attributes.contains { $0.new?.name == property.name && $0.lacksValues }
      }
      guard !lacking.isEmpty, try connection.exists(CountRequest(entity: before)) else { return [] }
      return lacking
    }
  }

  /// Gives the store a schema, and each row its own values of these attributes.
  ///
  /// - Parameters:
  ///   - schema: The schema.
  ///   - version: The version that the store has.
  ///   - takesBackup: Whether the old store is kept as a backup.
  ///   - connection: A connection about the store.
  ///   - finish: The rest of the program's work, with the old store and its copy.
  /// - Returns: `false` if the store can't be copied; then nothing was done.
  /// - Throws: ``DepotError`` as the definition of a schema does, and errors of `finish`; the
  ///   store is then unchanged.
  func migrate(
    to schema: DepotProtocol.Schema,
    from version: SchemaVersion?,
    takesBackup: Bool,
    over connection: BlockingConnection,
    finish: MigrationStages.Body? = nil
  ) throws -> Bool {
    guard !properties.isEmpty else { return false }
    var isBegun = false
    do {
      try connection.migrate(
        to: without(schema),
        from: version,
        takesBackup: takesBackup
      ) { old, copy in
        isBegun = true
        try complete(schema, in: copy)
        try finish?(old, copy)
      }
    } catch let error as DepotError
      where !isBegun && [.unsupported, .usage].contains(error.code)
    {
      return false
    }
    return true
  }

  /// Gives the copy of a stage a schema.
  func define(
    _ schema: DepotProtocol.Schema,
    from version: SchemaVersion?,
    in copy: BlockingConnection
  ) throws {
    guard !properties.isEmpty else {
      try copy.define(schema, from: version, allowing: .loss)
      return
    }
    try copy.define(without(schema), from: version, allowing: .loss)
    try complete(schema, in: copy)
  }

  /// Returns the schema without defaults of the attributes, so that they are empty in a copy.
  private func without(_ schema: DepotProtocol.Schema) -> DepotProtocol.Schema {
    let names = Set(properties.map(\.qualifiedName))
    return schema.changingAttributes { entity, attribute in
      if names.contains("\(entity.name).\(attribute.name)") { attribute.removeDefaults() }
    }
  }

  /// Fills the empty values of a copy, and gives it the schema with the defaults.
  private func complete(_ schema: DepotProtocol.Schema, in copy: BlockingConnection) throws {
    for property in properties {
      let description = EntityDescription.of(property.owner)
      let request = FetchRequest(
        entity: description.name,
        predicate: .and(
          property.paths.map { .comparison(.equal, .attribute($0), .value(.null)) }
        ),
        select: []
      )
      var identifiers: [Int64] = []
      try copy.fetch(request) { row in identifiers.append(row.identifier) }
      for start in stride(from: 0, to: identifiers.count, by: Self.batch) {
        let end = min(start + Self.batch, identifiers.count)
        try fill(property, of: description, in: identifiers[start..<end], over: copy)
      }
    }
    try copy.define(schema, from: schema.version, allowing: .loss)
  }

  private func fill(
    _ property: PropertyDescription,
    of description: EntityDescription,
    in identifiers: ArraySlice<Int64>,
    over copy: BlockingConnection
  ) throws {
    var rows = RowBatch()
    for identifier in identifiers {
      let values = description.initialSlots(renewing: [property])
      try rows.appendRow { row in
        row.append(Value.int64(identifier))
        try description.write(values[property.slot], of: property.slot, to: &row)
      }
    }
    let change = SaveRequest.Change(
      entity: description.name,
      columns: ["$id"] + property.paths,
      rows: rows
    )
    try copy.save(SaveRequest(updates: [change]))
  }
}

extension Succession<Declared<Attribute>> {
  /// Whether existing rows have no value for the new attribute, though it has a default.
  fileprivate var lacksValues: Bool {
    guard let new = new?.property, !new.options.contains(.ephemeral) else { return false }
    // An optional structure is absent in the rows that exist.
    if new.type == .composite, new.isOptional { return false }
    guard let old = old?.property else { return true }
    return old.isOptional && !new.isOptional
  }
}

extension Attribute {
  /// Removes the defaults of the attribute and its parts.
  fileprivate mutating func removeDefaults() {
    defaultValue = nil
    for index in properties.indices { properties[index].removeDefaults() }
  }
}
