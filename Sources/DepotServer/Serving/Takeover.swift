internal import DepotLinux
internal import DepotProtocol

/// The socket and the clients handed over by the service that this one replaces.
///
/// The other service has finished its calls and closed its stores, and waits. It ends when this one
/// reports that the store is open, and resumes if the connection ends before.
package struct Takeover: Sendable {
  let listener: Descriptor
  /// The lock of the socket; `nil` if the service manager made the socket.
  let lock: Descriptor?
  /// The clients accepted by the other service that have sent nothing yet.
  let clients: [Descriptor]
  private let connection: Descriptor

  /// Asks the service at the socket to hand it over, and waits until it does.
  ///
  /// - Returns: The handed-over socket and clients; `nil` if no service answers.
  /// - Throws: ``DepotError`` `permission.peer` if the service is another user's, `request.usage` if
  ///   it has another store, `unavailable.busy` if it ends meanwhile.
  static func request(_ configuration: ServerConfiguration) throws(DepotError) -> Takeover? {
    let connection: Descriptor
    do throws(SystemError) {
      connection = try UnixSocket.connect(path: configuration.socketPath)
      let peer = try UnixSocket.peer(of: connection)
      guard peer.user == Process.user || Process.user == 0 else {
        throw SystemError(call: "peer", code: 0)
      }
    } catch {
      guard error.code == 0 else { return nil }
      throw DepotError(.peer, "The service at \(configuration.socketPath) is another user's.")
    }
    var messages = Messages(connection)
    try messages.send { $0.write(Hello(client: ["name": "depotd"], want: [])) }
    guard case .welcome = try messages.receive() else {
      throw DepotError(.hello, "The service to take over from didn't say welcome.")
    }
    try messages.send { $0.write(Call(id: 1, .takeover(store: configuration.storeName))) }
    while true {
      guard case .ok(1, let node) = try messages.receive() else { continue }
      return try Takeover(node, messages)
    }
  }

  private init(_ node: JSONNode, _ messages: Messages) throws(DepotError) {
    connection = messages.connection
    var names: [String] = []
    var reader = try JSONObjectReader(node)
    for element in try reader.required("descriptors").elements() {
      names.append(try element.string())
    }
    let passed = Array(zip(names, messages.passed))
    guard names.count == messages.passed.count,
      let listener = passed.first(where: { $0.0 == "listener" })?.1
    else { throw DepotError(.bug, "The service didn't hand its socket over.") }
    self.listener = listener
    lock = passed.first { $0.0 == "lock" }?.1
    clients = passed.filter { $0.0 == "connection" }.map(\.1)
  }

  /// Tells the other service that it can end.
  func finish() {
    var messages = Messages(connection)
    do throws(DepotError) {
      try messages.send { $0.write(Call(id: 2, .shutdown)) }
      while true {
        if case .ok(2, _) = try messages.receive() { return }
      }
    } catch {
      // The other service has ended already, as intended.
    }
  }

  /// Frames to and from the other service.
  @Memberwise("connection")
  private struct Messages {
    let connection: Descriptor
    private(set) var passed: [Descriptor] = []
    private var decoder = FrameDecoder(framing: .length)

    func send(_ body: (inout JSONWriter) -> Void) throws(DepotError) {
      var writer = JSONWriter()
      FrameEncoder.append(.length, to: &writer, body)
      do throws(SystemError) {
        try connection.sendAll(writer.bytes)
      } catch {
        throw Self.lost
      }
    }

    mutating func receive() throws(DepotError) -> ServerFrame {
      while true {
        if case .frame(let bytes)? = try decoder.next() {
          let frame = try ServerFrame(bytes)
          if case .failure(_, let error) = frame { throw error }
          return frame
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { buffer.deallocate() }
        let count: Int
        do throws(SystemError) {
          count = try connection.read(into: buffer, takingOver: &passed)
        } catch {
          throw Self.lost
        }
        guard count > 0 else { throw Self.lost }
        decoder.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }

    private static let lost = DepotError(
      .busy,
      "The service to take over from ended before it handed its place over."
    )
  }
}
