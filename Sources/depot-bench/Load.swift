import DepotClient
import DepotLinux
import DepotProtocol
import Foundation

/// A load of many connections from one thread, each sending its next call when the last is answered.
enum Load {
  /// The result of a load.
  struct Result {
    var callsPerSecond: Double
    /// The latencies of all calls in microseconds.
    var latencies: [Double]
    /// The processor time that the service took for a call, in microseconds.
    var cpu = 0.0

    var p50: Double { percentile(latencies, 0.5) }
    var p99: Double { percentile(latencies, 0.99) }
  }

  private final class Client {
    let descriptor: Descriptor
    var decoder = FrameDecoder(framing: .length)
    var sentAt: UInt64 = 0
    var next: Int64 = 1

    init(_ descriptor: Descriptor) {
      self.descriptor = descriptor
    }
  }

  /// Runs calls over `connections` connections of a service for `seconds`.
  static func run(
    on daemon: Daemon,
    connections: Int,
    seconds: Double,
    _ operation: (Int64) -> DepotProtocol.Operation
  ) throws -> Result {
    let start = daemon.child.processorTime()
    var result = try run(
      socket: daemon.socket.path,
      connections: connections,
      seconds: seconds,
      operation
    )
    let time = daemon.child.processorTime() - start
    result.cpu = time / Double(max(1, result.latencies.count))
    return result
  }

  /// Runs calls over `connections` connections for `seconds`.
  static func run(
    socket: String,
    connections: Int,
    seconds: Double,
    _ operation: (Int64) -> DepotProtocol.Operation
  ) throws -> Result {
    let loop = try EventLoop()
    var clients: [Client] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    for number in 0..<connections {
      let client = Client(try UnixSocket.connect(path: socket))
      var writer = JSONWriter()
      FrameEncoder.append(.length, to: &writer) { $0.write(Hello(client: ["name": "bench"])) }
      try send(writer.bytes, client)
      try receive(client, buffer)
      try client.descriptor.setNonblocking()
      try loop.add(client.descriptor, token: Int64(number))
      clients.append(client)
    }
    var latencies: [Double] = []
    latencies.reserveCapacity(1 << 20)
    let start = Monotonic.now()
    let end = start + UInt64(seconds * 1e9)
    for client in clients { try call(client, operation) }
    var events: [EventLoop.Event] = []
    var waiting = clients.count
    while waiting > 0 {
      loop.wait(milliseconds: 10_000, &events)
      if events.isEmpty { throw BenchError("the service stopped answering") }
      for event in events {
        let client = clients[Int(event.token)]
        guard try receive(client, buffer) else { continue }
        let now = Monotonic.now()
        latencies.append(Double(now - client.sentAt) / 1000)
        if now < end { try call(client, operation) } else { waiting -= 1 }
      }
    }
    let elapsed = Double(Monotonic.now() - start) / 1e9
    return Result(callsPerSecond: Double(latencies.count) / elapsed, latencies: latencies)
  }

  private static func call(
    _ client: Client,
    _ operation: (Int64) -> DepotProtocol.Operation
  ) throws {
    var writer = JSONWriter()
    FrameEncoder.append(.length, to: &writer) { writer in
      writer.write(Call(id: client.next, operation(client.next)))
    }
    client.next += 1
    client.sentAt = Monotonic.now()
    try send(writer.bytes, client)
  }

  private static func send(_ bytes: [UInt8], _ client: Client) throws {
    let count = try bytes.withUnsafeBytes { try client.descriptor.send($0) }
    guard count == bytes.count else { throw BenchError("the kernel took half a call") }
  }

  /// Reads the bytes that have arrived; returns whether a call is answered.
  @discardableResult
  private static func receive(
    _ client: Client,
    _ buffer: UnsafeMutableRawBufferPointer
  ) throws -> Bool {
    let count = try client.descriptor.read(into: buffer)
    guard count > 0 else { throw BenchError("the service closed a connection") }
    client.decoder.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    guard case .frame(let bytes)? = try client.decoder.next() else { return false }
    // The error of a call must not pass for speed.
    if bytes.prefix(40).contains(UInt8(ascii: "r")),
      String(decoding: bytes.prefix(40), as: UTF8.self)
        .contains("\"err\"")
    {
      throw BenchError(String(decoding: bytes, as: UTF8.self))
    }
    return true
  }
}
