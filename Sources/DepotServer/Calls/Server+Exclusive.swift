internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// Calls that have their connection for themselves, such as the definition of a schema.
extension Server {
  /// Returns the session of a call that still waits for its answer.
  func session(of caller: Caller) -> Session? {
    guard let session = sessions[caller.connection], session.calls[caller.call] != nil,
      !session.state.isClosing
    else { return nil }
    return session
  }

  /// Begins an exclusive call, which blocks its connection until it is answered.
  func startExclusive(_ call: Call, _ session: Session) {
    session.calls[call.id] = session.calls[call.id] ?? running(call)
    session.queue.beginExclusive(call.id)
    let caller = Caller(session, call)
    do throws(DepotError) {
      switch call.operation {
      case .defineSchema(let schema, let isDryRun, let options):
        try define(schema, isDryRun: isDryRun, options, call, session)
      case .beginMigration(let request):
        try beginMigration(request, call, session, caller)
      case .commitMigration(let takesBackup):
        try commitMigration(takesBackup: takesBackup, session, caller)
      case .abortMigration:
        try abortMigration(session, caller)
      case .openContainer(let request):
        try open(request, session, caller)
      case .closeContainer(let name):
        try closeContainer(name, caller)
      default:
        throw DepotError(.bug, "\"\(call.operation.name)\" isn't an exclusive call.")
      }
    } catch {
      end(caller, .failure(error))
    }
  }

  /// Answers an exclusive call, and continues with the calls that waited for it.
  func end(_ caller: Caller, _ result: Result<JSONValue, DepotError>) {
    guard let session = sessions[caller.connection], session.queue.exclusive == caller.call,
      !session.state.isClosing
    else { return }
    session.queue.end(caller.call)
    end(caller.call, of: session, result)
    if session.queue.hasWaiting { enqueue(session) }
  }

  /// Answers a call with its result.
  func end(_ id: Int64, of session: Session, _ result: Result<JSONValue, DepotError>) {
    var isError = false
    switch result {
    case .success(let value):
      session.reply(to: id).ok(to: &session.output.writer) { $0.write(value) }
    case .failure(let error):
      session.fail(id, error)
      isError = true
    }
    scheduleFlush(session)
    finish(id, of: session, isError: isError)
  }

  private func define(
    _ schema: Schema,
    isDryRun: Bool,
    _ options: MigrationOptions,
    _ call: Call,
    _ session: Session
  ) throws(DepotError) {
    let container = try container(call.container, session)
    guard container.migration == nil || container.migration?.new === container else {
      throw DepotError(.usage, "The schema can't be defined while it is being migrated.")
    }
    let control = session.calls[call.id]?.control ?? CallControl()
    if container.isUndivided, let host = container.only, !host.isReadOnly {
      try requireWritable(host)
      let isMigration = !isDryRun && interrupt(container, toDefine: schema)
      let defined = isMigration ? container : nil
      let request = request(call, session, control, defining: defined)
      session.calls[call.id]?.writes = [(host, request.token)]
      return stores.hand(request, to: host)
    }
    try control.check()
    let caller = Caller(session, call)
    try define(
      schema,
      isDryRun: isDryRun,
      options,
      of: container,
      key: key(of: call, session),
      control,
      for: caller
    ) { [self] result in
      end(caller, result.map { .object($0.membersOfSeveral) })
    }
  }

  /// Makes calls be refused while a container's rows are migrated; returns whether they will be.
  private func interrupt(_ container: Container, toDefine schema: Schema) -> Bool {
    let isMigration = container.hosts.contains { host in
      let part = container.isUndivided ? schema : schema.part(of: host.catalog.schema)
      return SchemaUpgrade.isMigration(from: host.catalog.schema, to: part)
    }
    if isMigration { container.interruption = Self.migrating(container) }
    return isMigration
  }

  static func migrating(_ container: Container) -> DepotError {
    DepotError(.migrating, "The container \"\(container.name)\" is being migrated.")
      .hint("Send the call again in a moment; the schema may be another one then.")
  }

  /// Defines a schema over all stores of a container, for a call or for the service itself.
  func define(
    _ schema: Schema,
    isDryRun: Bool = false,
    _ options: MigrationOptions = MigrationOptions(),
    of container: Container,
    key: String? = nil,
    _ control: CallControl,
    for caller: Caller? = nil,
    completion: @escaping SchemaDefinition.Completion
  ) throws(DepotError) {
    // Outcomes of stores have only tokens, which lead to the definition.
    let definition = try SchemaDefinition(
      schema,
      of: container,
      isDryRun: isDryRun,
      options,
      send: { [self] definition, part, host, operation, phase in
        let request = WriteRequest(
          token: pending.add(.definition(definition, part: part)),
          operation: operation,
          key: isDryRun ? nil : key,
          control: control,
          reply: ReplyWriter(id: 1, framing: .lines),
          isBarrier: !isDryRun,
          phase: phase
        )
        // The decision about a prepared definition can't be withdrawn.
        if phase == .whole || phase == .prepare { note(request, to: host, of: caller) }
        stores.hand(request, to: host)
      },
      completion: { result in
        if container.migration == nil { container.interruption = nil }
        completion(result)
      }
    )
    if !isDryRun { _ = interrupt(container, toDefine: schema) }
    definition.begin()
  }
}

extension Server {
  /// Notes a request about to be submitted to a store for a call.
  func note(_ request: WriteRequest, to host: StoreHost, of caller: Caller?) {
    guard let caller else { return }
    sessions[caller.connection]?.calls[caller.call]?.writes.append((host, request.token))
  }
}

extension Schema {
  /// Returns the entities that another schema also has, or had.
  fileprivate func part(of other: Schema) -> Schema {
    Schema(
      version: version,
      entities: entities.filter { entity in
        other[entity.name] != nil || entity.originalName.map { other[$0] != nil } == true
      }
    )
  }
}
