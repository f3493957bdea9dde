internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// The opening and closing of containers, which several connections may share.
extension Server {
  /// The maximal number of descriptors of a store, including its readers.
  static let descriptorsPerStore = 28

  /// Returns the container named `name`, or the session's own if `nil`; the session then uses it.
  ///
  /// - Throws: ``DepotError`` `notfound.container` if it isn't open.
  func container(_ name: String?, _ session: Session) throws(DepotError) -> Container {
    if name == nil, let container = session.container, container.state == .open,
      !container.isInterrupted
    {
      return container
    }
    let wanted = name ?? session.hello.container
    if let side = try migrationSide(wanted, session) { return side }
    guard let container = stores.containers[wanted] else { throw Self.notFound(wanted) }
    switch container.state {
    case .open: break
    case .opening: throw DepotError(.busy, "The container \"\(wanted)\" is being opened.")
    case .closing, .closed: throw Self.notFound(wanted)
    }
    if let error = container.interruption { throw error }
    if container !== stores.defaultContainer { container.users.insert(session.number) }
    if name == nil { session.container = container }
    return container
  }

  static func notFound(_ name: String) -> DepotError {
    DepotError(.containerNotFound, "There is no container \"\(name)\".")
      .hint("Open it with container.open; a restarted service has none open.")
  }

  // MARK: - Opening

  /// Opens a container, or shares one that is open.
  func open(_ request: ContainerRequest, _ session: Session, _ caller: Caller) throws(DepotError) {
    guard let container = stores.containers[request.name] else {
      return try create(request, session, caller)
    }
    switch container.state {
    case .closing, .closed:
      container.whenClosed.append { [self] in retry(request, caller) }
    case .opening, .open:
      if let error = container.interruption { throw error }
      guard Self.isSame(container.stores, request.stores) else {
        throw DepotError(
          .containerDiffers,
          "The container \"\(request.name)\" is open with other stores."
        )
        .hint("Open it as it is, close it first, or use another name.")
      }
      if container.state == .open { return try join(container, request, session, caller) }
      container.whenOpen.append { [self] error in
        if let error { return end(caller, .failure(error)) }
        retry(request, caller)
      }
    }
  }

  /// Opens a container again after an obstacle is gone.
  private func retry(_ request: ContainerRequest, _ caller: Caller) {
    guard let session = sessions[caller.connection] else { return }
    do throws(DepotError) {
      try open(request, session, caller)
    } catch {
      end(caller, .failure(error))
    }
  }

  /// Whether two requests mean the same stores, in any order of their entities.
  private static func isSame(_ left: [ContainerStore], _ right: [ContainerStore]) -> Bool {
    func sorted(_ stores: [ContainerStore]) -> [ContainerStore] {
      stores.map { store in
        var store = store
        store.entities?.sort()
        return store
      }
    }
    return sorted(left) == sorted(right)
  }

  private func join(
    _ container: Container,
    _ request: ContainerRequest,
    _ session: Session,
    _ caller: Caller
  ) throws(DepotError) {
    container.users.insert(session.number)
    if request.keeps { container.keeps = true }
    try settle(container, request, session, caller, isOpener: false)
  }

  private func create(
    _ request: ContainerRequest,
    _ session: Session,
    _ caller: Caller
  ) throws(DepotError) {
    guard session.role != .reader else {
      throw session.mayOnlyRead.hint("Let a user who may write open the container first.")
    }
    try checkRoom(for: request.stores.count)
    var made: [StoreHost] = []
    for (index, store) in request.stores.enumerated() {
      let configuration = try configuration(of: store, at: index, session)
      if made.contains(where: { $0.configuration.path == configuration.path }) {
        let place = configuration.cluster?.description ?? configuration.path
        throw DepotError(.usage, "Two stores are to be in \(place).")
          .at("/args/stores/\(index)")
      }
      made.append(makeHost(store.name, configuration, entities: store.entities))
    }
    let container = Container(
      name: request.name,
      stores: request.stores,
      hosts: made,
      keeps: request.keeps
    )
    stores.add(container)
    for host in made { host.willOpen() }
    opener.open(made.map { ($0.number, $0.configuration) }) { [self] outcome in
      didOpen(container, outcome, request, caller)
    }
  }

  /// Makes a host for a store that is about to be opened.
  func makeHost(
    _ name: String,
    _ configuration: StoreConfiguration,
    entities: [String]? = nil
  ) -> StoreHost {
    StoreHost(
      number: stores.takeNumber(),
      name: name,
      configuration: configuration,
      entities: entities,
      inbox: inbox,
      opener: opener
    )
  }

