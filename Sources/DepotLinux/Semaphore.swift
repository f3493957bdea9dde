internal import Glibc

/// A counter that threads can wait for (sem_overview(7)).
// because sem_post(3) and sem_wait(3) may be called from any thread
package final class Semaphore: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  /// Creates a semaphore with the count 0, so that the first wait blocks.
  package init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Adds 1 to the count, which lets one wait return.
  package func signal() { sem_post(semaphore) }

  /// Waits until the count is above 0, and subtracts 1.
  package func wait() {
    while sem_wait(semaphore) == -1 {}
  }
}
