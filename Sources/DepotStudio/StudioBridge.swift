package import DepotLinux
package import DepotProtocol
internal import Synchronization

/// Serves the page, and relays messages between its WebSockets and the service.
///
/// One WebSocket is one session with the service, with its limits, credit, and errors. The bridge belongs to the thread
/// that made it.
package final class StudioBridge {
  let configuration: StudioConfiguration
  let end: StudioEnd
  let page = PageFiles()
  var gate: Gate
  var connections: [Int64: BrowserConnection] = [:]
  private var listeners: [Descriptor] = []
  private var nextNumber: Int64 = 16
  private let buffer = ReceiveBuffer()
  private let work = DiagramWork()
  var now = Monotonic.now()

  var loop: EventLoop { end.loop }
  var limits: StudioLimits { configuration.limits }

  /// Listens on the loopback addresses.
  ///
  /// - Throws: ``DepotError`` `unavailable.busy` if the port is in use or there are no more
  ///   descriptors, `permission.file` if only root may use it.
  package init(_ configuration: StudioConfiguration, end: StudioEnd) throws(DepotError) {
    self.configuration = configuration
    self.end = end
    do throws(SystemError) {
      listeners = try Self.listen(port: configuration.port)
      gate = Gate(port: try LoopbackSocket.port(of: listeners[0]))
      for (token, listener) in listeners.enumerated() {
        try loop.add(listener, token: Int64(token))
      }
    } catch {
      throw Self.failure(error, configuration.port)
    }
  }

  /// The port that it listens on.
  package var port: UInt16 { gate.port }

  /// Returns the address of the page with a new token, which can be used once.
  package func makeAddress() -> String { gate.makeAddress() }

  /// Listens on the same port of both addresses; a machine may have no address of version 6.
  private static func listen(port: UInt16) throws(SystemError) -> [Descriptor] {
    for _ in 0..<16 {
      let first = try LoopbackSocket.listen(.v4, port: port)
      do throws(SystemError) {
        let port = try LoopbackSocket.port(of: first)
        return [first, try LoopbackSocket.listen(.v6, port: port)]
      } catch {
        if error.isMissingAddress { return [first] }
        // Another free port may be free on both addresses.
        guard error.isAddressInUse, port == 0 else { throw error }
      }
    }
    throw SystemError(call: "bind", code: 98)
  }

  private static func failure(_ error: SystemError, _ port: UInt16) -> DepotError {
    if error.isAddressInUse {
      return DepotError(.busy, "Another program listens on port \(port).")
        .hint("Choose another with --port, or none, so that a free one is taken.")
    }
    if error.isPermission {
      return DepotError(.filePermission, "Only root may listen on port \(port).")
        .hint("Choose one from 1024 on with --port.")
    }
    return DepotError(.busy, "Depot Studio can't listen: \(error).")
  }

  /// Serves pages until the bridge is asked to end, and then closes all sessions.
  ///
  /// - Parameters:
  ///   - others: Further descriptors to wait for.
  ///   - ready: A closure that is called with each of them that can be read.
  /// - Throws: ``SystemError`` if there are no more descriptors.
  package func run(
    besides others: [Descriptor] = [],
    ready: (Descriptor) -> Void = { _ in }
  ) throws(SystemError) {
    let first = listeners.count
    for (index, other) in others.enumerated() { try loop.add(other, token: Int64(first + index)) }
    var events: [EventLoop.Event] = []
    while !end.isAsked {
      loop.wait(milliseconds: pause, &events)
      now = Monotonic.now()
      for event in events {
        if event.token < first {
          accept(from: listeners[Int(event.token)])
        } else if event.token < 16 {
          ready(others[Int(event.token) - first])
        } else {
          handle(event)
        }
      }
      answerWaiting()
      endLate()
    }
    for other in others { loop.remove(other) }
    close(&events)
  }

  /// Closes all connections, with a reason for WebSockets.
  private func close(_ events: inout [EventLoop.Event]) {
    for listener in listeners { loop.remove(listener) }
    listeners = []
    for connection in Array(connections.values) {
      if connection.isForRequests {
        drop(connection)
      } else {
        goodbye(connection, 1001, "Depot Studio has ended.")
        move(connection)
      }
    }
    let last = Monotonic.now() + UInt64(limits.endMilliseconds) * 1_000_000
    while !connections.isEmpty, Monotonic.now() < last {
      loop.wait(milliseconds: min(pause < 0 ? 50 : pause, 50), &events)
      now = Monotonic.now()
      for event in events where event.token >= 16 { handle(event) }
      endLate()
    }
    connections = [:]
  }

  /// The time to wait for events in milliseconds; -1 for no limit if nothing has a deadline.
  private var pause: Int32 {
    guard let next = connections.values.lazy.map(\.deadline).min(), next < .max else { return -1 }
    return next <= now ? 0 : Int32(clamping: (next - now) / 1_000_000 + 1)
  }

  /// Returns the monotonic time after a number of milliseconds.
  func moment(in milliseconds: Int) -> UInt64 { now + UInt64(milliseconds) * 1_000_000 }

  private func endLate() {
    for connection in Array(connections.values) where connection.deadline <= now {
      if case .requests(let begun) = connection.phase, !begun.isEmpty, connection.output.isEmpty {
        answer(HTTPResponse(HTTPFault(.requestTimeout, "The request took too long.")), connection)
        move(connection)
      } else {
        drop(connection)
      }
    }
  }
}

