package import DepotLinux
public import DepotProtocol

/// A connection that waits for each answer; the fastest way to ask from a thread of one's own.
///
/// Every call blocks its thread, so never use it from a task: that is what ``Client`` is for. It
/// isn't `Sendable`.
public final class BlockingConnection {
  let wire: Wire
  private let calls: CallState
  private var writer = JSONWriter(capacity: 1024)
  let welcome: Welcome
  /// The container that calls name; `nil` for the connection's own.
  let target: String?
  /// What is known of the moment that is read; `nil` for the latest.
  public let snapshot: Snapshot?

  /// What all that speak over one wire have in common.
  private final class CallState {
    var nextIdentifier: Int64 = 1
    var isInUse = false
    /// The terminal frames that came before those of earlier calls.
    var early: [Int64: ServerFrame] = [:]
    var interruption: Interruption?
    /// The frames of open streams that came while others were waited for.
    var waiting: [Int64: [RowFrame]] = [:]
    /// What is being enumerated, and must not be changed.
    var enumerations = Enumerations()
    var refusesChanges = false
  }

  var nextIdentifier: Int64 {
    get { calls.nextIdentifier }
    set { calls.nextIdentifier = newValue }
  }
  private var isInUse: Bool {
    get { calls.isInUse }
    set { calls.isInUse = newValue }
  }
  var early: [Int64: ServerFrame] {
    get { calls.early }
    set { calls.early = newValue }
  }

  /// What happens to a write when the user interrupts the program; nothing special if `nil`.
  package var interruption: Interruption? {
    get { calls.interruption }
    set { calls.interruption = newValue }
  }

  /// Whether changes are refused before they are sent.
  package var refusesChanges: Bool {
    get { calls.refusesChanges }
    set { calls.refusesChanges = newValue }
  }

  /// Whether the service had the connection's container open when the connection was made.
  package var foundContainer: Bool { welcome.store != .null }

  /// Speaks over the wire of another connection about a container of its own.
  init(over other: BlockingConnection, container: String) {
    wire = other.wire
    calls = other.calls
    welcome = other.welcome
    target = container
    snapshot = nil
  }

  /// Speaks over the wire of another connection about a moment.
  init(over other: BlockingConnection, reading snapshot: Snapshot) {
    wire = other.wire
    calls = other.calls
    welcome = other.welcome
    target = other.target
    self.snapshot = snapshot
  }

  /// What must not be changed for now.
  var enumerations: Enumerations {
    get { calls.enumerations }
    set { calls.enumerations = newValue }
  }

  /// Returns the call that is sent for an operation.
  ///
  /// - Throws: ``DepotError`` if it would change a snapshot, or what is being enumerated.
  private func call(
    of operation: Operation,
    deadline: Duration? = nil,
    credit: Int? = nil,
    key: String? = nil
  ) throws(DepotError) -> Call {
    try checkWrite(operation)
    return Call(
      id: nextIdentifier,
      operation,
      deadlineMilliseconds: deadline.map { min($0.milliseconds, Call.deadlineLimit) },
      credit: credit,
      key: key,
      container: operation.isInContainer ? target : nil,
      pin: operation.isPinnable ? snapshot?.pin : nil
    )
  }

  /// - Throws: ``DepotError`` if an operation would change a snapshot, or what is being enumerated.
  func checkWrite(_ operation: Operation) throws(DepotError) {
    if calls.refusesChanges, operation.isChange {
      throw DepotError(.readOnly, "The store is open for reading only.")
    }
    guard operation.isWrite else { return }
    if snapshot != nil { throw .readOnlySnapshot }
    if let refusal = enumerations.refusal(of: operation) { throw refusal }
  }

  /// The name of the container that calls are about.
  var containerName: String {
    target ?? welcome.container ?? ContainerRequest.defaultName
  }

