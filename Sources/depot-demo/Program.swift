import Foundation

/// Another program, run to its end.
enum Program {
  /// Why a program wasn't a success.
  struct Failure: Error, CustomStringConvertible {
    var command: String
    var status: Int32

    var description: String { "\(command) ended with status \(status)" }
  }

  /// Returns what a program prints.
  static func output(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(command: arguments.joined(separator: " "), status: process.terminationStatus)
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Runs a program that writes where this one does.
  static func run(_ arguments: [String], environment: [String: String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: arguments[0])
    process.arguments = Array(arguments.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(command: arguments.joined(separator: " "), status: process.terminationStatus)
    }
  }
}
