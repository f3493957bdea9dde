internal import DepotEngine
internal import DepotLinux
package import DepotProtocol

/// The service: an actor on the event loop's thread that owns all connections.
///
/// Short reads are answered on this thread, where they arrive. Writes are submitted to the store
/// once in each round of the loop, and long reads go to the readers' threads; the results of both
/// come back through the inbox.
package actor Server {
  let configuration: ServerConfiguration
  let loop: EventLoop
  nonisolated let inbox: Inbox
  let opener: StoreOpener
  /// `nil` inside a program, which handles its signals itself.
  let signals: SignalDescriptor?
  /// `nil` inside a program.
  let notifier: SystemdNotifier?
  let log: ServerLog
  let instance: String
  let startedAt: UInt64
  /// The time of this round, in nanoseconds of the monotonic clock.
  var now = Monotonic.now()
  let ownerUser = Process.user

  var access: AccessPolicy
  var slowNanoseconds: UInt64
  var acceptor: Acceptor
  /// The notices about the service's files; `nil` inside a program, and where inotify fails.
  var fileNotices: FileNotices?
  var sessions = SessionTable()
  var statistics = ServerStatistics()
  var stores: StoreRegistry
  /// The writes submitted to stores.
  var pending = PendingWrites()
  /// Whether a slow call may still be explained in this round.
  var mayExplain = true
  var phase: Phase
  var schedule = Schedule()
  /// The forms of frames that clients have sent; similar frames are recognized by them.
  var shapes = CallShapes()
  /// The ``Inbox/shownCount`` that the snapshots of reads on this thread take into account.
  var lastShownCount = 0
  /// The buffer that connections are read into.
  let received = ReceiveBuffer()

  /// The phase of the service's life.
  enum Phase {
    /// The previous service had accepted clients that had sent nothing.
    case starting(clients: [Descriptor])
    case serving
    /// New calls are refused, until the running ones are done or the time is over.
    case draining(until: UInt64, Departure)
    /// The stores are closed one after the other.
    case closing(Departure)
    /// Another service has the socket and is opening the store.
    case handedOver(Handover)
    /// Another service had the socket, but failed; the store is reopened.
    ///
    /// If it `mustEnd`, the store is only opened to be closed properly.
    case resuming(Handover, mustEnd: Bool)
    case ended(status: Int32)
  }

  /// The last step of the service's end.
  enum Departure {
    case end(status: Int32)
    /// Another service gets the socket.
    case handover(Handover)

    /// The connection of the service that receives the socket; it stays open.
    var connection: Int64? {
      if case .handover(let handover) = self { handover.connection } else { nil }
    }
  }

  var isServing: Bool { if case .serving = phase { true } else { false } }

  static let listenerToken: Int64 = -2
  static let signalToken: Int64 = -3
  static let filesToken: Int64 = -4

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Opens the store and begins to listen.
  ///
  /// - Parameters:
  ///   - configuration: The configuration.
  ///   - takeover: The socket and clients handed over by a service that ends for this one.
  /// - Throws: ``DepotError`` `unavailable.busy` if another service has the store or the socket,
  ///   `storage.corrupt` if the store is damaged, `request.usage` if a path can't be used.
  package init(_ configuration: ServerConfiguration, takeover: Takeover? = nil) throws(DepotError) {
    let signals: SignalDescriptor
    do throws(SystemError) {
      signals = try SignalDescriptor()
    } catch {
      throw Self.cannotStart(error)
    }
    // The socket's lock comes first, so that a second service changes no files.
    let claim = takeover == nil ? try Self.claim(configuration) : nil
    var store =
      configuration.cluster.map { configuration.store(in: $0) }
      ?? StoreConfiguration(path: configuration.storeFile)
    store.acceptsLoss = configuration.acceptsLoss
    store.isReadOnly = configuration.isReadOnly
    store.fallsBackToReading = true
    store.history = configuration.history
    store.bound(logBytes: configuration.logBytes)
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

  /// Opens the store, and then admits clients, including those already connected to the socket.
  ///
  /// - Throws: ``DepotError`` of class `storage` or `unavailable`, or an error of `listen`; the
  ///   store is closed then.
  init(
    _ configuration: ServerConfiguration,
    _ store: StoreConfiguration,
    signals: SignalDescriptor?,
    instance: String = Server.makeInstance(),
    memory: MemoryFolder? = nil,
    listen: () throws(DepotError) -> (listener: ListeningSocket?, clients: [Descriptor])
  ) throws(DepotError) {
    startedAt = now
    self.configuration = configuration
    self.signals = signals
    self.instance = instance
    notifier = signals == nil ? nil : SystemdNotifier()
    access = configuration.access
    slowNanoseconds = UInt64(configuration.slowMilliseconds) * 1_000_000
    log = ServerLog(
      format: configuration.logFormat,
      isSilent: configuration.isSilent,
      file: configuration.openLog
    )
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
    let opened = try StoreOpener.open(store, number: host.number, inbox: inbox)
    let source: (listener: ListeningSocket?, clients: [Descriptor])
    do throws(DepotError) {
      try host.adopt(opened)
      // The socket comes last: a client that finds it finds a verified store.
      source = try listen()
    } catch {
      StoreOpener.close([opened]) {}
      throw error
    }
    acceptor = Acceptor(source.listener)
    phase = .starting(clients: source.clients)
    stores = StoreRegistry(host, memory: memory)
  }

  static func makeInstance() -> String {
    let number = UInt64.random(in: .min ... .max)
    return String(number, radix: 16)
  }

  private static func cannotStart(_ error: SystemError) -> DepotError {
    DepotError(error.isExhaustion ? .busy : .bug, "The service can't start: \(error).")
  }
}