// MARK: The diagram

extension StudioBridge {
  /// Lets a connection wait for the diagram, which is being drawn already or is from now on.
  ///
  /// - Returns: An answer if it can't be drawn.
  func awaitDiagram(_ connection: BrowserConnection) -> HTTPResponse? {
    do throws(SystemError) {
      try work.start(configuration.diagram, loop)
    } catch {
      return HTTPResponse(.unavailable, "\(error)")
    }
    connection.waitsForDiagram = true
    connection.deadline = moment(in: limits.idleMilliseconds)
    return nil
  }

  /// Answers the connections that wait for a diagram that has been drawn.
  private func answerWaiting() {
    guard let result = work.takeResult() else { return }
    let response =
      switch result {
      case .success(let text): HTTPResponse("application/json", Array(text.utf8))
      case .failure(let error):
        HTTPResponse(.unavailable, (error as? DepotError)?.message ?? "\(error)")
      }
    for connection in Array(connections.values) where connection.waitsForDiagram {
      connection.waitsForDiagram = false
      answer(response, connection)
      move(connection)
    }
  }
}

/// Draws the diagram on a thread of its own, since that takes long for large schemas and may wait for the service.
private final class DiagramWork: Sendable {
  private enum State {
    case idle
    case drawing
    case drawn(Result<String, any Error>)
  }

  private let state = Mutex(State.idle)

  /// Begins to draw, unless a drawing hasn't been taken yet.
  ///
  /// - Throws: ``SystemError`` if there are no more threads.
  func start(
    _ draw: @escaping @Sendable () throws -> String,
    _ loop: EventLoop
  ) throws(SystemError) {
    let isFirst = state.withLock { state in
      guard case .idle = state else { return false }
      state = .drawing
      return true
    }
    guard isFirst else { return }
    do throws(SystemError) {
      try Thread.start(name: "studio-diagram") { [self] in
        let result = Result { try draw() }
        state.withLock { $0 = .drawn(result) }
        loop.wake()
      }
    } catch {
      state.withLock { $0 = .idle }
      throw error
    }
  }

  func takeResult() -> Result<String, any Error>? {
    state.withLock { state in
      guard case .drawn(let result) = state else { return nil }
      state = .idle
      return result
    }
  }
}

// MARK: Connections

extension StudioBridge {
  /// The most connections to accept at once.
  private static let acceptances = 64

  private func accept(from listener: Descriptor) {
    for _ in 0..<Self.acceptances {
      do throws(SystemError) {
        let descriptor = try UnixSocket.accept(from: listener)
        makeRoom()
        guard connections.count < limits.connections else { continue }
        LoopbackSocket.sendAtOnce(descriptor)
        let deadline = moment(in: limits.headMilliseconds)
        let connection = BrowserConnection(nextNumber, descriptor, deadline: deadline)
        nextNumber += 1
        try loop.add(descriptor, token: connection.token)
        connections[connection.number] = connection
      } catch {
        if error.isExhaustion { drop(oldest: connections.values.filter(\.isForRequests)) }
        return
      }
    }
  }

  /// Ends the oldest connection without an admitted request, so that a flood can't keep the user out; else the oldest
  /// without a WebSocket.
  private func makeRoom() {
    guard connections.count >= limits.connections else { return }
    let idle = connections.values.filter { !$0.isAdmitted && $0.isForRequests }
    drop(oldest: idle.isEmpty ? connections.values.filter { $0.link == nil } : idle)
  }

  private func drop(oldest candidates: [BrowserConnection]) {
    if let oldest = candidates.min(by: { $0.number < $1.number }) { drop(oldest) }
  }

  /// Closes a connection and its session with the service at once.
  func drop(_ connection: BrowserConnection) {
    guard connections.removeValue(forKey: connection.number) != nil else { return }
    loop.remove(connection.descriptor)
    if let link = connection.link { loop.remove(link.descriptor) }
    connection.phase = .ending
  }

