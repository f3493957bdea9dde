import Foundation

/// What a program wrote and how it ended.
package struct Outcome: Sendable {
  /// Its exit status, or 128 and the number of the signal that ended it.
  package var status: Int32
  package var bytes: [UInt8]
  package var errors: String

  package var output: String { String(decoding: bytes, as: UTF8.self) }

  package var lines: [Substring] { output.split(separator: "\n") }
}

/// A program that runs, and writes into files so that nobody has to empty a pipe.
package final class Program: Sendable {
  package let process: TestProcess
  private let folder: TemporaryFolder

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: The program, which is looked for in `$PATH`, and its arguments.
  ///   - environment: What differs from this process's environment.
  ///   - text: What it finds at its standard input.
  /// - Throws: ``TestFailure`` if it can't be started.
  package init(
    _ arguments: [String],
    environment: [String: String?] = [:],
    input text: String? = nil
  ) throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    process = try TestProcess(
      arguments,
      environment: environment,
      input: text.map { .file(try folder.write($0, to: "in")) } ?? .nothing,
      output: .file(folder.path + "/out"),
      errors: .file(folder.path + "/err")
    )
  }

  /// What it wrote so far.
  package var output: String { String(decoding: contents(of: "out"), as: UTF8.self) }

  /// What it wrote to the standard error so far.
  package var errors: String { String(decoding: contents(of: "err"), as: UTF8.self) }

  /// Waits until it has ended.
  ///
  /// - Throws: ``TestFailure`` if it doesn't end.
  package func wait(within limit: Duration = patience) throws -> Outcome {
    guard let status = process.wait(within: limit) else {
      throw TestFailure("a program doesn't end: \(output) \(errors)")
    }
    return Outcome(status: status, bytes: Array(contents(of: "out")), errors: errors)
  }

  private func contents(of name: String) -> Data {
    FileManager.default.contents(atPath: folder.path + "/" + name) ?? Data()
  }

  /// Runs a program to its end.
  package static func run(
    _ arguments: [String],
    environment: [String: String?] = [:],
    input: String? = nil,
    within limit: Duration = patience
  ) throws -> Outcome {
    try Program(arguments, environment: environment, input: input).wait(within: limit)
  }

  /// Runs a Python program to its end.
  package static func python(_ source: String, _ arguments: [String]) throws -> Outcome {
    try run(["python3", "-c", source] + arguments)
  }
}
