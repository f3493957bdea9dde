internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

extension Server {
  /// Begins to take the snapshots of a pin; the call is answered when all are taken.
  func pin(_ call: Call, maxAgeMilliseconds age: Int?, _ session: Session) throws(DepotError) {
    let container = try container(call.container, session)
    guard session.pins.count < Limits.pins else {
      throw DepotError(.tooManyPins, "\(Limits.pins) pins are held on this connection.")
        .hint("Give one up with unpin.")
    }
    guard sessions.values.reduce(0, { $0 + $1.pins.count }) < Limits.allPins else {
      throw DepotError(.tooManyPins, "\(Limits.allPins) pins are held by all connections.")
        .hint("Each of them ends when it isn't read for \(configuration.pinMilliseconds) ms.")
    }
    for host in container.hosts where host.readers == nil { throw host.refusal }
    let longest = configuration.pinMilliseconds
    let milliseconds = min(age ?? longest, longest)
    let lease = SnapshotLease(nanoseconds: UInt64(milliseconds) * 1_000_000)
    let snapshot = ContainerSnapshot(container, lease)
    let name = Self.makeInstance()
    session.pins[name] = snapshot
    session.calls[call.id] = session.calls[call.id] ?? running(call)
    session.calls[call.id]?.pin = name
    let caller = Caller(session, call)
    for host in container.hosts {
      guard let readers = host.readers, let store = host.store else { continue }
      let pinned = Inbox.Pinned(caller: caller, name: name, store: host.number)
      let pin = readers.pin(
        host.catalog,
        store: store.storeIdentifier,
        for: lease
      ) { [inbox] result in inbox.post(.pinned(pinned, result)) }
      snapshot.add(host, pin)
    }
  }

  /// Notes a taken snapshot, and answers the call if it was the last one.
  func didPin(_ pinned: Inbox.Pinned, _ result: Result<SharedSnapshot.Facts, DepotError>) {
    let id = pinned.caller.call
    guard let session = session(of: pinned.caller), let snapshot = session.pins[pinned.name],
      let call = session.calls[id]
    else { return }
    do throws(DepotError) {
      guard snapshot.complete(pinned.store, try result.get()) else { return }
      try call.control.check()
      if let end = snapshot.end(now) { throw end }
      snapshot.lease.use(at: now)
      session.reply(to: id).object(to: &session.output.writer) { writer in
        writer.member("pin", pinned.name)
        if let token = snapshot.token { writer.member("token", token) }
        writer.member("expiresMs", Int(snapshot.lease.nanoseconds / 1_000_000))
      }
      finish(id, of: session, isError: false)
    } catch {
      session.pins[pinned.name] = nil
      snapshot.end(error)
      session.fail(id, error)
      finish(id, of: session, isError: true)
    }
    scheduleFlush(session)
  }

  /// Releases a pin.
  ///
  /// - Throws: ``DepotError`` `stream.expired` if the connection has no such pin.
  func unpin(_ name: String, _ session: Session) throws(DepotError) {
    let snapshot = try snapshot(name, session)
    session.pins[name] = nil
    snapshot.end(DepotError(.cancelled, "The client gave up the pin."))
  }

  private func snapshot(_ name: String, _ session: Session) throws(DepotError) -> ContainerSnapshot
  {
    guard let snapshot = session.pins[name] else { throw .pinExpired }
    if let end = snapshot.end(now) {
      session.pins[name] = nil
      snapshot.end(end)
      throw end
    }
    return snapshot
  }

  /// Begins a read from a pinned snapshot.
  func read(
    _ call: Call,
    _ running: RunningCall,
    pinned name: String,
    _ session: Session
  ) throws(DepotError) {
    let snapshot = try snapshot(name, session)
    if let other = call.container, other != snapshot.container.name {
      throw DepotError(.usage, "The pin is of the container \"\(snapshot.container.name)\".")
        .at("/container")
    }
    let (host, pin, catalog) = try snapshot.part(of: call.operation)
    snapshot.lease.use(at: now)
    guard host.reader != nil else { throw host.refusal }
    try readLong(call, running, of: host, session, catalog: catalog, pin: pin)
  }

  /// Ends the snapshots that a connection pinned.
  func endPins(_ session: Session) {
    for snapshot in session.pins.values {
      snapshot.end(.connectionEnded)
    }
    session.pins = [:]
  }

  /// Ends expired pins, and also snapshots that keep a log from being restarted.
  ///
  /// - Returns: Whether to call this again soon.
  func tendSnapshots() -> Bool {
    var isBusy = false
    for host in stores.hosts {
      host.readers?.expirePins()
      if host.served?.boundLog(configuration.logBytes) == true { isBusy = true }
    }
    for session in sessions.values {
      for name in session.pins.keys { _ = try? snapshot(name, session) }
    }
    return isBusy
  }
}
