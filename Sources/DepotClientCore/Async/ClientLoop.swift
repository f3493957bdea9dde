internal import DepotLinux
internal import DepotProtocol

/// The work of a client's own thread: it connects, receives, and sends the rest of callers' bytes.
@Memberwise
struct ClientLoop {
  let core: ClientCore
  let socket: SocketPath
  let start: StartPolicy
  let name: String

  private let buffer = ReceiveBuffer()
  var decoder: FrameDecoder = .ofService
  /// The last error that the service reported of the whole connection.
  var lastFailure: DepotError?

  /// Runs until the client is closed.
  ///
  /// - Parameter first: Gets the outcome of the first attempt to connect.
  mutating func run(first: (Result<Void, DepotError>) -> Void) {
    var descriptor: Descriptor
    do throws(DepotError) {
      descriptor = try SocketPath.persevering { () throws(DepotError) in try connect() }
      first(.success(()))
    } catch {
      core.close(error)
      return first(.failure(error))
    }
    while serve(descriptor), let next = reconnect() { descriptor = next }
  }

  /// Connects, says hello, and waits for the welcome, for so many milliseconds at most.
  mutating func connect(
    patience: Int = ServiceStarter.patience
  ) throws(DepotError) -> Descriptor {
    let descriptor = try socket.connect(start)
    do throws(SystemError) {
      try descriptor.setNonblocking()
    } catch {
      throw DepotError(.disconnected, "The connection can't be used (\(error)).")
    }
    decoder = .ofService
    lastFailure = nil
    var hello = Hello(name)
    hello.want = ["credit"]
    hello.container = core.options.container
    hello.author = core.options.author
    hello.process = core.options.process
    hello.access = core.options.access?.privilege
    core.update { [hello] state in
      state.descriptor = descriptor
      state.outbox = Outbox()
      state.outbox.append(.hello(hello))
    }
    do throws(DepotError) {
      try greet(descriptor, until: Monotonic.deadline(after: patience))
    } catch {
      core.update { state in state.descriptor = nil }
      throw error
    }
    return descriptor
  }

  /// Waits for the service's welcome.
  private mutating func greet(_ descriptor: Descriptor, until end: UInt64) throws(DepotError) {
    while Monotonic.now() < end {
      expire()
      let (isSending, expiry, closure) = core.update { state in
        (!state.outbox.isEmpty, state.table.nextExpiry, state.closure)
      }
      if let closure { throw closure }
      let ready = Poll.wait(
        for: descriptor,
        wantsWrite: isSending,
        or: core.signal,
        milliseconds: Monotonic.milliseconds(until: min(end, expiry ?? end))
      )
      guard ready.canRead else { continue }
      try receive(descriptor)
      while case .frame(let bytes)? = try decoder.next() {
        if let welcome = try Welcome(ServerFrame(bytes)) { return accept(welcome) }
      }
    }
    throw Welcome.isLate
  }

  private func accept(_ welcome: Welcome) {
    func limit(_ name: String, _ standard: Int) -> Int {
      max(1, Int(clamping: welcome.limits[name] ?? Int64(standard)))
    }
    core.update { state in
      // Calls whose time is over aren't sent any more.
      state.perform(state.table.expire(now: Monotonic.now()))
      state.frameLimit = limit("frameBytes", Limits.frameBytes)
      for request in state.containers.values {
        state.table.submitFirst(PendingCall(.openContainer(request)))
      }
      let actions = state.table.connect(
        inFlight: limit("inFlight", Limits.inFlight),
        streams: limit("streams", Limits.streams),
        watches: limit("watches", Limits.watches),
        now: Monotonic.now()
      )
      state.perform(actions)
    }
  }

  /// Reads the bytes that have arrived.
  ///
  /// - Throws: ``DepotError`` `unavailable.disconnected` at the end of the connection.
  mutating func receive(_ descriptor: Descriptor) throws(DepotError) {
    let outcome = Result { () throws(SystemError) in try descriptor.read(into: buffer.bytes) }
    switch outcome {
    case .success(0): throw DepotError(.disconnected, "The service closed the connection.")
    case .success(let count):
      decoder.receive(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]))
    case .failure(let error) where error.wouldBlock: return
    case .failure(let error):
      throw DepotError(.disconnected, "The connection was lost (\(error)).")
    }
  }
}
