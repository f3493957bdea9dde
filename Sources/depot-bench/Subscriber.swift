import DepotClient
import DepotLinux
import DepotProtocol
import Foundation

/// A watch while another client commits.
enum Subscription: String, CaseIterable {
  case otherEntity
  case otherRows
  case unreadProperty
  case concerned

  /// Its name in the figures.
  var label: String {
    switch self {
    case .otherEntity: "of another entity"
    case .otherRows: "of other rows"
    case .unreadProperty: "of an unread property"
    case .concerned: "concerned"
    }
  }

  /// The section of the items that are changed.
  static let changed = "watched"

  /// The changes are of the name and the size of items of one section.
  func query(_ number: Int) -> FetchRequest {
    let isInSection = QueryExpression.comparison(
      .equal,
      .attribute("section"),
      .value(.string(Self.changed))
    )
    let isOfSize = QueryExpression.comparison(
      .equal,
      .attribute("size"),
      .value(.int64(-1 - Int64(number)))
    )
    return switch self {
    case .otherEntity: FetchRequest(entity: "Other", select: ["name"])
    case .otherRows: FetchRequest(entity: "Item", predicate: isOfSize, select: ["name", "size"])
    case .unreadProperty: FetchRequest(entity: "Item", predicate: isInSection, select: ["note"])
    case .concerned: FetchRequest(entity: "Item", predicate: isInSection, select: ["name", "size"])
    }
  }
}

/// The processes that watch commits.
enum Subscriber {
  /// Watches items whose size is when they were sent; prints the latencies' p50 and p99.
  static func watch(_ path: String, _ count: Int, ready: String) throws {
    let sent = #Predicate<Item> { $0.size > 1_000_000_000 }
    try watch(path, count, ready, where: sent) { UInt64($0.size) }
  }

  /// Watches marks, which say when they were sent; prints the latencies' p50 and p99.
  static func marks(_ path: String, _ count: Int, ready: String) throws {
    try watch(path, count, ready, where: nil) { (mark: Mark) in UInt64(mark.at) }
  }

  private static func watch<Model: Record>(
    _ path: String,
    _ count: Int,
    _ ready: String,
    where predicate: Predicate<Model>?,
    time: (Model) -> UInt64
  ) throws {
    let connection = try BlockingConnection(socket: SocketPath(path))
    var latencies: [Double] = []
    try connection.watch(Model.self, where: predicate) { event, _ in
      let now = Monotonic.now()
      switch event {
      case .snapshot: try Data().write(to: URL(filePath: ready))
      case .change(let change):
        latencies += change.placed.map { latency(since: time($0.row.content), now) }
      default: break
      }
      return latencies.count < count
    }
    print(percentile(latencies, 0.5), percentile(latencies, 0.99))
  }

  /// Listens to PostgreSQL's notifications, which say when they were sent.
  static func listen(_ path: String, _ count: Int, ready: String) throws {
    let connection = try PostgresConnection(folder: path)
    try connection.run("LISTEN items")
    try Data().write(to: URL(filePath: ready))
    var latencies: [Double] = []
    while latencies.count < count {
      guard let time = UInt64(try connection.notification()) else {
        throw BenchError("a notification has no time")
      }
      latencies.append(latency(since: time, Monotonic.now()))
    }
    print(percentile(latencies, 0.5), percentile(latencies, 0.99))
  }

  /// Returns a latency in microseconds.
  private static func latency(since time: UInt64, _ now: UInt64) -> Double {
    Double(Int64(now) - Int64(time)) / 1000
  }

  /// Watches queries over as many connections as needed, until the file `ready` is removed.
  ///
  /// Prints how many changes arrived; the last ones may still be on their way then.
  static func subscribe(_ path: String, _ kind: String, _ count: Int, ready: String) throws {
    guard let kind = Subscription(rawValue: kind) else { throw BenchError("there is no \(kind)") }
    try subscribe(path, count, ready) { .fetch(kind.query($0)) }
  }

  /// Watches ten different counts of items in rotation, as ``subscribe(_:_:_:ready:)`` does.
  static func count(_ path: String, _ count: Int, ready: String) throws {
    try subscribe(path, count, ready) { number in
      let isLarge = QueryExpression.comparison(
        .greater,
        .attribute("size"),
        .value(.int64(Int64(number % 10) * 1000))
      )
      return .count(CountRequest(entity: "Item", predicate: isLarge))
    }
  }

  private static func subscribe(
    _ path: String,
    _ count: Int,
    _ ready: String,
    _ subject: (Int) -> WatchRequest.Subject
  ) throws {
    let loop = try EventLoop()
    var connections: [WatchConnection] = []
    for start in stride(from: 0, to: count, by: WatchConnection.most) {
      let connection = try WatchConnection(path)
      for number in start..<min(start + WatchConnection.most, count) {
        try connection.watch(subject(number))
      }
      try loop.add(
        connection.descriptor,
        token: Int64(connections.count)
      )
      connections.append(connection)
    }
    var events: [EventLoop.Event] = []
    var isReady = false
    var quietWaits = 0
    while !isReady || FileManager.default.fileExists(atPath: ready) || quietWaits < 4 {
      loop.wait(milliseconds: 50, &events)
      quietWaits = events.isEmpty ? quietWaits + 1 : 0
      for event in events { try connections[Int(event.token)].receive() }
      guard !isReady, connections.reduce(0, { $0 + $1.live }) == count else { continue }
      try Data().write(to: URL(filePath: ready))
      isReady = true
    }
    print(connections.reduce(0) { $0 + $1.changes })
  }
}

/// A connection with many watches, whose frames are only counted.
private final class WatchConnection {
  /// How many queries a connection may watch.
  static let most = 64

  let descriptor: Descriptor
  private(set) var live = 0
  private(set) var changes = 0
  private var next: Int64 = 1
  private var decoder = FrameDecoder(framing: .length)
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

  init(_ path: String) throws {
    descriptor = try UnixSocket.connect(path: path)
    try send { $0.write(Hello(client: ["name": "bench"])) }
    try receive()
  }

  deinit { buffer.deallocate() }

  func watch(_ subject: WatchRequest.Subject) throws {
    try send { $0.write(Call(id: next, .watch(WatchRequest(subject)), credit: 1_000_000_000)) }
    next += 1
  }

  func receive() throws {
    let count = try descriptor.read(into: buffer)
    guard count > 0 else { throw BenchError("the service closed a connection") }
    decoder.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    while case .frame(let bytes)? = try decoder.next() {
      let head = String(decoding: bytes.prefix(60), as: UTF8.self)
      if head.contains("\"kind\":\"live\"") { live += 1 }
      if head.contains("\"kind\":\"change\"") { changes += 1 }
      if head.contains("\"err\"") { throw BenchError(String(decoding: bytes, as: UTF8.self)) }
    }
  }

  private func send(_ write: (inout JSONWriter) -> Void) throws {
    var writer = JSONWriter()
    FrameEncoder.append(.length, to: &writer, write)
    let count = try writer.bytes.withUnsafeBytes { try descriptor.send($0) }
    guard count == writer.bytes.count else { throw BenchError("the kernel took half a call") }
  }
}