  /// Connects to a service.
  ///
  /// - Parameters:
  ///   - socket: Where the service listens.
  ///   - start: What to do if no service answers.
  ///   - name: What the service's statistics call this program.
  ///   - container: The container that all calls are about, which may be opened later; the service's
  ///     own store if `nil`.
  ///   - author: Who the history says makes the changes, 1 to 256 bytes; nobody if `nil`.
  ///   - process: The process that the history names, 1 to 256 bytes; if `nil`, `name` and the number of
  ///     this process.
  /// - Throws: ``DepotError`` `unavailable.service` if no service answers, `permission.peer` if it
  ///   refuses this user or isn't to be trusted, `protocol.version` if it is too old or too new.
  public convenience init(
    socket: SocketPath = .default,
    start: StartPolicy = .never,
    name: String = "swift",
    container: String? = nil,
    author: String? = nil,
    process: String? = nil
  ) throws(DepotError) {
    let descriptor: Descriptor
    do throws(DepotError) {
      descriptor = try socket.connect()
    } catch {
      guard error.code == .noService, start == .ifMissing else { throw error }
      descriptor = try ServiceStarter.start(socket)
    }
    try self.init(descriptor, name: name, container: container, author: author, process: process)
  }

  /// Speaks to a service over a socket that is connected with it.
  ///
  /// - Parameters:
  ///   - descriptor: The socket.
  ///   - name: What the service's statistics call this program.
  ///   - container: The container that all calls are about; the service's own store if `nil`.
  ///   - author: Who the history says makes the changes; nobody if `nil`.
  ///   - process: The process that the history names; if `nil`, `name` and the number of this process.
  /// - Throws: ``DepotError`` `unavailable.disconnected` if the service closes the connection,
  ///   `protocol.version` if it is too old or too new.
  package init(
    _ descriptor: Descriptor,
    name: String = "swift",
    container: String? = nil,
    author: String? = nil,
    process: String? = nil
  ) throws(DepotError) {
    wire = Wire(descriptor)
    calls = CallState()
    target = nil
    snapshot = nil
    var writer = JSONWriter()
    let hello = Hello(
      client: Self.identity(name),
      container: container,
      author: author,
      process: process
    )
    FrameEncoder.append(.length, to: &writer) { $0.write(hello) }
    try wire.send(writer.bytes)
    switch try ServerFrame(wire.receive()) {
    case .welcome(let welcome): self.welcome = welcome
    case .failure(_, let error): throw error
    default: throw DepotError(.hello, "The service didn't say welcome.")
    }
  }

  static func identity(_ name: String) -> [String: String] {
    ["name": name, "version": ProtocolVersion.software, "language": "swift"]
  }

  /// The statistics' number of this connection.
  public var identifier: Int64 { welcome.connection }

  /// Sends a call and waits for its answer.
  ///
  /// - Parameters:
  ///   - operation: What to do.
  ///   - deadline: How long to wait at most; the service ends the call then.
  ///   - key: The idempotency key of a write. The same key never applies twice.
  ///   - columns: What to do with the names of a stream's columns.
  ///   - related: What to do with the rows of a relationship that come with a frame of a stream.
  ///   - rows: What to do with each row of a stream, whose identity was read already.
  /// - Returns: The object that is the result.
  /// - Throws: The ``DepotError`` of the service, or `unavailable.disconnected` with the effect
  ///   `unknown` if the connection was lost in a write. What `rows` throws ends the call.
  func call(
    _ operation: Operation,
    deadline: Duration? = nil,
    key: String? = nil,
    columns: (([String]) throws -> Void)? = nil,
    related: ((RelatedBlock) throws -> Void)? = nil,
    rows: ((inout RowReader) throws -> Void)? = nil
  ) throws -> JSONNode {
    let frames = FrameHandling(RowReading(operation), columns, related, rows)
    let call = try call(of: operation, deadline: deadline, key: key)
    return try exchange(frames, isWrite: operation.isWrite) { writer in
      writer.write(call)
    }
  }

  /// Sends an operation by name with arguments that are JSON already.
  ///
  /// - Parameters:
  ///   - name: The name of the operation.
  ///   - arguments: The object of its arguments.
  ///   - rows: What to do with each row of a stream.
  /// - Returns: The object that is the result.
  /// - Throws: The ``DepotError`` of the service.
  public func call(
    _ name: String,
    arguments: JSONValue,
    rows: ((inout RowReader) throws -> Void)? = nil
  ) throws -> JSONValue {
    let id = nextIdentifier
    let frames = FrameHandling(RowReading(), nil, nil, rows)
    let node = try exchange(frames, isWrite: true) { writer in
      var frame: [String: JSONValue] = [
        "id": .int64(id), "call": .string(name), "args": arguments,
      ]
      if let snapshot { frame["pin"] = .string(snapshot.pin) }
      if let target { frame["container"] = .string(target) }
      writer.write(.object(frame))
    }
    return try JSONValue(node)
  }

