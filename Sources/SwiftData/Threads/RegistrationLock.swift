private import Synchronization

/// A lock for objects that aren't kept alive; an object that ends waits for it.
struct RegistrationLock: ~Copyable {
  private let mutex = Mutex<Void>(())

  @inline(__always)
  func callAsFunction<Result>(_ body: () -> Result) -> Result {
    mutex._unsafeLock()
    defer { mutex._unsafeUnlock() }
    return body()
  }
}
