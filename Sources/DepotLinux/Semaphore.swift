internal import Glibc

/// A count that threads wait for (sem_overview(7)).
// because sem_post(3) and sem_wait(3) may be called from any thread
package final class Semaphore: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  /// Creates a semaphore on which the first wait waits.
  package init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Lets one wait return.
  package func signal() { sem_post(semaphore) }

  /// Waits for a signal that no other wait has taken.
  package func wait() {
    while sem_wait(semaphore) == -1 {}
  }
}
