internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

extension Server {
  /// Begins to end, in order to hand the socket over to the caller when the stores are closed.
  ///
  /// - Throws: ``DepotError`` `request.usage` if the caller has another store, `unavailable.busy`
  ///   if a handover has begun already.
  func beginTakeover(_ store: String, _ call: Call, _ session: Session) throws(DepotError) {
    let path = configuration.storeName
    guard store == path || FileSystem.isSameFile(store, path) else {
      throw DepotError(.usage, "This service has the store \(path), not \(store).")
        .hint("Start the other one with --store \(path).").at("/args/store")
    }
    guard isServing else {
      throw DepotError(.busy, "The service is ending already.")
    }
    session.calls[call.id] = running(call)
    var handover = Handover(connection: session.number, call: call.id)
    pauseListener()
    // Clients that have sent nothing yet are handed over without noticing.
    for client in sessions.values where client.hasReceivedNothing {
      sessions.remove(client)
      loop.remove(client.descriptor)
      handover.clients.append(client.descriptor)
    }
    drain("process \(session.peer.process) takes over", for: .handover(handover))
  }

  /// Sends the socket to the other service once the stores are closed, or resumes if that is gone.
  func handOver(_ handover: Handover) {
    guard let session = sessions[handover.connection], let listener = acceptor.listener
    else {
      return resume(handover)
    }
    let (names, descriptors) = listener.handOver()
    var writer = JSONWriter()
    session.reply(to: handover.call).object(to: &writer) { writer in
      writer.member("descriptors", names + handover.clients.map { _ in "connection" })
    }
    let passed = descriptors + handover.clients
    guard session.descriptor.sendAll(writer.bytes, passing: passed) else { return end(session) }
    session.calls = [:]
    session.state.finish(handover.call)
    phase = .handedOver(handover)
    log.write(.notice, "handed over", [("pid", .number(session.peer.process))])
  }

  /// Ends, since the other service is serving.
  func finishTakeover(_ session: Session) {
    notifier?.send("MAINPID=\(session.peer.process)")
    phase = .ended(status: 0)
  }

  /// Serves again, since the other service couldn't.
  ///
  /// Only the service's own container is open then.
  func resume(_ handover: Handover) {
    phase = .resuming(handover, mustEnd: false)
    log.write(.warning, "the other service is gone; serving again")
    stores.reset()
    guard let host = stores.defaultContainer.only else { return }
    host.reopen { [self] result in
      if case .failure(let error) = result {
        log.write(.error, "the store can't be opened again", [("error", .text("\(error)"))])
        phase = .ended(status: 75)
        return
      }
      let mustEnd = if case .resuming(_, true) = phase { true } else { false }
      phase = .serving
      for client in handover.clients { adopt(client) }
      if mustEnd { drain("signal") } else { watchListener() }
    }
  }

  /// Serves a client that another service had accepted.
  func adopt(_ client: Descriptor) {
    do throws(SystemError) {
      try open(client, UnixSocket.peer(of: client))
    } catch {
      log.write(.warning, "a client is lost", [("error", .text("\(error)"))])
    }
  }
}

extension Descriptor {
  /// Sends bytes, passing with the first ones as many descriptors as the kernel accepts.
  ///
  /// - Returns: Whether all were sent.
  fileprivate func sendAll(_ bytes: [UInt8], passing descriptors: [Descriptor]) -> Bool {
    var (rest, start) = (descriptors[...], 0)
    while start < bytes.count {
      let part = Array(rest.prefix(Descriptor.mostPassed))
      rest = rest.dropFirst(part.count)
      let end = rest.isEmpty ? bytes.count : start + 1
      let sent = bytes.withUnsafeBytes {
        try? send(UnsafeRawBufferPointer(rebasing: $0[start..<end]), passing: part)
      }
      guard sent == end - start else { return false }
      start = end
    }
    return true
  }
}

extension Session {
  /// Whether the client has sent nothing so far.
  fileprivate var hasReceivedNothing: Bool {
    state.isAwaitingHello && state.refusal == nil && decoder.framing == nil
      && decoder.pendingCount == 0 && input != .ended
  }
}
