internal import DepotEngine
internal import DepotProtocol

/// Custom migrations of containers, on a copy that one connection works with.
extension Server {
  /// Returns the container that is one side of a connection's migration; `nil` for other names.
  ///
  /// - Throws: ``DepotError`` `notfound.container` if the connection migrates no container of that
  ///   name.
  func migrationSide(_ name: String, _ session: Session) throws(DepotError) -> Container? {
    let isOld = name.hasSuffix(MigrationRequest.oldSuffix)
    guard isOld || name.hasSuffix(MigrationRequest.newSuffix) else { return nil }
    let base = stores.containers[String(name.dropLast(MigrationRequest.oldSuffix.count))]
    guard let migration = base?.migration, migration.owner == session.number,
      let side = isOld ? migration.old : migration.new
    else {
      throw DepotError(.containerNotFound, "There is no container \"\(name)\".")
        .hint("Only the connection that began a migration sees both sides, until it ends.")
    }
    return side
  }

  private func migration(of session: Session) throws(DepotError) -> RunningMigration {
    let found = stores.containers.values.lazy.compactMap(\.migration).first {
      $0.owner == session.number
    }
    guard let found, found.stage == .open else {
      throw DepotError(.usage, "This connection has no running migration.").hint(
        "Send migration.begin first."
      )
    }
    return found
  }

  // MARK: - Beginning

  /// Closes the container to all others, and makes the copy.
  func beginMigration(
    _ request: MigrationRequest,
    _ call: Call,
    _ session: Session,
    _ caller: Caller
  ) throws(DepotError) {
    let container = try container(call.container, session)
    let isBusy = stores.containers.values.contains { $0.migration?.owner == session.number }
    guard !isBusy, container.migration == nil else {
      throw DepotError(.usage, "This connection is in a migration already.")
        .hint("Commit it or abort it first.")
    }
    guard container.isUndivided, let host = container.only, !host.configuration.isInMemory else {
      throw DepotError(
        .usage,
        "Only a container with one store in a file can be migrated in stages."
      )
      .hint(
        "Define the new schema, if it can be inferred, or open the store's file in a container of its own "
          + "and migrate that."
      )
    }
    guard host.configuration.cluster == nil else {
      throw DepotError.unsupported("custom stages")
        .hint("Migrate a backup in a file, and restore that into the database.")
    }
    try requireWritable(host)
    let migration = RunningMigration(container, host, owner: session.number)
    container.interruption = Self.migrating(container)
    container.migration = migration
    log.write(.notice, "migration begins", [("container", .text(container.name))])
    send(call.operation, to: host, of: caller) { [self] result in
      switch result {
      case .success(let value): didCopy(migration, value, caller)
      case .failure(let error):
        migration.end()
        end(caller, .failure(error))
      }
    }
  }

  /// Submits an operation of the server's own to a store, for a call.
  private func send(
    _ operation: Operation,
    to host: StoreHost,
    of caller: Caller,
    completion: @escaping (Result<JSONValue, DepotError>) -> Void
  ) {
    let session = sessions[caller.connection]
    let request = WriteRequest(
      token: pending.add(.server { completion(StoreAnswer.result($0)) }),
      operation: operation,
      control: session?.calls[caller.call]?.control ?? CallControl(),
      reply: ReplyWriter(id: 1, framing: .lines),
      isBarrier: true,
      author: session?.hello.author,
      process: session?.hello.process
    )
    note(request, to: host, of: caller)
    stores.hand(request, to: host)
  }

  private func didCopy(_ migration: RunningMigration, _ value: JSONValue, _ caller: Caller) {
    var configuration = StoreConfiguration(
      path: StoreCopies.migrating(migration.host.configuration.path)
    )
    configuration.isScratch = true
    configuration.history = migration.host.configuration.history
    let copy = makeHost(migration.host.name, configuration)
    stores.add(copy)
    migration.copy = copy
    copy.willOpen()
    opener.open([(copy.number, configuration)]) { [self] outcome in
      do throws(DepotError) {
        guard let opened = try outcome.get().first else { return }
        try copy.adopt(opened)
      } catch {
        copy.didFailToOpen(error)
        return abandon(migration) { [self] in end(caller, .failure(error)) }
      }
      migration.open(copy)
      // The client that began it may be gone by now.
      guard sessions[migration.owner] != nil else { return abandon(migration) {} }
      end(caller, .success(value))
    }
  }

  // MARK: - Ending

  func commitMigration(takesBackup: Bool, _ session: Session, _ caller: Caller) throws(DepotError) {
    let migration = try migration(of: session)
    guard let copy = migration.copy else { return }
    migration.stage = .ending
    send(.commitMigration(takesBackup: takesBackup), to: copy, of: caller) { [self] result in
      switch result {
      case .success(let value): exchange(migration, value, takesBackup: takesBackup, caller)
      case .failure(let error):
        migration.stage = .open
        end(caller, .failure(error))
        if sessions[migration.owner] == nil { abandon(migration) {} }
      }
    }
  }

  /// Closes both stores, replaces the old one by the copy, and opens it.
  private func exchange(
    _ migration: RunningMigration,
    _ value: JSONValue,
    takesBackup: Bool,
    _ caller: Caller
  ) {
    guard let copy = migration.copy else { return }
    let error = Self.migrating(migration.container)
    let copies = StoreCopies(of: migration.host.configuration.path)
    copy.suspend(error) { [self] in
      stores.remove(copy)
      migration.host.suspend(error, keepsLock: true) { [self] in
        let backup = takesBackup ? copies.nextBackup(of: migration.version) : nil
        opener.run { () throws(DepotError) in
          try copies.swap(keepingOldAt: backup)
        } completion: { [self] result in
          didExchange(migration, result.map { Self.result(value, backup) }, caller)
        }
      }
    }
  }

  private static func result(_ value: JSONValue, _ backup: String?) -> JSONValue {
    var members = value.object ?? [:]
    if let backup { members["backup"] = .string(backup) }
    return .object(members)
  }

  private func didExchange(
    _ migration: RunningMigration,
    _ result: Result<JSONValue, DepotError>,
    _ caller: Caller
  ) {
    if case .failure = result { StoreCopies(of: migration.host.configuration.path).removeCopy() }
    migration.host.reopen { [self] reopened in
      migration.end()
      log.write(.notice, "migration ends", [("container", .text(migration.container.name))])
      switch reopened {
      case .success: end(caller, result)
      case .failure(let error): end(caller, .failure(error))
      }
    }
  }

  func abortMigration(_ session: Session, _ caller: Caller) throws(DepotError) {
    let migration = try migration(of: session)
    abandon(migration) { [self] in end(caller, .success(.object([:]))) }
  }

  /// Abandons a migration whose connection has ended.
  func leaveMigration(_ session: Session) {
    if let migration = try? migration(of: session) { abandon(migration) {} }
  }

  /// Removes the copy, and serves the store again.
  private func abandon(_ migration: RunningMigration, completion: @escaping () -> Void) {
    migration.stage = .ending
    guard let copy = migration.copy else {
      migration.end()
      return completion()
    }
    copy.suspend(Self.migrating(migration.container)) { [self] in
      stores.remove(copy)
      StoreCopies(of: migration.host.configuration.path).removeCopy()
      log.write(.notice, "migration given up", [("container", .text(migration.container.name))])
      migration.end()
      completion()
    }
  }
}
