internal import DepotEngine
internal import DepotLinux
package import DepotProtocol

/// The service: an actor on the event loop's thread that owns all connections.
///
/// Short reads are answered on this thread, right where they arrive. Writes are handed to the store
/// once for each turn of the loop, and long reads to the readers' threads; both come back through the
/// inbox.
package actor Server {
  let configuration: ServerConfiguration
  let loop: EventLoop
  nonisolated let inbox: Inbox
  let opener: StoreOpener
  /// `nil` inside a program, whose signals are its own.
  let signals: SignalDescriptor?
  /// `nil` inside a program.
  let notifier: SystemdNotifier?
  let log: ServerLog
  let instance: String
  let startedAt: UInt64
  let ownerUser = Process.user

  var access: AccessPolicy
  var slowNanoseconds: UInt64
  var listener: ListeningSocket?
  var isAccepting = false
  /// Clients of the service before this one, which it hadn't heard of.
  private var adopted: [Descriptor] = []
  var sessions: [Int64: Session] = [:]
  var nextSession: Int64 = 1
  var statistics = ServerStatistics()
  /// All stores that are open, or about to be.
  var hosts: [StoreHost]
  var nextHost = 1
  /// What is open or about to be, by name.
  var containers: [String: Container]
  /// The one store that the service was started with.
  let defaultContainer: Container
  /// Where the stores in memory are, once there was one.
  var memory: MemoryFolder?
  /// The stores that got writes in this turn.
  var writing: [StoreHost] = []
  /// Which definition of a schema waits for each part that was handed over.
  var definitions: [UInt64: (definition: SchemaDefinition, part: Int)] = [:]
  /// Which call each write that was handed over belongs to.
  var writers: [UInt64: (connection: Int64, call: Int64)] = [:]
  var nextWrite: UInt64 = 1
  /// What else is to be done when the outcome of a write is known.
  var continuations: [UInt64: ([UInt8]) -> Void] = [:]
  /// The sessions that have something to send.
  var touched: [Session] = []
  /// The sessions with frames that one turn of the loop had no time for.
  var unfinished: Set<Int64> = []
  var phase = Phase.serving
  /// The status with which the process is to end.
  var endStatus: Int32 = 0
  /// Whether to end as soon as the store is open again.
  var mustEnd = false
  /// Where the socket is to go at the end; `nil` if nowhere.
  var handover: Handover?
  /// When to look for what is overdue, in nanoseconds of the monotonic clock.
  var nextTick: UInt64 = 0
  /// When the stores are to look whether they keep too much history.
  var nextPurge: UInt64 = 0
  /// What the last read brought.
  let received = ReceiveBuffer()

  /// How far the service's life has come.
  enum Phase: Equatable {
    case serving
    /// New calls are refused; it goes on until the running ones are done or the time has come.
    case draining(until: UInt64)
    /// The stores are closed one after the other.
    case closing
    /// Another service has the socket and opens the store.
    case handedOver
    /// It had the socket, but couldn't; the store is opened again.
    case resuming
    case ended
  }

  static let listenerToken: Int64 = -2
  static let signalToken: Int64 = -3

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Opens the store and begins to listen.
  ///
  /// - Parameters:
  ///   - configuration: How to serve.
  ///   - takeover: What a service that ends for this one has handed over.
  /// - Throws: ``DepotError`` `unavailable.busy` if another service has the store or the socket,
  ///   `storage.corrupt` if the store is damaged, `request.usage` if a path can't be used.
  package init(
    _ configuration: ServerConfiguration,
    takeover: Takeover? = nil
  ) throws(DepotError) {
    let signals: SignalDescriptor
    do throws(SystemError) {
      signals = try SignalDescriptor()
    } catch {
      throw Self.cannotStart(error)
    }
    // The socket's lock first, so that a second service touches nothing of ours.
    let claim = takeover == nil ? try Self.claim(configuration) : nil
    var store = StoreConfiguration(path: configuration.storePath)
    store.history = configuration.history
    MemoryFolder.removeLeftovers()
    try self.init(configuration, store, signals: signals) { () throws(DepotError) in
      guard let takeover else { return (try Self.listen(configuration, claim), []) }
      let listener = ListeningSocket(
        takingOver: takeover.listener,
        lock: takeover.lock,
        path: configuration.socketPath
      )
      takeover.finish()
      return (listener, takeover.clients)
    }
  }

  /// Opens the store, and then lets clients come.
  ///
  /// - Parameters:
  ///   - configuration: How to serve.
  ///   - store: The service's own store.
  ///   - signals: Those that it acts on; `nil` inside a program.
  ///   - instance: What no other service is called.
  ///   - memory: The folder of the store if it is in memory.
  ///   - listen: Returns the socket, if there is to be one, and clients that came to it before.
  /// - Throws: ``DepotError`` of class `storage` or `unavailable`, or what `listen` throws; the store is
  ///   closed then.
  init(
    _ configuration: ServerConfiguration,
    _ store: StoreConfiguration,
    signals: SignalDescriptor?,
    instance: String = Server.makeInstance(),
    memory: MemoryFolder? = nil,
    listen: () throws(DepotError) -> (listener: ListeningSocket?, clients: [Descriptor])
  ) throws(DepotError) {
    startedAt = Monotonic.now()
    self.configuration = configuration
    self.signals = signals
    self.instance = instance
    self.memory = memory
    notifier = signals == nil ? nil : SystemdNotifier()
    access = configuration.access
    slowNanoseconds = UInt64(configuration.slowMilliseconds) * 1_000_000
    log = ServerLog(format: configuration.logFormat, isSilent: configuration.isSilent)
    do throws(SystemError) {
      loop = try EventLoop()
    } catch {
      throw Self.cannotStart(error)
    }
    let inbox = Inbox(loop: loop)
    self.inbox = inbox
    opener = StoreOpener(inbox: inbox)
    let host = StoreHost(
      number: 0,
      name: "main",
      configuration: store,
      entities: nil,
      inbox: inbox,
      opener: opener
    )
    hosts = [host]
    let opened = try StoreOpener.open(store, number: host.number, inbox: inbox)
    do throws(DepotError) {
      try host.adopt(opened)
      // Last, so that whoever finds the socket finds a store that was proved.
      (listener, adopted) = try listen()
    } catch {
      StoreOpener.close([opened]) {}
      throw error
    }
    defaultContainer = Container(
      name: ContainerRequest.defaultName,
      stores: [],
      hosts: [host],
      keeps: true
    )
    defaultContainer.state = .open
    defaultContainer.refresh()
    containers = [defaultContainer.name: defaultContainer]
  }

  static func makeInstance() -> String {
    let number = UInt64.random(in: .min ... .max)
    return String(number, radix: 16)
  }

  private static func cannotStart(_ error: SystemError) -> DepotError {
    DepotError(.bug, "The service can't start: \(error).")
  }

  /// Serves until a signal or a client ends the service.
  ///
  /// The calling thread becomes the loop's.
  ///
  /// - Returns: The status that the process should end with.
  package nonisolated func run() -> Int32 {
    loop.adoptCurrentThread()
    var events: [EventLoop.Event] = []
    var timeout = assumeIsolated { $0.begin() }
    while true {
      loop.wait(milliseconds: timeout, &events)
      let next = assumeIsolated { $0.turn(events) }
      switch next {
      case .end(let status):
        inbox.close()
        return status
      case .wait(let milliseconds): timeout = milliseconds
      }
    }
  }

  /// What the loop does after a turn.
  enum Next {
    case wait(milliseconds: Int32)
    case end(status: Int32)
  }

  private func begin() -> Int32 {
    for client in adopted { adopt(client, startedAt) }
    adopted = []
    if access.isShared { listener?.admitAll() }
    do throws(SystemError) {
      if let signals {
        try loop.add(signals.descriptor, token: Self.signalToken, reads: true, writes: false)
      }
    } catch {
      log.write(.error, "signals can't be watched", [("error", "\(error)")])
    }
    watchListener()
    log.write(
      .notice,
      "ready",
      [
        ("socket", configuration.socketPath), ("store", configuration.storePath),
        ("ms", "\((Monotonic.now() - startedAt) / 1_000_000)"),
        ("version", ProtocolVersion.software),
      ]
    )
    notifier?.send("READY=1\nSTATUS=serving \(configuration.storePath)")
    return timeout()
  }

  /// How long the loop may sleep, in milliseconds.
  func timeout() -> Int32 {
    if !unfinished.isEmpty { return 0 }
    return phase == .serving && sessions.isEmpty ? 10_000 : 500
  }
}
