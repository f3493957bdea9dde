internal import Synchronization

/// Whether anybody wants to know what transactions change.
///
/// It may be raised and lowered from any thread. Whoever raises it and then begins to read misses nothing:
/// what the read doesn't see is made known.
package final class ChangeInterest: Sendable {
  private let count = Atomic<Int>(0)

  package init() {}

  package func raise() { count.add(1, ordering: .sequentiallyConsistent) }

  package func lower() { count.subtract(1, ordering: .sequentiallyConsistent) }

  package var isRaised: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }
}
