import DepotClient
import DepotLinux
import Foundation

/// A process that the benchmark started.
final class Child {
  private let process: ChildProcess
  private let arguments: [String]

  /// Starts a program, on the core `pin` if one is named.
  ///
  /// - Throws: ``SystemError`` if it can't be started.
  init(_ arguments: [String], pin: Int? = nil) throws {
    self.arguments = (pin.map { ["taskset", "-c", String($0)] } ?? []) + arguments
    process = try ChildProcess(self.arguments, output: .captured)
  }

  var identifier: Int32 { process.identifier }

  /// Waits for the end, and returns the output.
  ///
  /// - Throws: ``BenchError`` if the status isn't 0.
  func result() throws -> String {
    let output = try process.capturedOutput()
    let status = process.wait()
    guard status == 0 else {
      throw BenchError("\(arguments.joined(separator: " ")) ended with \(status)")
    }
    return String(decoding: output, as: UTF8.self)
  }

  func stop() {
    process.terminate()
    _ = process.wait()
  }

  /// Returns a line of /proc/PID/status in KiB, such as VmHWM.
  func kibibytes(_ name: String) -> Int {
    let path = "/proc/\(identifier)/status"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return 0 }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }

  /// Returns how long its threads, or the threads of a name, have run, in microseconds.
  func processorTime(ofThreads name: String? = nil) -> Double {
    let folder = "/proc/\(identifier)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.reduce(0) { sum, thread in
      func text(_ file: String) -> String {
        (try? String(contentsOfFile: "\(folder)/\(thread)/\(file)", encoding: .utf8)) ?? ""
      }
      if let name, text("comm") != name + "\n" { return sum }
      return sum + (text("schedstat").split(separator: " ").first.flatMap { Double($0) } ?? 0)
        / 1000
    }
  }

  /// Starts the high-water mark of the memory anew.
  func resetPeak() {
    try? "5".write(toFile: "/proc/\(identifier)/clear_refs", atomically: false, encoding: .utf8)
  }

  /// The folder of this program and its siblings.
  static let programs = DepotLinux.Process.programFolder ?? "."
}

/// A service of the benchmark's own.
final class Daemon {
  let child: Child
  let socket: SocketPath

  /// Starts a service; `store` is the address of the database that its store is in, a file if `nil`.
  ///
  /// A `tool` that is given, with its arguments, runs the service.
  init(
    _ folder: TemporaryFolder,
    name: String,
    pin: Int? = nil,
    store: String? = nil,
    tool: [String] = []
  ) throws {
    socket = SocketPath(folder.file(name + ".sock"))
    child = try Child(
      tool + [
        Child.programs + "/depotd", "--socket", socket.path, "--store",
        store ?? folder.file(name + ".sqlite"), "--cache", folder.file("copies"), "--slow-ms",
        "600000", "--max-connections", "2048",
      ],
      pin: pin
    )
    _ = try connect()
  }

  /// Connects, waiting for the service if it has just been started.
  func connect() throws -> BlockingConnection {
    for _ in 0..<100_000 {
      if let connection = try? BlockingConnection(socket: socket) { return connection }
      usleep(500)
    }
    return try BlockingConnection(socket: socket)
  }

  func stop() { child.stop() }
}
