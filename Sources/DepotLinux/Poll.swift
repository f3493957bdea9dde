internal import CDepotLinux
internal import Glibc

/// Waiting for two descriptors at once (poll(2)).
package enum Poll {
  /// The operations that a descriptor is ready for.
  package struct Readiness: Hashable, Sendable {
    /// Whether reading won't block, because there are bytes or the end.
    package var canRead = false
    package var canWrite = false
  }

  /// Waits until `signal` is raised, `socket` is ready, or the time is over.
  ///
  /// The corresponding C function is `poll`.
  ///
  /// - Parameters:
  ///   - socket: The socket to wait for, if any.
  ///   - wantsWrite: Whether to wait until it can be written too.
  ///   - signal: A signal that also ends the wait and is then reset. It must be non-blocking.
  ///   - milliseconds: The longest time to wait; `nil` for no limit.
  /// - Returns: The operations that the socket is ready for.
  package static func wait(
    for socket: Descriptor?,
    wantsWrite: Bool,
    or signal: WakeSignal,
    milliseconds: Int?
  ) -> Readiness {
    let events = Int16(POLLIN) | (wantsWrite ? Int16(POLLOUT) : 0)
    var entries = [
      pollfd(fd: signal.descriptor.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket?.number ?? -1, events: events, revents: 0),
    ]
    guard wait(for: &entries, milliseconds) else { return Readiness() }
    if entries[0].revents != 0 { signal.consume() }
    let ready = Int32(entries[1].revents)
    return Readiness(
      canRead: ready & (POLLIN | POLLHUP | POLLERR) != 0,
      canWrite: ready & POLLOUT != 0
    )
  }

  /// Waits until one of several descriptors can be read, or until the time is over.
  ///
  /// The corresponding C function is `poll`.
  ///
  /// - Returns: Whether each descriptor can be read without blocking, in their order.
  package static func wait(for descriptors: [Descriptor], milliseconds: Int?) -> [Bool] {
    var entries = descriptors.map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
    let isAnyReady = wait(for: &entries, milliseconds)
    return entries.map { isAnyReady && $0.revents != 0 }
  }

  /// Waits until a descriptor can be written, or until the time is over; returns whether it can.
  ///
  /// The corresponding C function is `poll`.
  package static func canWrite(_ descriptor: Descriptor, milliseconds: Int) -> Bool {
    let end = Monotonic.now() + UInt64(milliseconds) * 1_000_000
    while true {
      var entries = [pollfd(fd: descriptor.number, events: Int16(POLLOUT), revents: 0)]
      let now = Monotonic.now()
      // A signal may interrupt the wait.
      if wait(for: &entries, now < end ? Int((end - now + 999_999) / 1_000_000) : 0) { return true }
      if now >= end { return false }
    }
  }

  private static func wait(for entries: inout [pollfd], _ milliseconds: Int?) -> Bool {
    let timeout = milliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
    return poll(&entries, nfds_t(entries.count), timeout) > 0
  }
}
