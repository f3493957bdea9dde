import Dispatch
import Foundation
import TestSupport
import Testing

/// Another process that uses a store of the library.
final class LibraryUser: Sendable {
  private let process: TestProcess

  init(_ store: URL) throws {
    process = try TestProcess(
      [Programs.besideTests("library-user"), store.path],
      input: .connection,
      output: .connection
    )
  }

  deinit {
    process.endInput()
    _ = process.wait(within: patience)
  }

  /// Ends it at once (SIGKILL).
  func kill() { process.kill() }

  /// Lets it do something, and waits until it is done.
  func perform(_ line: String) async throws {
    try process.send(line)
    let answer = await withCheckedContinuation { done in
      DispatchQueue.global().async { [process] in done.resume(returning: process.receive()) }
    }
    #expect(answer == "done")
  }
}
