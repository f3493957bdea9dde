import Foundation

/// Runs `body` on a thread of its own, which it may block.
///
/// Tasks share as many threads as there are cores: a test that blocks one for long holds up the others.
package func onThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}
