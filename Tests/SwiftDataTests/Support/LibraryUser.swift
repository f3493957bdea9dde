import Dispatch
import Foundation
import SwiftData
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
    #expect(try await answer(line) == "done")
  }

  /// Lets it save something; returns the token that it tells then.
  func token(after line: String) async throws -> DefaultHistoryToken {
    let answer = try #require(await answer("tell " + line))
    return try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(answer.utf8))
  }

  private func answer(_ line: String) async throws -> String? {
    try process.send(line)
    return await withCheckedContinuation { done in
      DispatchQueue.global().async { [process] in done.resume(returning: process.receive()) }
    }
  }
}
