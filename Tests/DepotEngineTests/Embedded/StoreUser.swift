import Foundation
import TestSupport
import Testing

/// The program `store-user`, killed with the last reference to it.
final class StoreUser {
  /// The environment of a program that leaves out the service on the default socket.
  static let embedded = ["DEPOT_EMBEDDED": "1"]

  private let process: TestProcess
  private let folder: TemporaryFolder
  private let errors: String

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - environment: More of its environment.
  ///   - prefix: The program and arguments that run it, such as `setpriv`.
  /// - Throws: An error if it can't be started.
  init(_ environment: [String: String?] = StoreUser.embedded, prefix: [String] = []) throws {
    folder = try TemporaryFolder()
    errors = try folder.write("", to: "errors")
    let unset: [String: String?] = ["DEPOT_EMBEDDED": nil, "DEPOT_SOCKET": nil]
    process = try TestProcess(
      prefix + [Programs.folder + "/store-user"],
      environment: unset.merging(environment) { $1 },
      input: .connection,
      output: .connection,
      errors: .file(errors)
    )
  }

  deinit { process.kill() }

  var identifier: Int32 { process.identifier }

  /// What it wrote to the standard error.
  var errorOutput: String { (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "" }

  /// Sends a command and returns the answer.
  @discardableResult
  func ask(_ command: String) throws -> String {
    try send(command)
    return try #require(receive(), "no answer to \(command); \(errorOutput)")
  }

  func send(_ command: String) throws { try process.send(command) }

  /// Returns the next line that it writes; `nil` at the end, or if there comes none in time.
  func receive(within limit: Duration = patience) -> String? { process.receive(within: limit) }

  /// Returns all lines that it has written and that weren't received.
  func receiveRest() -> [String] {
    var lines: [String] = []
    while let line = receive(within: .zero) { lines.append(line) }
    return lines
  }

  /// Kills it without warning and waits until it is gone.
  func kill() { process.kill() }

  func send(signal: Int32) { process.signal(signal) }

  /// Waits for its end, and kills it if that doesn't come.
  ///
  /// - Returns: The status, with 128 and the signal if that ended it.
  func wait() -> Int32 {
    if process.wait(within: patience) == nil { kill() }
    return process.wait()
  }
}
