import DepotClient
import DepotLinux
import DepotProtocol
import Foundation

/// The parts of the benchmark that run as processes of their own.
enum Helper {
  /// Runs as a helper if the arguments ask for one.
  ///
  /// - Returns: The process's status, or `nil` if this is the benchmark itself.
  static func run(_ arguments: [String]) throws -> Int32? {
    guard let name = arguments.first, name.hasPrefix("helper-") else { return nil }
    let path = arguments[1]
    switch name {
    case "helper-echo": try echo(path)
    case "helper-ping-pong": try pingPong(path, Int(arguments[2]) ?? 0, Int(arguments[3]) ?? 0)
    case "helper-get": try get(path, Int(arguments[2]) ?? 0, Int(arguments[3]) ?? 0)
    case "helper-enumerate": try enumerate(path)
    case "helper-models": try ModelWork.run(arguments[2], path, Int(arguments[3]) ?? 0)
    case "helper-objects":
      try ModelWork.run(stages: Int(arguments[2]) ?? 0, path, Int(arguments[3]) ?? 0)
    case "helper-main-actor": MainActorWork.run(path, Int(arguments[2]) ?? 0)
    case "helper-watch": try Subscriber.watch(path, Int(arguments[2]) ?? 0, ready: arguments[3])
    case "helper-marks": try Subscriber.marks(path, Int(arguments[2]) ?? 0, ready: arguments[3])
    case "helper-count": try Subscriber.count(path, Int(arguments[2]) ?? 0, ready: arguments[3])
    case "helper-listen": try Subscriber.listen(path, Int(arguments[2]) ?? 0, ready: arguments[3])
    case "helper-subscribe":
      try Subscriber.subscribe(path, arguments[2], Int(arguments[3]) ?? 0, ready: arguments[4])
    default: throw BenchError("there is no \(name)")
    }
    return 0
  }

  /// Answers each frame of one connection with a frame of 160 bytes: the floor of any service.
  private static func echo(_ path: String) throws {
    // It has its name when it can be connected to.
    let listener = try UnixSocket.listen(path: path + ".new")
    try FileSystem.rename(path + ".new", to: path)
    var descriptor: Descriptor?
    while descriptor == nil {
      descriptor = try? UnixSocket.accept(from: listener)
      usleep(1000)
    }
    guard let descriptor else { return }
    // Accepted connections don't block; an echo that polls would be no floor.
    let loop = try EventLoop()
    try loop.add(descriptor, token: 1)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    let reply = [UInt8](repeating: 0, count: replySize)
    var events: [EventLoop.Event] = []
    while true {
      loop.wait(milliseconds: 1000, &events)
      guard !events.isEmpty else { continue }
      guard try descriptor.read(into: buffer) > 0 else { return }
      _ = try reply.withUnsafeBytes { try descriptor.send($0) }
    }
  }

  /// The sizes of a get's frames, which the echo uses too.
  static let requestSize = 61
  static let replySize = 160

  /// Sends frames and waits for each answer; prints the median in microseconds.
  private static func pingPong(_ path: String, _ count: Int, _ size: Int) throws {
    let descriptor = try UnixSocket.connect(path: path)
    let request = [UInt8](repeating: 0, count: size)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    var latencies: [Double] = []
    for _ in 0..<count {
      let start = Monotonic.now()
      _ = try request.withUnsafeBytes { try descriptor.send($0) }
      _ = try descriptor.read(into: buffer)
      latencies.append(Double(Monotonic.now() - start) / 1000)
    }
    print(median(latencies))
  }

  /// Gets items one after the other; prints the median in microseconds.
  private static func get(_ path: String, _ count: Int, _ rows: Int) throws {
    let connection = try BlockingConnection(socket: SocketPath(path))
    var latencies: [Double] = []
    latencies.reserveCapacity(count)
    for index in 0..<count {
      let identifier = Int64(index * 7919 % rows + 1)
      let request = GetRequest(entity: "Item", identifiers: [identifier], namesColumns: false)
      var item: Item?
      let start = Monotonic.now()
      try connection.get(request) { item = try Item(from: &$0) }
      latencies.append(Double(Monotonic.now() - start) / 1000)
      guard item?.identifier == identifier else { throw BenchError("a wrong row came") }
    }
    print(median(latencies))
  }

  /// Reads all items; prints how many, and how much memory that took beyond idle in KiB.
  private static func enumerate(_ path: String) throws {
    let connection = try BlockingConnection(socket: SocketPath(path))
    try connection.ping()
    let idle = ownKibibytes("VmRSS")
    var sum: Int64 = 0
    let count = try connection.enumerate(Item.self) { page in
      for item in page.records { sum &+= item.size }
    }
    print(count, ownKibibytes("VmHWM") - idle, sum)
  }

  private static func ownKibibytes(_ name: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }
}
