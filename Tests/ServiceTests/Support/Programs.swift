import DepotLinux
import Foundation

/// The programs under test.
enum Programs {
  /// Where they are: what `make test` built, or what `swift build` left beside the tests.
  static let folder: String = {
    if let folder = ProcessInfo.processInfo.environment["DEPOT_PROGRAMS"] { return folder }
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return root.appending(path: ".build/debug").path
  }()

  static let root: String = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  static var daemon: String { folder + "/depotd" }
  static var depot: String { folder + "/depot" }

  /// Whether the tests run as root, so that they can become other users.
  static var isRoot: Bool { DepotLinux.Process.user == 0 }
}

/// What a program wrote and how it ended.
struct Outcome {
  var status: Int32
  var output: String
  var errors: String

  var lines: [Substring] { output.split(separator: "\n") }
}

/// A program that runs.
final class Program {
  let process = Foundation.Process()
  private let folder: TemporaryFolder
  private let input = Pipe()

  /// Starts a program.
  ///
  /// Its output goes to files, so that nobody has to empty a pipe.
  init(_ arguments: [String], environment: [String: String] = [:], input text: String? = nil) throws
  {
    folder = try TemporaryFolder()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    for name in ["out", "err"] {
      _ = try folder.write("", to: name)
    }
    process.standardOutput = try FileHandle(
      forWritingTo: URL(filePath: folder.path + "/out")
    )
    process.standardError = try FileHandle(forWritingTo: URL(filePath: folder.path + "/err"))
    if let text {
      let path = folder.path + "/in"
      try Data(text.utf8).write(to: URL(filePath: path))
      process.standardInput = try FileHandle(forReadingFrom: URL(filePath: path))
    } else {
      process.standardInput = FileHandle.nullDevice
    }
    try process.run()
  }

  /// Waits until it has ended.
  func wait() throws -> Outcome {
    process.waitUntilExit()
    let isSignal = process.terminationReason == .uncaughtSignal
    return Outcome(
      status: isSignal ? 128 + process.terminationStatus : process.terminationStatus,
      output: try String(contentsOfFile: folder.path + "/out", encoding: .utf8),
      errors: try String(contentsOfFile: folder.path + "/err", encoding: .utf8)
    )
  }

  /// What it wrote so far.
  var output: String {
    (try? String(contentsOfFile: folder.path + "/out", encoding: .utf8)) ?? ""
  }

  /// What it wrote to the standard error so far.
  var errors: String {
    (try? String(contentsOfFile: folder.path + "/err", encoding: .utf8)) ?? ""
  }

  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Runs a program to its end.
  static func run(
    _ arguments: [String],
    environment: [String: String] = [:],
    input: String? = nil
  ) throws -> Outcome {
    try Program(arguments, environment: environment, input: input).wait()
  }

  /// Runs a Python program to its end.
  static func python(_ source: String, _ arguments: [String]) throws -> Outcome {
    try run(["python3", "-c", source] + arguments)
  }
}