  private func handle(_ event: EventLoop.Event) {
    guard let connection = connections[event.token / 2] else { return }
    if event.token % 2 == 0 {
      if event.isReadable {
        receive(connection)
      } else if event.isHangUp {
        drop(connection)
      } else {
        move(connection)
      }
    } else if let link = connection.link {
      if event.isReadable {
        receive(link, of: connection)
      } else if event.isHangUp {
        lose(connection)
      } else {
        move(connection)
      }
    }
  }

  /// Reads from a connection once, at most the size of the buffer.
  ///
  /// - Returns: The bytes, empty at the end; `nil` if there are none now.
  private func read(_ descriptor: Descriptor) -> UnsafeRawBufferPointer? {
    do throws(SystemError) {
      let count = try descriptor.read(into: buffer.bytes)
      return UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count])
    } catch {
      return error.wouldBlock ? nil : UnsafeRawBufferPointer(rebasing: buffer.bytes[..<0])
    }
  }

  private func receive(_ connection: BrowserConnection) {
    guard connection.watched.contains(.reads), let bytes = read(connection.descriptor) else {
      return
    }
    guard !bytes.isEmpty else { return drop(connection) }
    switch connection.phase {
    case .requests(let begun):
      if begun.isEmpty { connection.deadline = moment(in: limits.headMilliseconds) }
      connection.phase = .requests(begun + bytes)
    case .webSocket(var decoder, let link):
      connection.phase = .ending
      decoder.receive(bytes)
      connection.phase = .webSocket(decoder, link)
    case .ending: break
    }
    move(connection)
  }

  /// Sends waiting bytes to both sides and handles received ones, until it would have to wait.
  func move(_ connection: BrowserConnection) {
    var isMoving = true
    while isMoving {
      guard let isSent = send(connection) else { return drop(connection) }
      isMoving = takeNext(connection) || isSent
    }
    if connection.isEnding, connection.output.isEmpty, !connection.isFinished {
      connection.isFinished = true
      connection.descriptor.endSending()
    }
    watch(connection)
  }

  /// Sends to both sides without waiting; returns whether any bytes were sent, or `nil` if the browser is gone.
  private func send(_ connection: BrowserConnection) -> Bool? {
    guard var isSent = try? connection.output.send(to: connection.descriptor) else { return nil }
    if isSent, connection.isForRequests {
      connection.deadline = moment(in: limits.idleMilliseconds)
    }
    if let link = connection.link {
      do throws(SystemError) {
        if try link.output.send(to: link.descriptor) { isSent = true }
      } catch {
        // The last bytes of the service can still be read.
        link.output = ByteQueue()
      }
    }
    return isSent
  }

  /// Tells the loop which operations of a connection and its session to wait for.
  private func watch(_ connection: BrowserConnection) {
    let link = connection.link
    let isFull = connection.output.count > limits.waitingBytes
    let isLinkFull = (link?.output.count ?? 0) > limits.waitingBytes
    let waitsForOutput =
      connection.isForRequests && (!connection.output.isEmpty || connection.waitsForDiagram)
    let wanted = EventLoop.Interest(
      reads: !isFull && !isLinkFull && !waitsForOutput,
      writes: !connection.output.isEmpty
    )
    if wanted != connection.watched {
      connection.watched = wanted
      change(connection.descriptor, connection.token, wanted)
    }
    guard let link else { return }
    let wantedLink = EventLoop.Interest(reads: !isFull, writes: !link.output.isEmpty)
    if wantedLink != link.watched {
      link.watched = wantedLink
      change(link.descriptor, connection.token + 1, wantedLink)
    }
  }

  private func change(
    _ descriptor: Descriptor,
    _ token: Int64,
    _ wanted: EventLoop.Interest
  ) {
    try? loop.change(descriptor, token: token, to: wanted)
  }

  /// Reads frames of the service and queues them for the browser.
  private func receive(_ link: ServiceLink, of connection: BrowserConnection) {
    guard link.watched.contains(.reads), let bytes = read(link.descriptor) else { return }
    guard !bytes.isEmpty else { return lose(connection) }
    link.decoder.receive(bytes)
    do throws(DepotError) {
      while let event = try link.decoder.next() {
        guard case .frame(let frame) = event else { continue }
        connection.output.append { WebSocketFrame.append(text: frame, to: &$0) }
      }
    } catch {
      goodbye(connection, 1011, "The service says something that isn't a frame.")
    }
    move(connection)
  }

  private func lose(_ connection: BrowserConnection) {
    goodbye(connection, 1012, "The service closed the connection.")
    move(connection)
  }
}
