internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// The accepting, admitting, and closing of connections.
extension Server {
  /// Watches the listening socket.
  func watchListener() {
    guard sessions.count < acceptableConnections else { return }
    do throws(SystemError) {
      try acceptor.watch(in: loop, token: Self.listenerToken)
    } catch {
      log.write(.error, "the socket can't be watched", [("error", .text("\(error)"))])
    }
  }

  /// Stops accepting for a while; the kernel queues new clients.
  func pauseListener() { acceptor.pause(in: loop) }

  /// The most accepted connections, including those accepted only to be refused.
  ///
  /// The readers and the store must not run out of descriptors because of clients.
  private var acceptableConnections: Int {
    let kept = Self.descriptorsPerStore * stores.hosts.count
    return min(2 * configuration.maximumConnections, max(1, Process.descriptorLimit - kept))
  }

  func acceptAll() {
    // Accepting may have been paused after the kernel reported waiting clients.
    guard let listener = acceptor.watched else { return }
    for _ in 0..<64 {
      guard sessions.count < acceptableConnections else {
        log.write(.warning, "not accepting", [("connections", .number(sessions.count))])
        return pauseListener()
      }
      do throws(SystemError) {
        let descriptor = try UnixSocket.accept(from: listener.descriptor)
        let peer = try UnixSocket.peer(of: descriptor)
        try open(descriptor, peer)
        noteExhaustion(nil)
      } catch {
        if error.wouldBlock { return }
        guard error.isExhaustion else { continue }
        noteExhaustion(error)
        schedule.tick = now + Self.acceptPause
        return pauseListener()
      }
    }
  }

  /// The time in nanoseconds after which accepting is tried again.
  static let acceptPause: UInt64 = 100_000_000

  /// Whether clients may be waiting while the socket isn't watched.
  var isAcceptingPaused: Bool { isServing && acceptor.isPaused }

  /// Logs once when descriptors or memory for clients run out, and once when there are some again.
  private func noteExhaustion(_ error: SystemError?) {
    guard (error != nil) != acceptor.isExhausted else { return }
    acceptor.isExhausted = error != nil
    if let error {
      log.write(.warning, "out of descriptors; not accepting", [("error", .text("\(error)"))])
    } else {
      log.write(.notice, "accepting again")
    }
  }

  /// Begins to serve a client.
  func open(_ descriptor: Descriptor, _ peer: UnixSocket.Peer) throws(SystemError) {
    let role = role(of: peer, at: descriptor)
    let refusal = refusal(of: peer, role)
    let session = Session(
      number: sessions.makeNumber(),
      descriptor: descriptor,
      inbox: inbox,
      peer: peer,
      role: role,
      refusal: refusal,
      now: now
    )
    statistics.connectionsTotal += 1
    if refusal != nil { statistics.connectionsRefused += 1 }
    try loop.add(descriptor, token: session.number)
    sessions.add(session)
  }

  /// The error that a new connection gets, unless it is served.
  private func refusal(of peer: UnixSocket.Peer, _ role: AccessPolicy.Role?) -> DepotError? {
    if role == nil {
      return DepotError(.peer, "User \(peer.user) may not use this service.")
        .hint(
          "Its owner can allow it with --allow-user \(peer.user), or one of its groups with "
            + "--allow-group."
        )
    }
    guard sessions.count >= configuration.maximumConnections else { return nil }
    return DepotError(
      .tooManyConnections,
      "\(configuration.maximumConnections) connections are open already."
    )
  }

  /// Returns a peer's role; looks its groups up only if a rule is about groups.
  private func role(
    of peer: UnixSocket.Peer,
    at descriptor: Descriptor
  ) -> AccessPolicy.Role? {
    var peer = peer
    if access.namesGroups, let groups = try? UnixSocket.supplementaryGroups(of: descriptor) {
      peer.supplementaryGroups = groups
    }
    return access.role(of: peer, owner: ownerUser)
  }

  /// Closes a connection and drops its uncommitted work.
  func end(_ session: Session) {
    guard sessions.remove(session) else { return }
    session.revokeDirectAnswer()
    session.socket.close()
    loop.remove(session.descriptor)
    cancelAll(session)
    leaveMigration(session)
    dropUploads(session)
    leaveContainers(session)
    if isServing { watchListener() }
    if case .handedOver(let handover) = phase, handover.connection == session.number {
      resume(handover)
    }
  }

  /// Stops the calls of a session that ends, and frees their resources.
  private func cancelAll(_ session: Session) {
    for (id, call) in session.calls {
      call.control.cancel()
      call.stream?.wake()
      for (host, token) in call.writes { host.stopped[token] = .connectionEnded }
      session.state.finish(id)
    }
    session.calls = [:]
    session.held = nil
    endPins(session)
  }

  /// Sends an error that belongs to no call, and closes the connection afterwards.
  func close(_ session: Session, _ error: DepotError) {
    session.send(error)
    session.state.close()
    session.socket.close()
    session.queue.removeWaiting()
    session.staged = StagedSaves()
    cancelAll(session)
    scheduleFlush(session)
    log.write(
      .info,
      "connection closed",
      [
        ("connection", .number(session.number)), ("code", .text(error.code.rawValue)),
        ("uid", .number(session.peer.user)), ("pid", .number(session.peer.process)),
      ]
    )
  }

  /// Ends a connection whose client doesn't read, and drops its unsent answers.
  ///
  /// If the client reads again before the connection is closed, it receives the reason.
  func cutOff(_ session: Session, _ reason: String) {
    let fields: [(String, ServerLog.Value)] = [
      ("connection", .number(session.number)), ("why", .text(reason)),
    ]
    log.write(.warning, "client cut off", fields)
    session.revokeDirectAnswer()
    session.output.dropWaiting()
    session.lastProgress = now
    close(session, DepotError(.outboundTooLarge, reason).hint("Read the answers as they come."))
  }

  /// Answers hello.
  func welcome(_ session: Session, _ hello: Hello, _ version: Int) {
    session.hello = HelloValues(hello, peer: session.peer.process)
    let container = try? container(nil, session)
    let store = container.flatMap { container in
      container.hosts.first?.store.map { store in
        JSONValue.object([
          "uuid": .string(store.storeIdentifier), "schema": .string(container.fingerprint),
        ])
      }
    }
    let server: [String: JSONValue] = [
      "name": .string("depotd"), "version": .string(ProtocolVersion.software),
      "instance": .string(instance), "pid": .int64(Int64(Process.identifier)),
    ]
    let welcome = Welcome(
      version: version,
      server: .object(server),
      connection: session.number,
      features: ProtocolVersion.features,
      limits: Limits.announced,
      store: store ?? .null,
      container: hello.container
    )
    session.send { $0.write(welcome) }
  }
}

extension DepotError {
  /// The reason why a connection's requests end with it.
  static let connectionEnded = DepotError(.cancelled, "The connection ended.")
}
