package import DepotLinux
public import DepotProtocol

/// A connection that waits for each answer; the fastest way to ask from a thread of one's own.
///
/// Every call blocks its thread, so never use it from a task: use ``Client`` there. It isn't
/// `Sendable`.
public final class BlockingConnection {
  let wire: Wire
  let calls: CallState
  private var writer = JSONWriter(capacity: 1024)
  let welcome: Welcome
  /// The container that calls name; `nil` for the connection's own.
  let target: String?
  /// The snapshot that is read; `nil` for the latest values.
  public let snapshot: Snapshot?

  /// The common state of all connections over one wire.
  final class CallState {
    var nextIdentifier: Int64 = 1
    /// The calls whose outcomes the observer gets.
    var observed: ObservedCalls
    var isInUse = false
    /// The process that made the connection; a process forked from it must not use the connection.
    var process = Process.identifier
    /// Whether the outcome of the calls under way matters if the connection is lost.
    var leavesDoubt = false
    /// Whether an error of the connection itself came when it was last used.
    var isLost = false
    /// How many bytes a frame may have.
    let frameLimit: Int
    /// The terminal frames that came before the ones of earlier calls.
    var early: [Int64: Result<JSONNode, DepotError>] = [:]
    var interruption: Interruption?
    var group: String?
    /// The open streams, by the numbers of their calls.
    var streams: [Int64: OpenStream] = [:]
    /// The enumerations under way, whose rows must not be changed.
    var enumerations = Enumerations()
    var refusesChanges = false

    init(_ observer: OperationObserver?, _ welcome: Welcome) {
      observed = ObservedCalls(observer)
      frameLimit = Int(clamping: welcome.limits["frameBytes"] ?? Int64(Limits.frameBytes))
    }
  }

  struct OpenStream {
    /// The frames that came while others were waited for.
    var frames: [RowFrame] = []
    /// How many consumed frames the service got no credit for yet.
    var taken = 0
  }

  /// The number of the next call.
  var nextIdentifier: Int64 { calls.nextIdentifier }

  /// The function called after each operation from now on.
  package var observer: OperationObserver? {
    get { calls.observed.observer }
    set { calls.observed.observer = newValue }
  }

  /// The treatment of a user's interruption during a write; nothing special if `nil`.
  package var interruption: Interruption? {
    get { calls.interruption }
    set { calls.interruption = newValue }
  }

  /// The group that writes belong to in the history, unless they name one.
  package var group: String? {
    get { calls.group }
    set { calls.group = newValue }
  }

  /// Whether changes are refused before they are sent.
  package var refusesChanges: Bool {
    get { calls.refusesChanges }
    set { calls.refusesChanges = newValue }
  }

  /// Whether the service had the connection's container open when the connection was made.
  package var foundContainer: Bool { welcome.store != .null }

  /// Makes a connection over another's wire, for another container or a snapshot.
  init(
    over other: BlockingConnection,
    container: String? = nil,
    reading snapshot: Snapshot? = nil
  ) {
    wire = other.wire
    calls = other.calls
    welcome = other.welcome
    target = container ?? other.target
    self.snapshot = snapshot
  }

  /// The enumerations under way, whose rows must not be changed.
  package var enumerations: Enumerations {
    get { calls.enumerations }
    set { calls.enumerations = newValue }
  }