  private func exchange(
    _ frames: FrameHandling,
    isWrite: Bool,
    _ write: (inout JSONWriter) -> Void
  ) throws -> JSONNode {
    try use(isWrite: isWrite) {
      try receive(send(write), frames)
    }
  }

  /// Calls `body`, in which the connection isn't used for anything else.
  func use<Result>(isWrite: Bool, _ body: () throws -> Result) throws -> Result {
    precondition(!isInUse, "A connection can't be used while it streams rows.")
    isInUse = true
    defer { isInUse = false }
    do {
      guard isWrite, let interruption else { return try body() }
      return try interruption.hold(body)
    } catch var error as DepotError where error.code == .disconnected && isWrite {
      error.effect = .unknown
      throw error
    }
  }

  /// Sends a call without waiting for its answer; returns its id.
  func send(_ write: (inout JSONWriter) -> Void) throws(DepotError) -> Int64 {
    let id = nextIdentifier
    nextIdentifier += 1
    writer.bytes.removeAll(keepingCapacity: writer.bytes.capacity <= 4 << 20)
    FrameEncoder.append(.length, to: &writer, write)
    try wire.send(writer.bytes)
    return id
  }

  /// Inserts the rows of many requests, sending the next while the service stores the one before.
  ///
  /// Each request is a transaction of its own. After a failure no more are sent, but one that was
  /// under way may have been stored: its result comes to `body` before the error is thrown.
  ///
  /// - Parameters:
  ///   - requests: The rows, at most 10,000 in each request.
  ///   - body: What to do with the result of each request, in their order.
  /// - Throws: ``DepotError`` of the first request that failed, or what `body` throws.
  public func insert(
    each requests: some Sequence<InsertRequest>,
    _ body: (InsertResult) throws -> Void = { _ in }
  ) throws {
    try use(isWrite: true) {
      var failure: (any Error)?
      var waiting: Int64?
      func finish() throws {
        guard let id = waiting else { return }
        waiting = nil
        do {
          let node = try receive(id, FrameHandling())
          try body(InsertResult(node))
        } catch {
          if (error as? DepotError)?.code == .disconnected { throw error }
          failure = failure ?? error
        }
      }
      for request in requests {
        if failure != nil { break }
        let call = try call(of: .insert(request))
        let id = try send { $0.write(call) }
        try finish()
        waiting = id
      }
      try finish()
      if let failure { throw failure }
    }
  }

  /// Sends any operation and hands on the frames of its stream as they are.
  ///
  /// - Parameters:
  ///   - operation: What to do.
  ///   - deadline: How long to wait at most.
  ///   - key: The idempotency key of a write.
  ///   - author: Who the history says makes a write.
  ///   - group: What a write belongs to in the history.
  ///   - body: What to do with a frame of a stream.
  /// - Returns: The object that is the result.
  /// - Throws: The ``DepotError`` of the service, or what `body` throws.
  package func perform(
    _ operation: Operation,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil,
    frames body: ((StreamFrame) throws -> Void)? = nil
  ) throws -> JSONNode {
    var call = try call(of: operation, deadline: deadline, key: key)
    call.author = author
    call.group = group
    return try use(isWrite: operation.isWrite) {
      try receive(send { $0.write(call) }, FrameHandling(frames: body))
    }
  }