  private func checkRoom(for count: Int) throws(DepotError) {
    let others = stores.hosts.count - stores.defaultContainer.hosts.count
    guard others + count <= Limits.stores else {
      throw DepotError(.tooManyStores, "\(others) stores are open; \(Limits.stores) may be.")
        .hint("Close a container that nobody needs.")
    }
    // Clients need descriptors too.
    let wanted = (stores.hosts.count + count) * Self.descriptorsPerStore + 64
    guard wanted <= max(Process.descriptorLimit, 2 * Self.descriptorsPerStore + 64) else {
      throw DepotError(.tooManyStores, "The service may not open enough files for more stores.")
        .hint("Raise its limit of open files (LimitNOFILE, ulimit -n).")
    }
  }

  private func didOpen(
    _ container: Container,
    _ outcome: StoreOpener.Outcome,
    _ request: ContainerRequest,
    _ caller: Caller
  ) {
    do throws(DepotError) {
      var rest = try outcome.get()[...]
      for host in container.hosts {
        guard let opened = rest.first else { break }
        do throws(DepotError) {
          try host.adopt(opened)
        } catch {
          StoreOpener.close(rest) {}
          throw error
        }
        rest.removeFirst()
      }
      container.refresh()
      try container.checkPlacement()
    } catch {
      for host in container.hosts where !host.isOpen { host.didFailToOpen(error) }
      return abandon(container) { [self] in
        end(caller, .failure(error))
        for body in container.whenOpen { body(error) }
      }
    }
    container.state = .open
    log.write(.info, "container opened", [("name", .text(container.name))])
    for host in container.hosts { logCluster(of: host) }
    let session = sessions[caller.connection]
    if let session {
      container.users.insert(session.number)
      do throws(DepotError) {
        try settle(container, request, session, caller, isOpener: true)
      } catch {
        giveUp(container, caller, error)
      }
    }
    let waiting = container.whenOpen
    container.whenOpen = []
    for body in waiting { body(nil) }
    closeIfAbandoned(container)
  }

  /// Defines the schema if there is one, and answers.
  private func settle(
    _ container: Container,
    _ request: ContainerRequest,
    _ session: Session,
    _ caller: Caller,
    isOpener: Bool
  ) throws(DepotError) {
    guard let schema = request.schema else {
      return end(caller, .success(description(of: container, opened: isOpener, changes: [])))
    }
    if session.role == .reader, container.schema.fingerprint != schema.fingerprint {
      throw session.mayOnlyRead
    }
    let options = MigrationOptions(allows: request.allows)
    let control = session.calls[caller.call]?.control ?? CallControl()
    try define(schema, options, of: container, control) {
      [self] result in
      switch result {
      case .success(let outcome):
        end(
          caller,
          .success(description(of: container, opened: isOpener, changes: outcome.changes))
        )
      case .failure(let error):
        if isOpener { giveUp(container, caller, error) } else { end(caller, .failure(error)) }
      }
    }
  }

  /// Closes a new container whose schema couldn't be defined, unless others use it by now.
  private func giveUp(_ container: Container, _ caller: Caller, _ error: DepotError) {
    container.users.remove(caller.connection)
    guard container.state == .open, container.users.isEmpty, container.whenOpen.isEmpty else {
      return end(caller, .failure(error))
    }
    close(container) { [self] in end(caller, .failure(error)) }
  }

  // MARK: - Closing

  func closeContainer(_ name: String, _ caller: Caller) throws(DepotError) {
    guard name != stores.defaultContainer.name else {
      throw DepotError(.usage, "The container \"\(name)\" is open as long as the service runs.")
        .at("/args/name")
    }
    guard let container = stores.containers[name], container.state == .open else {
      throw Self.notFound(name)
    }
    if let error = container.interruption { throw error }
    close(container) { [self] in end(caller, .success(.object([:]))) }
  }

  /// Notes that a session no longer uses any container.
  func leaveContainers(_ session: Session) {
    guard stores.containers.count > 1 else { return }
    for container in stores.namedContainers where container.users.remove(session.number) != nil {
      closeIfAbandoned(container)
    }
  }

  private func closeIfAbandoned(_ container: Container) {
    if container.isAbandoned { close(container) {} }
  }

  /// Closes an open container; accepted writes are stored and answered before.
  private func close(_ container: Container, completion: @escaping () -> Void) {
    log.write(.info, "container closed", [("name", .text(container.name))])
    abandon(container, completion: completion)
  }

  private func abandon(_ container: Container, completion: @escaping () -> Void) {
    container.state = .closing
    container.whenClosed.append(completion)
    for host in container.hosts {
      host.suspend(Self.notFound(container.name)) { [self] in
        guard container.state == .closing, container.hosts.allSatisfy({ !$0.isActive }) else {
          return
        }
        didClose(container)
      }
    }
  }

  private func didClose(_ container: Container) {
    container.state = .closed
    stores.remove(container)
    let waiting = container.whenClosed
    container.whenClosed = []
    for body in waiting { body() }
  }
}