  /// Returns the call that is sent for an operation.
  ///
  /// - Throws: ``DepotError`` if it would change a snapshot, or an entity that is being enumerated.
  func call(
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
      container: operation.declaration.isInContainer ? target : nil,
      pin: operation.declaration.isPinnable ? snapshot?.pin : nil,
      group: operation.isWrite ? calls.group : nil
    )
  }

  /// - Throws: ``DepotError`` if an operation would change a snapshot, or an entity that is being
  ///   enumerated.
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
  ///   - start: The way to get a service if none answers.
  ///   - name: The name of this program in the service's statistics.
  ///   - container: The container that all calls are about, which may be opened later; the
  ///     service's own store if `nil`.
  ///   - author: The author of the changes in the history, 1 to 256 bytes; nobody if `nil`.
  ///   - process: The process that the history names, 1 to 256 bytes; if `nil`, `name` and the
  ///     number of this process.
  ///   - access: The most that the connection may do; all that its user may if `nil`.
  ///   - observer: The function called after each operation.
  /// - Throws: ``DepotError`` `unavailable.service` if no service answers, `unavailable.busy` if one takes
  ///   the connection and says nothing for 30 s, `permission.peer` if it refuses this user or isn't to be
  ///   trusted, `protocol.version` if it is too old or too new, or why the service that was started can't
  ///   serve.
  public convenience init(
    socket: SocketPath = .default,
    start: StartPolicy = .never,
    name: String = "swift",
    container: String? = nil,
    author: String? = nil,
    process: String? = nil,
    access: ConnectionAccess? = nil,
    observer: OperationObserver? = nil
  ) throws(DepotError) {
    var hello = Hello(name)
    hello.container = container
    hello.author = author
    hello.process = process
    hello.access = access?.privilege
    let (wire, welcome) = try SocketPath.persevering { () throws(DepotError) in
      try Self.greet(socket.connect(start), hello)
    }
    self.init(wire, welcome, observer)
  }

  /// Creates a connection over a socket that is connected to a service.
  ///
  /// - Throws: ``DepotError`` `unavailable.disconnected` if the service closes the connection,
  ///   `protocol.version` if it is too old or too new.
  package convenience init(_ descriptor: Descriptor) throws(DepotError) {
    let (wire, welcome) = try Self.greet(descriptor, Hello("swift"))
    self.init(wire, welcome)
  }

  private init(_ wire: Wire, _ welcome: Welcome, _ observer: OperationObserver? = nil) {
    self.wire = wire
    self.welcome = welcome
    calls = CallState(observer, welcome)
    target = nil
    snapshot = nil
  }

  /// Says hello, and waits for the welcome, for so many milliseconds at most.
  static func greet(
    _ descriptor: Descriptor,
    _ hello: Hello,
    patience: Int = ServiceStarter.patience
  ) throws(DepotError) -> (Wire, Welcome) {
    let wire = Wire(descriptor)
    var writer = JSONWriter()
    FrameEncoder.append(.length, to: &writer) { $0.write(hello) }
    try wire.send(writer.bytes)
    let end = Monotonic.deadline(after: patience)
    while true {
      if let bytes = try wire.next() {
        if let welcome = try Welcome(ServerFrame(bytes)) { return (wire, welcome) }
      } else {
        guard descriptor.canRead(until: end) else { throw Welcome.isLate }
        try wire.read()
      }
    }
  }

  /// The statistics' number of this connection.
  public var identifier: Int64 { welcome.connection }

  /// Sends an operation, and waits for its answer.
  ///
  /// - Parameters:
  ///   - operation: The operation with its arguments.
  ///   - deadline: How long to wait at most; the service ends the call then. If it doesn't within two
  ///     seconds, the connection ends.
  ///   - key: The idempotency key of a write. The same key never applies twice.
  ///   - author: The author of a write in the history; the connection's author if `nil`.
  ///   - group: The group of a write in the history.
  ///   - body: Takes a frame of a stream, as it arrived.
  /// - Returns: The object that is the result.
  /// - Throws: The ``DepotError`` of the service, or of the connection, as
  ///   `unavailable.disconnected`, with the effect `unknown` if it was lost in a write. An error of
  ///   `body` ends the call.
  package func send(
    _ operation: Operation,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil,
    frames body: ((RowFrame) throws -> Void)? = nil
  ) throws -> JSONNode {
    var call = try call(of: operation, deadline: deadline, key: key)
    call.author = author
    if let group { call.options.group = group }
    let end = deadline.map { Monotonic.deadline(after: $0.milliseconds) + Call.grace }
    return try use(isWrite: operation.isWrite, leavesDoubt: operation.leavesDoubt) {
      try receive(sendFrame(call), until: end, body)
    }
  }

  /// Sends an operation by name with arguments that are JSON already.
  ///
  /// - Parameters:
  ///   - name: The name of the operation.
  ///   - arguments: The object of its arguments.
  ///   - elements: Takes the JSON text of each element of a stream, such as a row, valid until it returns.
  /// - Returns: The object that is the result.
  /// - Throws: The ``DepotError`` of the service.
  public func call(
    _ name: String,
    arguments: JSONValue,
    elements: ((UnsafeBufferPointer<UInt8>) throws -> Void)? = nil
  ) throws -> JSONValue {
    let operation = Operation.declarations.first { $0.name == name }?.form
    if let operation { try checkWrite(operation) }
    let id = nextIdentifier
    let body = elements.map { take in { (frame: RowFrame) in try frame.forEachElement(take) } }
    var frame: [String: JSONValue] = ["id": .int64(id), "call": .string(name), "args": arguments]
    if let snapshot { frame["pin"] = .string(snapshot.pin) }
    if let target { frame["container"] = .string(target) }
    return try use(isWrite: operation?.leavesDoubt ?? true) {
      calls.observed.begin(id, named: name)
      let start = beginFrame()
      writer.write(.object(frame))
      try sendFrame(id, from: start)
      return try JSONValue(receive(id, body))
    }
  }

  /// Calls `body`, and keeps the connection from any other use meanwhile.
  ///
  /// - Parameters:
  ///   - isWrite: Whether a user's interruption waits for its end.
  ///   - leavesDoubt: Whether its outcome matters if the connection is lost; as `isWrite` if `nil`.
  ///   - body: Sends and receives.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`, or that there was an interruption before.
  func use<Result>(
    isWrite: Bool,
    leavesDoubt: Bool? = nil,
    _ body: () throws -> Result
  ) throws -> Result {
    try checkProcess()
    beginUse(leavesDoubt: leavesDoubt ?? isWrite)
    defer { calls.isInUse = false }
    guard isWrite, let interruption else { return try body() }
    return try interruption.hold(body)
  }

  /// - Throws: ``DepotError`` if another process made the connection.
  func checkProcess() throws(DepotError) {
    guard calls.process == Process.identifier else { throw .otherProcess }
  }

  func beginUse(leavesDoubt: Bool) {
    precondition(!calls.isInUse, "A connection can't be used while another call is under way.")
    calls.isInUse = true
    calls.leavesDoubt = leavesDoubt
    calls.isLost = false
  }

  /// Sends a call without waiting for its answer; returns its id.
  func sendFrame(_ call: Call) throws(DepotError) -> Int64 {
    calls.observed.begin(call.id, call.operation)
    let start = beginFrame()
    writer.write(call)
    try sendFrame(call.id, from: start, of: call.operation)
    return call.id
  }

  private func beginFrame() -> Int {
    calls.nextIdentifier += 1
    writer.bytes.removeAll(keepingCapacity: writer.bytes.capacity <= 4 << 20)
    return FrameEncoder.begin(.length, in: &writer)
  }

  /// Sends the frame of a call, unless it is too large or a value in it can't be encoded.
  private func sendFrame(
    _ id: Int64,
    from start: Int,
    of operation: Operation? = nil
  ) throws(DepotError) {
    let size = writer.bytes.count - start - 4
    let refusal =
      size > calls.frameLimit
      ? FrameDecoder.tooLarge(size, calls.frameLimit, of: operation)
      : RefusedValue.error(in: writer.bytes, from: start + 4)
    if let error = refusal {
      calls.observed.end(id, .failure(error))?.notify()
      throw error
    }
    FrameEncoder.end(.length, from: start, in: &writer)
    try losing { () throws(DepotError) in try wire.send(writer.bytes) }
  }

  func cancel(_ id: Int64) throws(DepotError) {
    try control(id, "cancel", .bool(true))
  }

  func control(
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
    try losing { () throws(DepotError) in try wire.send(writer.bytes) }
  }
}

@available(*, unavailable)
extension BlockingConnection: Sendable {}
