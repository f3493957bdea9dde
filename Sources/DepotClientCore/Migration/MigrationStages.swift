public import DepotProtocol

/// The versions of a program's schema, and the migrations between them.
///
/// ```swift
/// let stages = MigrationStages([
///   .init(version1), .init(version2),
///   .init(version3) { old, new in
///     // Both stores can be read; a row has the same identifier in both.
///   },
/// ])
/// try connection.migrate(stages)
/// ```
@Memberwise("versions")
public struct MigrationStages {
  /// The work of a program in a custom stage, with the old store and the copy that has the new
  /// schema.
  ///
  /// Both connections share one wire, so that neither can be used while the other streams rows.
  public typealias Body = (_ old: BlockingConnection, _ new: BlockingConnection) throws -> Void

  /// One version, and how it follows from the one before.
  public struct Version {
    public var schema: Schema
    /// The work that converts rows from the version before to this one; `nil` if the service can
    /// infer it.
    public var migrate: Body?
    /// The work that prepares the rows, in a copy that has the schema of the version before.
    var prepare: ((BlockingConnection) throws -> Void)?

    /// A version that the service infers the migration to, or the first one.
    public init(_ schema: Schema) {
      self.schema = schema
    }

    /// A version that a program migrates to.
    public init(_ schema: Schema, migrate: @escaping Body) {
      self.schema = schema
      self.migrate = migrate
    }

    /// A version that a program prepares in the old schema, or completes in the new one.
    ///
    /// Both change the copy, which has the old schema first.
    public init(
      _ schema: Schema,
      willMigrate: ((BlockingConnection) throws -> Void)?,
      didMigrate: ((BlockingConnection) throws -> Void)?
    ) {
      self.schema = schema
      prepare = willMigrate
      migrate = { _, new in try didMigrate?(new) }
    }
  }

  /// In their order, the oldest first.
  public var versions: [Version]
}

extension MigrationStages {
  /// Returns the versions that a store of a version has to go through.
  ///
  /// A store without a version takes the last schema at once if it is empty, and the first one
  /// otherwise.
  ///
  /// - Throws: ``DepotError`` `schema.invalid` if the versions don't rise, `schema.newer_store`, or
  ///   `schema.unknown_version` if none of them is the store's.
  func path(from schema: Schema) throws(DepotError) -> ArraySlice<Version> {
    var numbers: [SchemaVersion] = []
    for version in versions {
      guard let number = version.schema.version, numbers.last.map({ $0 < number }) ?? true else {
        throw DepotError(.invalidSchema, "The versions of a plan rise, and each schema has one.")
      }
      numbers.append(number)
    }
    guard let last = numbers.last else {
      throw DepotError(.invalidSchema, "The plan has no versions.")
    }
    guard let found = schema.version else {
      return schema.entities.isEmpty ? versions.suffix(1) : versions[...]
    }
    let known = numbers.map(\.description).joined(separator: ", ")
    let details: [String: JSONValue] = [
      "found": .string(found.description), "expected": .string(known),
    ]
    if last < found {
      throw DepotError(
        .newerStore,
        "The store's schema has version \(found); this program knows versions up to \(last)."
      )
      .hint("Use a newer version of the program, or restore a backup.").details(details)
    }
    guard let place = numbers.firstIndex(of: found) else {
      throw DepotError(
        .unknownVersion,
        "The store's schema has version \(found), which isn't one of \(known)."
      )
      .hint("Add that version to the plan, with the stage that follows it.").details(details)
    }
    return versions[(place + 1)...]
  }
}

extension BlockingConnection {
  /// Brings the store to the last of some versions, stage by stage.
  ///
  /// If a program is killed meanwhile, the next call continues with the stage that was interrupted.
  ///
  /// - Parameters:
  ///   - stages: The versions of the program's schema.
  ///   - takesBackup: Whether the store is copied before each stage that changes rows.
  /// - Returns: The versions that the store went through; none if it had the last one.
  /// - Throws: ``DepotError`` `schema.unknown_version`, `schema.newer_store`, `schema.mismatch` if
  ///   a stage can't be inferred, `schema.rows_in_the_way`, or errors of a stage; the store then
  ///   has the version before that stage.
  @discardableResult
  public func migrate(
    _ stages: MigrationStages,
    takesBackup: Bool = true
  ) throws -> [SchemaVersion] {
    let schema = try schema()
    var before = schema.version
    var done: [SchemaVersion] = []
    for version in try stages.path(from: schema) {
      guard let number = version.schema.version else { continue }
      // Existing rows must have a known version before a program can migrate them.
      if let body = version.migrate, before != nil {
        if let prepare = version.prepare {
          try migrate(to: self.schema(), from: before, takesBackup: takesBackup) { old, copy in
            try prepare(copy)
            try copy.define(version.schema, from: before, allowing: .loss)
            try body(old, copy)
          }
        } else {
          try migrate(to: version.schema, from: before, takesBackup: takesBackup, body)
        }
      } else {
        // The program's versions decide which data is dropped.
        try define(version.schema, from: before, takesBackup: takesBackup, allowing: .loss)
      }
      before = number
      done.append(number)
    }
    return done
  }

  /// Migrates the store to a newer version by inference.
  ///
  /// - Parameters:
  ///   - schema: The whole schema.
  ///   - isDryRun: Whether to return the changes without making them.
  ///   - version: The version that the store must have; any if `nil`.
  ///   - takesBackup: Whether the store is copied before rows are changed.
  ///   - allowed: The permitted changes to the stored data; values are lost only with
  ///     ``AllowedSchemaChanges/loss``.
  /// - Returns: The changes that were made, or would be.
  /// - Throws: ``DepotError`` `schema.mismatch` with the `problems`, `schema.loss` with the steps that
  ///   lose values, `schema.rows_in_the_way`, `schema.unknown_version`, `schema.newer_store`.
  @discardableResult
  public func define(
    _ schema: Schema,
    isDryRun: Bool = false,
    from version: SchemaVersion?,
    takesBackup: Bool = true,
    allowing allowed: AllowedSchemaChanges = .migration
  ) throws -> SchemaResult {
    let options = MigrationOptions(from: version, takesBackup: takesBackup, allows: allowed)
    return try SchemaResult(JSONValue(send(.defineSchema(schema, isDryRun: isDryRun, options))))
  }

  /// Migrates the store in a stage of the program's own, during which no other client is served.
  ///
  /// New properties that nothing can be inferred for are empty, and needn't be anything else until
  /// `body` returns. If it throws, the store is as it was.
  ///
  /// - Returns: Where the old store is kept.
  @discardableResult
  public func migrate(
    to schema: Schema,
    from version: SchemaVersion? = nil,
    takesBackup: Bool = true,
    _ body: MigrationStages.Body
  ) throws -> String? {
    let name = containerName
    _ = try send(.beginMigration(MigrationRequest(schema, from: version)))
    do {
      try body(
        BlockingConnection(over: self, container: name + MigrationRequest.oldSuffix),
        BlockingConnection(over: self, container: name + MigrationRequest.newSuffix)
      )
      let result = try JSONValue(send(.commitMigration(takesBackup: takesBackup)))
      return result["backup"]?.string
    } catch {
      // The service gives it up by itself if the connection is lost.
      _ = try? send(.abortMigration)
      throw error
    }
  }
}
