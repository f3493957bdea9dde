internal import DepotClient
internal import DepotProtocol

/// The migration of a store to the version of a program that has a plan, stage by stage.
struct PlannedMigration {
  let connection: BlockingConnection
  let plan: any SchemaMigrationPlan.Type
  let versions: [PlannedVersion]
  /// The place of the program's own version.
  let target: Int

  /// - Parameters:
  ///   - connection: A connection about the store.
  ///   - plan: The versions and stages.
  ///   - current: The program's own models.
  ///   - entities: The names of the entities that the store may hold; all if `nil`.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` if the versions don't rise.
  init(
    _ connection: BlockingConnection,
    _ plan: any SchemaMigrationPlan.Type,
    for current: Schema,
    in entities: Set<String>?
  ) throws {
    self.connection = connection
    self.plan = plan
    versions = try plan.schemas.map { try PlannedVersion($0, in: entities) }
    for (old, new) in zip(versions, versions.dropFirst()) where old.number >= new.number {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "The plan \(plan) has version \(new.number) (\(new.type)) behind \(old.number) (\(old.type)).",
        hint: "List the versions in their order, and give each its own versionIdentifier."
      )
    }
    guard !versions.isEmpty else {
      throw SwiftDataError(.loadIssueModelContainer, "The plan \(plan) has no versions.")
    }
    let classes = Set(current.descriptions.map { ObjectIdentifier($0.type) })
    target =
      versions.lastIndex {
        classes == Set($0.schema.descriptions.map { ObjectIdentifier($0.type) })
      }
      ?? versions.count - 1
  }

  /// The schema of the program's own version.
  var wanted: DepotProtocol.Schema { versions[target].lowered }

  /// Carries out the stages that lead from the store's version to the program's.
  ///
  /// - Throws: ``SwiftDataError/unknownSchema``, ``SwiftDataError/backwardMigration``,
  ///   ``SwiftDataError/loadIssueModelContainer`` if a stage fails; the store then has the version
  ///   before that stage.
  func run() throws {
    let stored = try connection.schema()
    if stored.entities.isEmpty { return }
    var place = try place(of: stored)
    while place != target {
      let stage = plan.stages.first { $0.fromVersion == versions[place].type }
      var next = place + 1
      if let stage, let end = versions.firstIndex(where: { $0.type == stage.toVersion }) {
        next = end
      }
      guard next > place, next <= target else { throw missingStage(from: place) }
      do {
        try migrate(from: place, to: next, stage)
      } catch let error as DepotError where error.isOfAnotherProgram {
        throw error
      } catch {
        throw failure(of: stage, from: place, to: next, error)
      }
      place = next
    }
  }

  /// Returns which of the versions a store has.
  private func place(of stored: DepotProtocol.Schema) throws -> Int {
    if let place = versions.lastIndex(where: { $0.number == stored.version && $0.isLike(stored) }) {
      return try upTo(target, place)
    }
    if let place = versions[...target].lastIndex(where: { $0.isLike(stored) }) { return place }
    if let place = versions.lastIndex(where: { $0.isNearly(stored) }) {
      return try upTo(target, place)
    }
    let known = versions.map { "\($0.number)" }.joined(separator: ", ")
    if let version = stored.version, version > versions[target].number { throw newer(version) }
    let nearest = versions.first { $0.number == stored.version } ?? versions[target]
    let differences = SchemaComparison(from: stored, to: nearest.lowered).differences
    throw SwiftDataError(
      .unknownSchema,
      "The store's schema (version \(stored.version?.description ?? "none")) is none of the plan's "
        + "versions \(known). From \(nearest.number) it differs: "
        + differences.prefix(5).joined(separator: "; ") + ".",
      hint: "Add a version with the models as they were, and the stage that follows it."
    )
  }

  private func upTo(_ target: Int, _ place: Int) throws -> Int {
    if place > target { throw newer(versions[place].number) }
    return place
  }

  private func newer(_ version: SchemaVersion) -> SwiftDataError {
    SwiftDataError(
      .backwardMigration,
      "The store has version \(version), which is newer than this program's \(versions[target].number).",
      hint: "Use a newer version of the program, or restore a backup of the store."
    )
  }

  private func missingStage(from place: Int) -> SwiftDataError {
    SwiftDataError(
      .loadIssueModelContainer,
      "No stage of \(plan) leads from version \(versions[place].number) towards "
        + "\(versions[target].number).",
      hint: "Add one to the plan's stages."
    )
  }

  private func failure(
    of stage: MigrationStage?,
    from place: Int,
    to next: Int,
    _ cause: any Error
  ) -> SwiftDataError {
    let title = "The migration from version \(versions[place].number) to \(versions[next].number)"
    var error = SwiftDataError(any: cause)
    error.kind = .loadIssueModelContainer
    error.message = "\(title) failed: \(error.message)"
    if stage == nil {
      error.hint =
        "Add a stage between the two versions to the plan; without one only what can be "
        + "inferred is done."
    }
    return error
  }
}

extension PlannedMigration {
  private func migrate(from place: Int, to next: Int, _ stage: MigrationStage?) throws {
    let stored = try connection.schema()
    let (old, new) = (versions[place], versions[next])
    var schema = new.lowered.keepingEntities(of: stored, but: old.lowered)
    // A program without a plan may have raised the number.
    if let version = stored.version, version >= new.number {
      schema.version = SchemaVersion(version.major, version.minor, version.patch + 1)
    }
    // A store that holds nothing of either version has nothing for the program to do.
    let isConcerned = !old.descriptions.isEmpty || !new.descriptions.isEmpty
    let store = try connection.storeIdentifier()
    switch isConcerned ? stage : nil {
    case nil, .lightweight, .custom(_, _, nil, nil):
      try connection.define(schema, from: stored.version, allowing: .loss)
    case .transform(_, _, let migrate):
      try connection.migrate(to: schema, from: stored.version) { left, right in
        try old.with(left, store) { old in try new.with(right, store) { try migrate(old, $0) } }
      }
    case .custom(_, _, nil, let didMigrate):
      try connection.migrate(to: schema, from: stored.version) { _, copy in
        if let didMigrate { try new.with(copy, store, didMigrate) }
      }
    case .custom(_, _, let willMigrate?, let didMigrate):
      var interim = stored
      // The number of the copy while it has the old objects.
      interim.version = stored.version ?? schema.version.map { _ in SchemaVersion(0, 0, 0) }
      try connection.migrate(to: interim, from: stored.version) { _, copy in
        try old.with(copy, store, willMigrate)
        try copy.define(schema, from: interim.version, allowing: .loss)
        if let didMigrate { try new.with(copy, store, didMigrate) }
      }
    }
  }
}

extension PlannedVersion {
  /// Calls `body` with a context of one side of a stage.
  fileprivate func with(
    _ connection: BlockingConnection,
    _ store: String,
    _ body: (ModelContext) throws -> Void
  ) throws {
    let side = MigrationSide(connection)
    defer { side.end() }
    let handle = StoreHandle(
      .migrating(side),
      identifier: store,
      entities: Set(descriptions.map(\.name)),
      allowsSave: true,
      name: "migration"
    )
    let core = ContainerCore(schema, [handle])
    let container = ModelContainer(core)
    core.adopt(container)
    try body(ModelContext(container))
  }
}

extension DepotError {
  /// Whether another program migrates the store, or has done so meanwhile.
  var isOfAnotherProgram: Bool { code == .migrating || code == .unknownVersion }
}
