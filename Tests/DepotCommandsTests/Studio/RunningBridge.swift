import DepotLinux
import DepotProtocol
import DepotStudio
import Synchronization
import TestSupport

/// A bridge on a thread of its own; the test plays the service.
final class RunningBridge: Sendable {
  let port: UInt16
  /// Addresses with tokens that nobody has used.
  let addresses: [String]
  private let end: StudioEnd
  private let service: Service
  private let isEnded = Mutex(false)

  /// The service's ends of the sessions.
  private final class Service: Sendable {
    let sessions = Mutex<[Descriptor]>([])
    let isDown = Atomic(false)
  }

  init(
    allowsWrites: Bool = false,
    _ change: @Sendable (inout StudioConfiguration) -> Void = { _ in },
    diagram: @escaping @Sendable () throws -> String = { "{}" }
  ) throws {
    let service = Service()
    var configuration = StudioConfiguration(
      allowsWrites: allowsWrites,
      storeName: "test",
      diagram: diagram,
      connect: {
        Result { () throws(DepotError) in
          guard !service.isDown.load(ordering: .acquiring) else {
            throw DepotError(.noService, "No service answers.")
          }
          do throws(SystemError) {
            let (near, far) = try UnixSocket.pair()
            service.sessions.withLock { $0.append(near) }
            return far
          } catch {
            throw DepotError(.busy, "\(error)")
          }
        }
      }
    )
    change(&configuration)
    let final = configuration
    let end = try StudioEnd()
    let started = Mutex<(UInt16, [String])?>(nil)
    let box = Box(started: started)
    self.service = service
    self.end = end
    try Thread.start(name: "studio") {
      guard let bridge = try? StudioBridge(final, end: end) else { return }
      box.started.withLock { $0 = (bridge.port, (0..<8).map { _ in bridge.makeAddress() }) }
      _ = try? bridge.run()
      box.hasEnded.store(true, ordering: .releasing)
    }
    guard let (port, addresses) = poll({ box.started.withLock { $0 } }) else {
      throw TestFailure("the bridge doesn't start")
    }
    (self.port, self.addresses, self.box) = (port, addresses, box)
  }

  private final class Box: Sendable {
    let started: Mutex<(UInt16, [String])?>
    let hasEnded = Atomic(false)

    init(started: consuming Mutex<(UInt16, [String])?>) {
      self.started = started
    }
  }

  private let box: Box

  deinit { end.ask() }

  /// Whether its thread has left.
  var hasEnded: Bool { box.hasEnded.load(ordering: .acquiring) }

  func askToEnd() { end.ask() }

  /// Refuses connections to the service from now on.
  func takeServiceDown() { service.isDown.store(true, ordering: .releasing) }

  func browser(_ family: LoopbackSocket.Family = .v4) throws -> RawBrowser {
    try RawBrowser(port: port, family)
  }

  /// A cookie that lets one in.
  func cookie() throws -> String {
    for address in addresses {
      if let cookie = try RawBrowser.cookie(of: address) { return cookie }
    }
    throw TestFailure("no token is taken")
  }

  /// A WebSocket, and the service's end of its session.
  func session() throws -> (browser: RawBrowser, service: Descriptor) {
    let browser = try RawBrowser.webSocket(port: port, cookie: cookie())
    guard let service = service.sessions.withLock({ $0.popLast() }) else {
      throw TestFailure("there is no session with the service")
    }
    return (browser, service)
  }

  /// Receives a frame at the service's end; `nil` at the end.
  static func frame(_ service: Descriptor) throws -> String? {
    guard let head = try bytes(4, service) else { return nil }
    let size = head.reduce(0) { $0 << 8 | Int($1) }
    return try bytes(size, service).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func bytes(_ count: Int, _ service: Descriptor) throws -> [UInt8]? {
    var result = [UInt8](repeating: 0, count: count)
    var taken = 0
    while taken < count {
      let more = try result.withUnsafeMutableBytes {
        try service.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[taken...]))
      }
      if more == 0 { return nil }
      taken += more
    }
    return result
  }

  /// The bytes of a frame of the service.
  static func framed(_ text: String) -> [UInt8] {
    let count = text.utf8.count
    return [24, 16, 8, 0].map { UInt8(count >> $0 & 255) } + Array(text.utf8)
  }
}
