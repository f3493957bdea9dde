import DepotClient
import DepotLinux
import DepotProtocol
import Foundation

/// A call whose instructions in the service are counted, made by frames as clients send them.
struct CountedCall: Sendable {
  let name: String
  let operation: String
  /// How many connections watch the history meanwhile.
  var watchers = 0
  /// How many calls both runs make, and how many more the longer run makes.
  var warmUp = 100
  var count = 400
  /// Further members of the frame: the clients send each fetch with credit.
  var members = ""
  /// The arguments of the call with a number.
  let arguments: @Sendable (Int) -> String

  static let all: [CountedCall] = [
    CountedCall(name: "ping", operation: "ping", count: 2000) { _ in "{}" },
    CountedCall(name: "get", operation: "get", warmUp: 1000, count: 2000) {
      #"{"entity": "Item", "ids": [\#($0 % 1000 + 1)]}"#
    },
    CountedCall(name: "fetch (text)", operation: "fetch", warmUp: 900, count: 900, members: credit)
    {
      let low = $0 % 900
      return #"{"entity": "Item", "where": "n >= \#(low) AND n < \#(low + 10)", \#(order)}"#
    },
    CountedCall(name: "fetch (bound)", operation: "fetch", warmUp: 900, count: 900, members: credit)
    {
      let low = $0 % 900
      return #"{"entity": "Item", "where": "n >= $low AND n < $high", "#
        + #""bind": {"low": \#(low), "high": \#(low + 10)}, \#(order)}"#
    },
    CountedCall(name: "count", operation: "count", warmUp: 900, count: 900) {
      #"{"entity": "Item", "where": "n >= \#($0 % 900) AND n < \#($0 % 900 + 10)"}"#
    },
    CountedCall(name: "insert", operation: "insert") {
      #"{"entity": "Item", "columns": \#(columns), "rows": [\#(row($0, "b"))]}"#
    },
    CountedCall(name: "save", operation: "save", arguments: save),
    CountedCall(name: "save (1 watch)", operation: "save", watchers: 1, arguments: save),
    CountedCall(name: "save (10 watches)", operation: "save", watchers: 10, arguments: save),
  ]

  private static let credit = #", "credit": 8"#
  private static let order = #""sort": [{"attribute": "n"}]"#
  private static let columns = #"["name", "n", "text", "price"]"#

  private static func row(_ number: Int, _ mark: String) -> String {
    let text = String(repeating: "t", count: 40)
    return #"["\#(mark)\#(number)", \#(number), "\#(text)", \#(Double(number) / 7)]"#
  }

  /// Changes two properties of a row that is as it was inserted.
  @Sendable private static func save(_ number: Int) -> String {
    #"{"update": [{"entity": "Item", "columns": ["$id", "$version", "name", "price"], "#
      + #""rows": [[\#(number + 1), 1, "c\#(number)", \#(Double(number) / 3)]]}]}"#
  }

  private static let schema = #"""
    {"entities": [{"name": "Item", "attributes": [
      {"name": "name", "type": "string"}, {"name": "n", "type": "int64", "indexed": true},
      {"name": "text", "type": "string"}, {"name": "price", "type": "double"}]}]}
    """#

  /// Returns the instructions of a service from its start to its end that answers so many calls of a
  /// kind, one after the other, and has 1,000 rows and a history.
  static func instructions(_ call: CountedCall, _ count: Int) throws -> Int {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let log = folder.file("log")
    try make(call, count, of: Daemon(folder, name: "counted", tool: Callgrind.command(log: log)))
    return try Callgrind.total(log: log)
  }

  private static func make(_ call: CountedCall, _ count: Int, of daemon: Daemon) throws {
    defer { daemon.stop() }
    let writer = try FrameConnection(daemon.socket.path)
    try writer.call("schema.define", #"{"schema": \#(schema)}"#)
    let rows = (0..<1000).map { row($0, "a") }.joined(separator: ", ")
    try writer.call("insert", #"{"entity": "Item", "columns": \#(columns), "rows": [\#(rows)]}"#)
    var watchers: [FrameConnection] = []
    for _ in 0..<call.watchers {
      let watcher = try FrameConnection(daemon.socket.path)
      try watcher.send("watch", #"{"history": {}}"#)
      _ = try watcher.receive()
      watchers.append(watcher)
    }
    for number in 0..<count {
      try writer.call(call.operation, call.arguments(number), call.members)
      // Events of two commits must not share a frame.
      for watcher in watchers {
        while try !watcher.receive().contains("\"c\(number)\"") {}
      }
    }
  }
}

/// Objects whose instructions in the client are counted.
enum CountedObjects {
  /// The operations on objects, each after the one before.
  static let names = ["object inserted", "object fetched", "object changed", "object deleted"]
  static let warmUp = 1000
  static let count = 5000

  /// Returns the instructions of a program that performs the first stages with a number of objects.
  static func instructions(stages: Int, _ count: Int) throws -> Int {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let daemon = try Daemon(folder, name: "counted")
    defer { daemon.stop() }
    let log = folder.file("log")
    _ = try Child(
      ["env", "DEPOT_SOCKET=\(daemon.socket.path)"] + Callgrind.command(log: log) + [
        Child.programs + "/depot-bench", "helper-objects", folder.file("counted.store"),
        "\(stages)", "\(count)",
      ]
    ).result()
    return try Callgrind.total(log: log)
  }
}

/// The tool that counts instructions, of the Debian package valgrind.
private enum Callgrind {
  /// Returns the words in front of a program and its arguments.
  static func command(log: String) -> [String] {
    [
      // With seeds of their own, two runs would have other collisions in their dictionaries.
      "env", "SWIFT_DETERMINISTIC_HASHING=1",
      "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=\(log)",
    ]
  }

  /// Returns how many instructions were counted.
  static func total(log: String) throws -> Int {
    let text = try String(contentsOfFile: log, encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.contains("Collected :") }
    guard let total = line.flatMap({ Int($0.split(separator: " ").last ?? "") }) else {
      throw BenchError("callgrind counted nothing:\n\(text)")
    }
    return total
  }
}

/// A connection that sends calls as they are written.
private final class FrameConnection {
  private let descriptor: Descriptor
  private var next = 1
  private var decoder = FrameDecoder(framing: .length)
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

  init(_ path: String) throws {
    descriptor = try UnixSocket.connect(path: path)
    try send(frame: #"{"hello": {"protocol": [1, 1]}}"#)
    _ = try receive()
  }

  deinit { buffer.deallocate() }

  /// Makes a call and waits for its last frame.
  func call(_ operation: String, _ arguments: String, _ members: String = "") throws {
    try send(operation, arguments, members)
    while true {
      let frame = try receive()
      if frame.hasPrefix("{\"id\":\(next),\"ok\":") { break }
      if frame.hasPrefix("{\"id\":\(next),\"err\":") { throw BenchError("\(operation): \(frame)") }
    }
  }

  func send(_ operation: String, _ arguments: String, _ members: String = "") throws {
    next += 1
    try send(frame: #"{"id": \#(next), "call": "\#(operation)", "args": \#(arguments)\#(members)}"#)
  }

  func receive() throws -> String {
    while true {
      if case .frame(let bytes)? = try decoder.next() {
        return String(decoding: bytes, as: UTF8.self)
      }
      let count = try descriptor.read(into: buffer)
      guard count > 0 else { throw BenchError("the service closed a connection") }
      decoder.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  private func send(frame: String) throws {
    var writer = JSONWriter()
    FrameEncoder.append(.length, to: &writer) { $0.raw(frame.utf8) }
    try descriptor.sendAll(writer.bytes)
  }
}
