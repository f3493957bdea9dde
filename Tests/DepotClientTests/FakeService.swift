import DepotClient
import DepotLinux
import DepotProtocol
import Glibc
import Synchronization
import Testing

/// A service in this process that answers as a test tells it.
final class FakeService: Sendable {
  /// One client of the service.
  struct Peer: Sendable {
    /// The number of the connection, from 1.
    let number: Int
    fileprivate let descriptor: Descriptor

    func ok(_ id: Int64, _ result: [String: Int64] = [:]) {
      reply(id) { $0.ok(to: &$1) { $0.write(.object(result.mapValues(JSONValue.int64))) } }
    }

    func fail(_ id: Int64, _ error: DepotError) {
      reply(id) { $0.failure(error, to: &$1) }
    }

    /// Sends a frame with a row for each identifier, whose only value is its text.
    func rows(_ id: Int64, _ identifiers: Range<Int>) {
      reply(id) { reply, writer in
        let start = reply.beginRows(columns: nil, in: &writer)
        for identifier in identifiers {
          if identifier > identifiers.lowerBound { writer.raw(",") }
          writer.raw("[\(identifier),1,\"\(identifier)\"]".utf8)
        }
        reply.endRows(from: start, in: &writer)
      }
    }

    func send(_ frame: [String: JSONValue]) {
      var writer = JSONWriter()
      FrameEncoder.append(.length, to: &writer) { $0.write(.object(frame)) }
      send(writer.bytes)
    }

    /// Breaks the connection.
    func hangUp() {
      shutdown(descriptor.number, Int32(SHUT_RDWR))
    }

    private func reply(_ id: Int64, _ write: (ReplyWriter, inout JSONWriter) -> Void) {
      var writer = JSONWriter()
      write(ReplyWriter(id: id), &writer)
      send(writer.bytes)
    }

    fileprivate func send(_ bytes: [UInt8]) {
      _ = bytes.withUnsafeBytes { try? descriptor.send($0) }
    }
  }

  typealias Handler = @Sendable (Peer, ClientFrame) -> Void
  /// What to do with a frame as it is; returns whether it is one.
  private typealias Receiver = @Sendable (Peer, [UInt8]) -> Bool

  let socket: SocketPath
  private let folder: String
  private let listener: Descriptor
  private let signal: WakeSignal
  private let isStopped = Mutex(false)

  /// Starts a service that calls `handler` for each frame after hello.
  ///
  /// - Parameters:
  ///   - limits: The limits that it announces.
  ///   - count: How many connections get a welcome.
  ///   - handler: What to do with a frame.
  /// - Throws: ``SystemError`` if there can be no socket.
  convenience init(
    limits: [String: Int64] = [:],
    welcoming count: Int = .max,
    _ handler: @escaping Handler
  ) throws {
    try self.init(limits: limits, welcoming: count) { peer, bytes in
      guard let frame = try? ClientFrame(bytes) else { return false }
      handler(peer, frame)
      return true
    }
  }

  /// Starts a service that answers each call with frames that `script` makes of its number and
  /// arguments.
  convenience init(
    script: @escaping @Sendable (_ name: String, _ id: Int64, _ arguments: JSONValue) -> [String]
  ) throws {
    try self.init(limits: [:], welcoming: .max) { peer, bytes in
      guard let call = try? JSONValue(parsing: bytes), let id = call["id"]?.int64 else {
        return true
      }
      guard let name = call["call"]?.string else { return true }
      for frame in script(name, id, call["args"] ?? .null) {
        var writer = JSONWriter()
        FrameEncoder.append(.length, to: &writer) { $0.raw(frame.utf8) }
        peer.send(writer.bytes)
      }
      return true
    }
  }

  private init(
    limits: [String: Int64],
    welcoming count: Int,
    receiver: @escaping Receiver
  ) throws {
    var template = Array("/tmp/depot-client-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    socket = SocketPath(folder + "/s")
    listener = try UnixSocket.listen(path: socket.path)
    signal = try WakeSignal(isBlocking: false)
    let (listener, signal) = (listener, signal)
    try Thread.start(name: "fake") { [weak self] in
      var number = 0
      while true {
        let ready = Poll.wait(for: listener, wantsWrite: false, or: signal, milliseconds: nil)
        guard self?.isStopped.withLock({ $0 }) == false else { return }
        guard ready.canRead, let descriptor = try? UnixSocket.accept(from: listener) else {
          continue
        }
        number += 1
        let peer = Peer(number: number, descriptor: descriptor)
        let announced = number <= count ? limits : nil
        try? Thread.start(name: "fake-peer") { Self.serve(peer, announced, receiver) }
      }
    }
  }

  /// Takes no more connections.
  func stop() {
    isStopped.withLock { $0 = true }
    signal.signal()
    unlink(socket.path)
  }

  deinit {
    stop()
    rmdir(folder)
  }

  /// Serves one client, which gets no welcome if there are no limits to announce.
  private static func serve(_ peer: Peer, _ limits: [String: Int64]?, _ receiver: Receiver) {
    guard let signal = try? WakeSignal(isBlocking: false) else { return }
    var decoder = FrameDecoder(framing: .length)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      _ = Poll.wait(for: peer.descriptor, wantsWrite: false, or: signal, milliseconds: nil)
      let count = buffer.withUnsafeMutableBytes { try? peer.descriptor.read(into: $0) }
      guard let count, count > 0 else { return }
      buffer.withUnsafeBytes { decoder.receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      while case .frame(let bytes)? = try? decoder.next() {
        guard let frame = try? ClientFrame(bytes), case .hello = frame else {
          if !receiver(peer, bytes) { return peer.hangUp() }
          continue
        }
        guard let announced = limits?.mapValues(JSONValue.int64) else { continue }
        peer.send(["welcome": .object(["protocol": .int64(1), "limits": .object(announced)])])
      }
    }
  }
}
