import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

/// A real `depotd` with a store and a socket of its own, killed with the last reference to it.
final class TestDaemon {
  let folder: TemporaryFolder
  let socket: String
  let store: String
  private let command: [String]
  private(set) var process: TestProcess

  /// Starts a service and waits until it answers.
  ///
  /// - Parameters:
  ///   - arguments: More arguments of `depotd`.
  ///   - prefix: The program and arguments that run `depotd`, such as `prlimit`.
  ///   - suffix: Redirections of its descriptors, in the shell's language.
  ///   - environment: More of its environment.
  ///   - schema: The schema to define, unless it is empty.
  /// - Throws: ``DepotError`` `unavailable.service` if it doesn't come to answer.
  init(
    _ arguments: [String] = [],
    prefix: [String] = [],
    suffix: String = "",
    environment: [String: String] = [:],
    schema: String = TestDaemon.schema
  ) throws {
    folder = try TemporaryFolder()
    socket = folder.path + "/s"
    store = folder.path + "/store.sqlite"
    let command = prefix + [Programs.daemon, "--socket", socket, "--store", store] + arguments
    self.command =
      suffix.isEmpty ? command : ["sh", "-c", "exec \"$@\" \(suffix)", "sh"] + command
    process = try Self.launch(self.command, folder, environment)
    try awaitAnswer()
    guard !schema.isEmpty else { return }
    let connection = try RawConnection(socket)
    try connection.call(1, "schema.define", #"{"schema":\#(schema)}"#)
    let answer = try connection.receive()
    #expect(answer["ok"] != nil, "\(answer.text)")
  }

  /// Items with a unique name, a counter, and some text.
  static let schema = """
    {"entities":[{"name":"Item","attributes":[{"name":"name","type":"string","unique":true},\
    {"name":"n","type":"int64","default":0},{"name":"text","type":"string","optional":true}]}]}
    """

  deinit { process.kill() }

  var identifier: Int32 { process.identifier }

  /// The text that it wrote to its standard error.
  var log: String {
    (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? ""
  }

  /// Starts the service on the same store again, and waits until it answers.
  func start(environment: [String: String] = [:]) throws {
    process = try Self.launch(command, folder, environment)
    try awaitAnswer()
  }

  private func awaitAnswer() throws {
    let connection = try poll {
      if !process.isRunning { throw DepotError(.noService, "depotd ended: \(self.log)") }
      return try? RawConnection(socket)
    }
    guard connection != nil else {
      throw DepotError(.noService, "depotd doesn't answer: \(self.log)")
    }
  }

  /// Has another service take the place of this one, and waits for the end of the first.
  ///
  /// - Returns: The status of the first.
  func takeOver() throws -> Int32 {
    let first = process
    process = try Self.launch(command + ["--takeover"], folder, [:])
    return try #require(
      first.wait(within: patience),
      "the first service still runs: \(log)"
    )
  }

  private static func launch(
    _ command: [String],
    _ folder: TemporaryFolder,
    _ environment: [String: String]
  ) throws -> TestProcess {
    let log = TestProcess.Stream.file(folder.path + "/log")
    return try TestProcess(command, environment: environment, output: log, errors: log)
  }

  /// Kills it without warning and waits until it is gone.
  func kill() { process.kill() }

  func send(_ signal: Int32) { process.signal(signal) }

  /// Waits for its end and returns its status, with 128 and the signal if that ended it.
  func wait(within limit: Duration = patience) throws -> Int32 {
    try #require(process.wait(within: limit), "depotd still runs: \(log)")
  }

  func terminate() throws -> Int32 {
    send(SIGTERM)
    return try wait()
  }

  func connect() throws -> BlockingConnection {
    try BlockingConnection(socket: SocketPath(socket), name: "test")
  }

  /// Runs `depot` against it.
  func depot(_ arguments: [String], input: String? = nil) throws -> Outcome {
    try Program.run(
      [Programs.depot, "--socket", socket, "--no-start"] + arguments,
      input: input
    )
  }

  func stats() throws -> JSONValue { try connect().stats() }

  /// The path of its store, or the address of the database where that is.
  var storeName: String {
    get throws { try #require(stats()["server", "storePath"]?.string) }
  }

  /// How many descriptors it has open.
  func descriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/fd").count
  }

  /// How many of them are sockets; the readers open the store's files as they are needed.
  func socketCount() throws -> Int {
    let folder = "/proc/\(identifier)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)
      return target?.hasPrefix("socket:") == true
    }
  }

  /// A figure of /proc/PID/status, such as `VmHWM`, in KiB.
  func status(_ name: String) throws -> Int {
    try Self.status(name, of: "\(identifier)")
  }

  static func status(_ name: String, of process: String) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
    return try #require(Int(line.split(whereSeparator: { " \t".contains($0) })[1]))
  }

  /// Waits until it has nothing more to do: it uses no processor time for a while.
  func settle() throws {
    var last = -1
    try expectSoon("it doesn't come to rest") {
      let ticks = try processorTicks()
      defer { last = ticks }
      if ticks == last { return true }
      DepotLinux.Process.sleep(milliseconds: 500)
      return false
    }
  }

  /// The processor time that it has used, in clock ticks of 10 ms.
  func processorTicks() throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    return try #require(Int(fields[11])) + #require(Int(fields[12]))
  }
}
