import DepotLinux
import Foundation
import Testing

/// The program `store-user`, killed with the last reference to it.
final class Program {
  static let folder: String = {
    if let folder = ProcessInfo.processInfo.environment["DEPOT_PROGRAMS"] { return folder }
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return root.appending(path: ".build/debug").path
  }()

  /// The environment of a program that leaves out the service on the default socket.
  static let embedded = ["DEPOT_EMBEDDED": "1"]

  private let process = Foundation.Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errors: String
  private let folder: TemporaryFolder
  private var received: [UInt8] = []

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - environment: More of its environment.
  ///   - prefix: The program and arguments that run it, such as `setpriv`.
  /// - Throws: An error if it can't be started.
  init(_ environment: [String: String] = Program.embedded, prefix: [String] = []) throws {
    folder = try TemporaryFolder()
    errors = folder.path + "/errors"
    try Data().write(to: URL(filePath: errors))
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = prefix + [Self.folder + "/store-user"]
    var all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    for name in ["DEPOT_EMBEDDED", "DEPOT_SOCKET"] where environment[name] == nil {
      all[name] = nil
    }
    process.environment = all
    process.standardInput = input
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
    try process.run()
  }

  deinit { kill() }

  var identifier: Int32 { process.processIdentifier }

  /// What it wrote to the standard error.
  var errorOutput: String { (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "" }

  /// Sends a command and returns the answer.
  @discardableResult
  func ask(_ command: String) throws -> String {
    try send(command)
    return try #require(receive(), "no answer to \(command); \(errorOutput)")
  }

  func send(_ command: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
  }

  /// Returns the next line that it writes; `nil` at the end, or if there comes none in time.
  func receive(within seconds: Int = 40) -> String? {
    let end = Monotonic.now() + UInt64(seconds) * 1_000_000_000
    let descriptor = output.fileHandleForReading.fileDescriptor
    while true {
      if let index = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: received[..<index], as: UTF8.self)
        received.removeSubrange(...index)
        return line
      }
      guard Monotonic.now() < end else { return nil }
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 100) > 0 else { continue }
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return nil }
      received += bytes[..<count]
    }
  }

  /// Returns all lines that it has written and that weren't received.
  func receiveRest() -> [String] {
    var lines: [String] = []
    while let line = receive(within: 0) { lines.append(line) }
    return lines
  }

  /// Kills it without warning and waits until it is gone.
  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(identifier, SIGKILL)
    process.waitUntilExit()
  }

  func send(signal: Int32) { Foundation.kill(identifier, signal) }

  /// Waits for its end, and kills it if that doesn't come.
  ///
  /// - Returns: The status, with 128 and the signal if that ended it.
  func wait() -> Int32 {
    if !holdsSoon(seconds: 20, { !process.isRunning }) { kill() }
    return process.terminationReason == .uncaughtSignal
      ? 128 + process.terminationStatus : process.terminationStatus
  }
}
