internal import DepotClient
internal import DepotProtocol

/// The migration of a store to the schema of a program that has no plan.
///
/// Entities that the program doesn't list stay, and so do properties that rows can do without:
/// another program may have them. Everything else changes to the program's schema, if that can be
/// inferred.
struct StoreMigration {
  let connection: BlockingConnection
  let wanted: DepotProtocol.Schema
  /// The entities of the program.
  let descriptions: [EntityDescription]
  /// The attributes whose defaults differ each time, so that the store may keep its own.
  let changingDefaults: Set<String>
  let isReadOnly: Bool

  /// How often another program may define its schema in between.
  private static let attempts = 8

  func run() throws {
    for attempt in 1...Self.attempts {
      do {
        return try define(over: connection.schema())
      } catch let error as DepotError
        where [.unknownVersion, .mismatch].contains(error.code) && attempt < Self.attempts
      {
        continue
      }
    }
  }

  private func define(over stored: DepotProtocol.Schema) throws {
    do {
      try migrate(stored)
    } catch var error as DepotError where error.code == .mismatch {
      let parts = wanted.partsWithoutDefault(since: stored)
      guard !parts.isEmpty else { throw error }
      error.hint =
        "Nothing was changed. A default that a structure declares for a part of its own can't be seen: "
        + "give the property a default, as a whole, make \(parts.joined(separator: ", ")) optional, "
        + "or migrate in a custom stage."
      throw error
    }
  }

  private func migrate(_ stored: DepotProtocol.Schema) throws {
    var target = wanted.takingDefaults(of: stored, for: changingDefaults).keeping(stored)
    let comparison = SchemaComparison(from: stored, to: target)
    guard !comparison.changes.isEmpty || !comparison.differences.isEmpty else { return }
    if let version = stored.version { try refuseNewer(stored, version, comparison) }
    if isReadOnly { return try refuse(comparison) }
    if let version = stored.version { raise(&target, version, comparison) }
    let defaults = try EvaluatedDefaults(
      of: descriptions,
      from: stored,
      to: target,
      over: connection
    )
    let forms = ConvertedForms(of: descriptions, from: stored, to: target)
    let takesBackup = !comparison.differences.isEmpty
    let isDone = try defaults.migrate(
      to: target,
      from: stored.version,
      takesBackup: takesBackup,
      over: connection,
      finish: forms.convert
    )
    if isDone { return }
    if !forms.isEmpty {
      try connection.migrate(
        to: target,
        from: stored.version,
        takesBackup: takesBackup,
        forms.convert
      )
      return
    }
    // As on Apple's systems, the models decide which data is dropped.
    try connection.define(target, from: stored.version, allowing: .loss)
  }

  /// Throws if a later version of the program has changed the store.
  ///
  /// Properties that an older program would add anew were renamed or removed by the newer one.
  private func refuseNewer(
    _ stored: DepotProtocol.Schema,
    _ version: SchemaVersion,
    _ comparison: SchemaComparison
  ) throws {
    guard let own = wanted.version, own <= version else { return }
    var differences = SchemaInference(from: stored, to: wanted).outdatedNames
    if differences.isEmpty, (own.major, own.minor) < (version.major, version.minor) {
      differences = comparison.differences + comparison.changes.compactMap(\.missingProperty)
    }
    guard !differences.isEmpty else { return }
    throw DepotError(
      .newerStore,
      "The store's schema has version \(version); this program has version \(own), which differs: "
        + differences.joined(separator: "; ") + "."
    )
    .hint("Use a newer version of the program, or restore a backup.")
  }

  /// Gives the schema a version that the store's may become.
  private func raise(
    _ target: inout DepotProtocol.Schema,
    _ version: SchemaVersion,
    _ comparison: SchemaComparison
  ) {
    if let own = target.version, own > version { return }
    target.version = version
    if !comparison.differences.isEmpty { target.version?.patch += 1 }
  }

  /// Throws unless the store can be read as it is.
  private func refuse(_ comparison: SchemaComparison) throws {
    let changes =
      comparison.differences + comparison.changes.filter(\.concernsReaders).map(\.description)
    guard !changes.isEmpty else { return }
    throw DepotError(
      .readOnly,
      "The store is open for reading only, and its schema differs: "
        + changes.joined(separator: "; ") + "."
    )
    .hint("Open it once with allowsSave: true.")
  }
}

extension SchemaChange {
  fileprivate var concernsReaders: Bool {
    switch self {
    case .addedIndex, .changedHistory, .changedAttribute(_, _, _, .defaultValue): false
    default: true
    }
  }

  /// The property that an entity of the store lacks, in words; `nil` for other changes.
  fileprivate var missingProperty: String? {
    switch self {
    case .addedAttribute(let field, let entity, _): "the store has no \(entity).\(field.path)"
    case .addedRelationship(let relationship, let entity):
      "the store has no \(entity).\(relationship.name)"
    default: nil
    }
  }
}

extension DepotProtocol.Schema {
  /// The paths of required parts of structures that an older schema lacks, and that have no default.
  fileprivate func partsWithoutDefault(since old: DepotProtocol.Schema) -> [String] {
    entities.flatMap { entity in
      let known = old.entities.first { $0.name == entity.name }?.attributes ?? []
      return entity.attributes.flatMap { attribute in
        let stored = known.first { $0.name == attribute.name }
        return stored.map { attribute.partsWithoutDefault(since: $0) } ?? []
      }.map { "\(entity.name).\($0)" }
    }
  }
}

extension Attribute {
  fileprivate func partsWithoutDefault(since old: Attribute) -> [String] {
    properties.flatMap { part in
      if let stored = old.properties.first(where: { $0.name == part.name }) {
        return part.partsWithoutDefault(since: stored)
      }
      return part.isOptional || part.defaultValue != nil ? [] : [part.name]
    }.map { "\(name).\($0)" }
  }
}