  func receive(_ id: Int64, _ frames: FrameHandling) throws -> JSONNode {
    var failure: (any Error)?
    while true {
      let isEarly = early[id] != nil
      guard let bytes = isEarly ? [] : try wire.receive(unless: interruption) else {
        try cancel(id)
        continue
      }
      switch try early.removeValue(forKey: id) ?? ServerFrame(bytes) {
      case .ok(id, let node):
        if let failure { throw failure }
        return node
      case .failure(nil, let error): throw error
      case .failure(id, let error): throw failure ?? error
      case .ok(let other, let node): early[other] = .ok(id: other, node)
      case .failure(let other?, let error): early[other] = .failure(id: other, error)
      case .next(id, let names, let offset) where failure == nil:
        do {
          try frames.handle(bytes, columns: names, at: offset)
        } catch {
          failure = error
          try cancel(id)
        }
      case .next(let other, let names, let offset) where calls.waiting[other] != nil:
        calls.waiting[other]?.append(RowFrame(bytes: bytes, offset: offset, columns: names))
      case .ping(let number): try send(.object(["pong": .int64(number)]))
      default: continue
      }
    }
  }

  func cancel(_ id: Int64) throws(DepotError) {
    try control(id, "cancel", .bool(true))
  }

  private func control(
    _ id: Int64,
    _ member: String,
    _ value: JSONValue
  ) throws(DepotError) {
    try send(.object(["id": .int64(id), member: value]))
  }

  /// Sends a frame that has no answer.
  func send(_ frame: JSONValue) throws(DepotError) {
    var writer = JSONWriter()
    FrameEncoder.append(.length, to: &writer) { $0.write(frame) }
    try wire.send(writer.bytes)
  }
}

/// Streams that are read between other calls.
extension BlockingConnection {
  /// How many frames of an open stream may be on their way.
  private static let window = 8

  /// Begins a stream, whose frames ``nextFrame(of:)`` returns.
  ///
  /// - Returns: The number of the call.
  package func openStream(_ operation: Operation, deadline: Duration?) throws -> Int64 {
    let call = try call(of: operation, deadline: deadline, credit: Self.window)
    return try use(isWrite: false) {
      let id = try send { $0.write(call) }
      calls.waiting[id] = []
      return id
    }
  }

  /// Waits for the next frame of a stream; `nil` at the end.
  ///
  /// - Throws: The ``DepotError`` with which the stream ended.
  package func nextFrame(of id: Int64) throws -> RowFrame? {
    guard let waiting = calls.waiting[id] else { return nil }
    return try use(isWrite: false) {
      if let frame = waiting.first {
        calls.waiting[id]?.removeFirst()
        try control(id, "more", .int64(1))
        return frame
      }
      var next: RowFrame?
      while next == nil {
        let isEarly = early[id] != nil
        let bytes = isEarly ? [] : try wire.receive()
        switch try early.removeValue(forKey: id) ?? ServerFrame(bytes) {
        case .next(id, let names, let offset):
          next = RowFrame(bytes: bytes, offset: offset, columns: names)
        case .next(let other, let names, let offset) where calls.waiting[other] != nil:
          calls.waiting[other]?.append(RowFrame(bytes: bytes, offset: offset, columns: names))
        case .ok(id, _):
          calls.waiting[id] = nil
          return nil
        case .failure(id, let error):
          calls.waiting[id] = nil
          throw error
        case .failure(nil, let error): throw error
        case .ok(let other, let node): early[other] = .ok(id: other, node)
        case .failure(let other?, let error): early[other] = .failure(id: other, error)
        case .ping(let number):
          var writer = JSONWriter()
          FrameEncoder.append(.length, to: &writer) { $0.write(.object(["pong": .int64(number)])) }
          try wire.send(writer.bytes)
        default: continue
        }
      }
      try control(id, "more", .int64(1))
      return next
    }
  }

  /// Cancels a stream that nobody reads any more; nothing happens if it is over.
  package func closeStream(_ id: Int64) {
    guard calls.waiting.removeValue(forKey: id) != nil else { return }
    _ = try? use(isWrite: false) {
      if early.removeValue(forKey: id) != nil { return }
      try cancel(id)
      _ = try receive(id, FrameHandling())
    }
  }
}

@available(*, unavailable)
extension BlockingConnection: Sendable {}

extension Duration {
  /// The duration in whole milliseconds, rounded up: 0 if it is negative, and 100 years if it is longer.
  var milliseconds: Int {
    let limit = 100 * 365 * 86400
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    guard seconds < limit else { return limit * 1000 }
    return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
