import DepotLinux

/// Another program, run to its end.
enum Program {
  /// Why a program wasn't a success.
  struct Failure: Error, CustomStringConvertible {
    var command: String
    var status: Int32

    var description: String { "\(command) ended with status \(status)" }
  }

  /// Returns the output of a program.
  static func output(_ arguments: [String]) throws -> String {
    let process = try ChildProcess(arguments, output: .captured)
    let output = try process.capturedOutput()
    try check(process.wait(), arguments)
    return String(decoding: output, as: UTF8.self)
  }

  /// Throws unless a program was a success.
  ///
  /// - Throws: ``OutputClosed`` if nobody reads the output, ``Failure`` if there is another reason.
  static func check(_ status: Int32, _ arguments: [String]) throws {
    if status == DepotLinux.Process.closedPipeStatus { throw OutputClosed() }
    guard status == 0 else {
      throw Failure(command: arguments.joined(separator: " "), status: status)
    }
  }
}
