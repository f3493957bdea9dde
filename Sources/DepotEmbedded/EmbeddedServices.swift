#if Embedded
internal import DepotLinux
internal import Glibc
internal import Synchronization

/// The services inside this process: at most one for each store.
final class EmbeddedServices: Sendable {
  /// Which store a service has.
  enum Key: Hashable, Sendable {
    case file(path: String)
    /// A file that nothing may be written to.
    case frozen(path: String)
    case memory(name: String)
  }

  static let shared = EmbeddedServices()

  /// The slot of one store's service; it is locked while the service is made.
  private final class ServiceSlot: Sendable {
    let service = Mutex(WeakService())
  }

  private struct WeakService {
    weak var service: EmbeddedService?
  }

  private struct Entry {
    let slot = ServiceSlot()
    /// How many threads are using it.
    var visitors = 0
  }

  private struct Running {
    var lives: [ObjectIdentifier: ServiceLife] = [:]
    /// The process that closes them when it exits.
    var process: Int32 = 0
  }

  private let entries = Mutex<[Key: Entry]>([:])
  private let running = Mutex(Running())

  /// Returns the service of a store, or `nil` if this process has none.
  func existing(_ key: Key) -> EmbeddedService? {
    guard let slot = entries.withLock({ $0[key]?.slot }) else { return nil }
    return slot.service.withLock { $0.service }.flatMap { $0.hasEnded ? nil : $0 }
  }

  /// Returns the service of a store, which is made if there is none.
  func service<Failure: Error>(
    _ key: Key,
    make: () throws(Failure) -> EmbeddedService
  ) throws(Failure) -> EmbeddedService {
    let slot = entries.withLock { entries in
      entries[key, default: Entry()].visitors += 1
      return entries[key, default: Entry()].slot
    }
    defer { leave(key) }
    return try slot.service.withLock { (weak) throws(Failure) in
      if let service = weak.service, !service.hasEnded { return service }
      let service = try make()
      weak.service = service
      return service
    }
  }

  private func leave(_ key: Key) {
    entries.withLock { $0[key]?.visitors -= 1 }
    forget(key)
  }

  /// Removes the entry of a service that has ended.
  func forget(_ key: Key) {
    let found = entries.withLock { entries -> EmbeddedService? in
      guard let entry = entries[key], entry.visitors == 0 else { return nil }
      let service = entry.slot.service.withLock { $0.service }
      if service == nil { entries[key] = nil }
      return service
    }
    // This may be the last reference, and the service comes here at its end: not under the lock.
    withExtendedLifetime(found) {}
  }

  // MARK: - The end of the process

  /// How long the end of the process waits for the stores to be closed, in milliseconds.
  private static let patience = 1000

  /// Notes a service that is about to run.
  func didBegin(_ life: ServiceLife) {
    running.withLock { running in
      running.lives[ObjectIdentifier(life)] = life
      guard running.process != Process.identifier else { return }
      running.process = Process.identifier
      atexit { EmbeddedServices.shared.close() }
    }
  }

  /// Notes that a service has ended.
  func didEnd(_ life: ServiceLife) {
    running.withLock { $0.lives[ObjectIdentifier(life)] = nil }
  }

  /// Closes the stores in good order, as far as that doesn't take long.
  private func close() {
    // The child of a fork has the stores' names, but not their threads.
    let lives = running.withLockIfAvailable { running in
      running.process == Process.identifier ? Array(running.lives.values) : []
    }
    guard let lives else { return }
    for life in lives { life.end() }
    for _ in 0..<Self.patience where lives.contains(where: { !$0.hasEnded }) {
      Process.sleep(milliseconds: 1)
    }
  }
}
#endif
