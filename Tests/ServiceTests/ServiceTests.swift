import DepotLinux
import Dispatch
import Synchronization
import Testing

/// Tests of the service as it is run: one after the other, since each loads the machine.
@Suite(.serialized) enum ServiceTests {}

/// Tests of the command line, the examples, and the documents, beside those of the service.
@Suite(.serialized) enum CommandTests {}

/// Runs `body` on as many threads at once, and waits for all of them.
///
/// - Throws: The first error that one of them threw.
func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
  let group = DispatchGroup()
  let failure = Mutex<(any Error)?>(nil)
  for index in 0..<count {
    group.enter()
    try DepotLinux.Thread.start(name: "test-\(index)") {
      defer { group.leave() }
      do {
        try body(index)
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
  }
  group.wait()
  if let error = failure.withLock({ $0 }) { throw error }
}
