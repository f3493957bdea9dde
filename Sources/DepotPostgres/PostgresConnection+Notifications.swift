package import DepotLinux

extension PostgresConnection {
  /// Subscribes the session to the notifications of a channel.
  package func listen(_ channel: String) throws(PostgresError) {
    let name = channel.split(separator: "\"", omittingEmptySubsequences: false)
    try run("LISTEN \"\(name.joined(separator: "\"\""))\"")
  }

  /// Waits for a notification; see ``notifications``.
  ///
  /// - Parameters:
  ///   - milliseconds: The longest time to wait; `nil` for no limit, 0 to not wait.
  ///   - wake: Another descriptor that ends the wait when it can be read.
  /// - Returns: Whether a notification was received.
  /// - Throws: ``PostgresError`` of the kind `lost`, or `unreachable` if the connection was closed
  ///   before.
  package func waitForNotification(
    milliseconds: Int?,
    or wake: Descriptor? = nil
  ) throws(PostgresError) -> Bool {
    let handle = try handle
    let end = milliseconds.map { Monotonic.now() &+ UInt64(max(0, $0)) * 1_000_000 }
    notifications = takeNotifications(handle)
    if notifications.isEmpty,
      Self.readiness(
        of: library.socket(handle),
        writing: false,
        or: wake?.number ?? -1,
        until: end
      ) ?? false
    {
      guard library.consumeInput(handle) == 1 else { throw lose() }
      notifications = takeNotifications(handle)
    }
    return !notifications.isEmpty
  }

  /// Returns the payloads of the received notifications.
  ///
  /// The corresponding C function is `PQnotifies`.
  private func takeNotifications(_ handle: OpaquePointer) -> [String] {
    var result: [String] = []
    // The fields of a PGnotify: relname, be_pid, extra, next.
    while let memory = library.notifies(handle) {
      let fields = memory.assumingMemoryBound(to: UnsafePointer<CChar>?.self)
      result.append(fields[2].map { String(cString: $0) } ?? "")
      library.freemem(memory)
    }
    return result
  }
}
