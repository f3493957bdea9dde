internal import DepotClient
internal import DepotProtocol

/// The migration of a store to the version of a program that has a plan, stage by stage.
struct PlannedMigration {
  let connection: BlockingConnection
  let plan: any SchemaMigrationPlan.Type
  let versions: [PlannedVersion]
  /// The index of the program's own version.
  let target: Int

  /// - Parameters:
  ///   - connection: A connection about the store.
  ///   - plan: The versions and stages.
  ///   - current: The program's own models.
  ///   - entities: The names of the entities that the store may hold; all if `nil`.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` if two versions have the same number.
  init(
    _ connection: BlockingConnection,
    _ plan: any SchemaMigrationPlan.Type,
    for current: Schema,
    in entities: Set<String>?
  ) throws {
    self.connection = connection
    self.plan = plan
    versions = try plan.schemas.map { try PlannedVersion($0, in: entities) }
    let groups = Dictionary(grouping: versions, by: \.number)
    if let (number, same) = groups.first(where: { $0.value.count > 1 }) {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "The plan \(plan) has version \(number) twice, as \(same[0].type) and \(same[1].type).",
        hint: "Give each version its own versionIdentifier."
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
    for step in try path(from: place(of: stored)) {
      do {
        try migrate(step)
      } catch let error as DepotError where error.isOfAnotherProgram {
        throw error
      } catch {
        throw failure(of: step, error)
      }
    }
  }

  /// A step from one version to another; without a stage, the migration is inferred.
  private struct Step {
    var start: Int
    var end: Int
    var stage: MigrationStage?
  }

  /// Returns the plan's steps from a version: its stages, and one to the next version if need be.
  private func steps(from place: Int) -> [Step] {
    let stages = plan.stages.filter { $0.fromVersion == versions[place].type }
    var steps = stages.compactMap { stage in
      versions.firstIndex { $0.type == stage.toVersion }
        .map { Step(start: place, end: $0, stage: stage) }
    }
    if place + 1 < versions.count, !steps.contains(where: { $0.end > place }) {
      steps.append(Step(start: place, end: place + 1))
    }
    return steps
  }

  /// Returns the fewest steps that lead from a version to the program's, forward or back.
  ///
  /// - Throws: ``SwiftDataError/backwardMigration``, ``SwiftDataError/loadIssueModelContainer``.
  private func path(from place: Int) throws -> [Step] {
    var paths: [[Step]] = [[]]
    var known: Set = [place]
    var next = 0
    while next < paths.count {
      let path = paths[next]
      let end = path.last?.end ?? place
      if end == target { return path }
      for step in steps(from: end) where known.insert(step.end).inserted {
        paths.append(path + [step])
      }
      next += 1
    }
    let number = versions[place].number
    throw number > versions[target].number ? newer(number) : missingStage(from: place)
  }

  /// Returns the version that a store has.
  private func place(of stored: DepotProtocol.Schema) throws -> Int {
    if let place = versions.lastIndex(where: { $0.number == stored.version && $0.isLike(stored) })
      ?? versions[...target].lastIndex(where: { $0.isLike(stored) })
      ?? versions.lastIndex(where: { $0.isLike(stored) })
      ?? versions.lastIndex(where: { $0.isNearly(stored) })
    {
      return place
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

  private func failure(of step: Step, _ cause: any Error) -> SwiftDataError {
    let (start, end) = (versions[step.start].number, versions[step.end].number)
    let title = "The migration from version \(start) to \(end)"
    var error = SwiftDataError(any: cause)
    error.kind = .loadIssueModelContainer
    error.message = "\(title) failed: \(error.message)"
    if step.stage == nil {
      error.hint =
        "Add a stage between the two versions to the plan; without one only what can be "
        + "inferred is done."
    }
    return error
  }
}

extension PlannedMigration {
  private func migrate(_ step: Step) throws {
    let stored = try connection.schema()
    let (old, new) = (versions[step.start], versions[step.end])
    var schema = new.lowered.keepingEntities(of: stored, but: old.lowered)
    // A program without a plan may have raised the number, and a stage may lead to a lower one.
    if let version = stored.version, version >= new.number {
      schema.version = SchemaVersion(version.major, version.minor, version.patch + 1)
    }
    // The program has nothing to do with a store that holds nothing of either version.
    let isConcerned = !old.descriptions.isEmpty || !new.descriptions.isEmpty
    let store = try connection.storeIdentifier()
    let version = stored.version
    func defaults(over connection: BlockingConnection) throws -> EvaluatedDefaults {
      try EvaluatedDefaults(of: new.descriptions, from: stored, to: schema, over: connection)
    }
    let forms = ConvertedForms(of: new.descriptions, from: stored, to: schema)
    switch isConcerned ? step.stage : nil {
    case nil, .lightweight, .custom(_, _, nil, nil):
      if !forms.isEmpty {
        try stage(defaults(over: connection), schema, version, forms.convert)
        return
      }
      let isDone = try defaults(over: connection).migrate(
        to: schema,
        from: version,
        takesBackup: true,
        over: connection
      )
      if !isDone { try connection.define(schema, from: version, allowing: .loss) }
    case .transform(_, _, let migrate):
      try stage(defaults(over: connection), schema, version) { left, right in
        try forms.convertSome(from: left, to: right)
        try old.with(left, store) { old in try new.with(right, store) { try migrate(old, $0) } }
      }
    case .custom(_, _, nil, let didMigrate):
      try stage(defaults(over: connection), schema, version) { left, copy in
        try forms.convertSome(from: left, to: copy)
        if let didMigrate { try new.with(copy, store, didMigrate) }
      }
    case .custom(_, _, let willMigrate?, let didMigrate):
      var interim = stored
      // The number of the copy while it has the old objects.
      interim.version = version ?? schema.version.map { _ in SchemaVersion(0, 0, 0) }
      try connection.migrate(to: interim, from: version) { _, copy in
        try old.with(copy, store, willMigrate)
        // With the new schema, the copy no longer has the old forms.
        var converted: [SaveRequest] = []
        try forms.read(copy, isLenient: true) { converted.append($0) }
        try defaults(over: copy).define(schema, from: interim.version, in: copy)
        for request in converted { try copy.save(request) }
        if let didMigrate { try new.with(copy, store, didMigrate) }
      }
    }
  }

  /// Performs a custom stage; new attributes have their defaults already.
  private func stage(
    _ defaults: EvaluatedDefaults,
    _ schema: DepotProtocol.Schema,
    _ version: SchemaVersion?,
    _ body: @escaping MigrationStages.Body
  ) throws {
    let isDone = try defaults.migrate(
      to: schema,
      from: version,
      takesBackup: true,
      over: connection,
      finish: body
    )
    if !isDone { try connection.migrate(to: schema, from: version, body) }
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
