internal import DepotLinux
internal import Glibc

extension PostgresConnection {
  /// Waits until a socket can be read or written.
  ///
  /// The corresponding C function is `poll`.
  ///
  /// - Parameters:
  ///   - socket: The socket of a connection.
  ///   - writing: Whether to wait until it can be written.
  ///   - reading: Whether to wait until it can be read.
  ///   - other: Another descriptor that ends the wait when it can be read.
  ///   - end: The end of the wait on the monotonic clock; `nil` for no limit.
  /// - Returns: Whether the socket can be read, or is at its end; `nil` after the end of the wait.
  static func readiness(
    of socket: Int32,
    writing: Bool,
    reading: Bool = true,
    or other: Int32 = -1,
    until end: UInt64?
  ) -> Bool? {
    // There is no connection any more: libpq reports the cause at the next read.
    if socket < 0 { return true }
    let events = (reading ? POLLIN : 0) | (writing ? POLLOUT : 0)
    var entries = [
      pollfd(fd: socket, events: Int16(events), revents: 0),
      pollfd(fd: other, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let now = Monotonic.now()
      let left = end.map { $0 > now ? Int32(clamping: ($0 - now + 999_999) / 1_000_000) : 0 } ?? -1
      let count = poll(&entries, 2, left)
      if count == 0, left == 0 || left == .max { return nil }
      // A signal interrupted the wait (EINTR), or it ended a little too early.
      guard count > 0 else { continue }
      let ready = Int32(entries[0].revents)
      return ready & (POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0
    }
  }

  /// Waits until the server sends or accepts bytes.
  ///
  /// - Returns: Whether it has sent something.
  private func wait(writing: Bool) throws(PostgresError) -> Bool {
    let end = timeLimit.map { Monotonic.now() &+ $0 }
    let socket = library.socket(try handle)
    if let canRead = Self.readiness(of: socket, writing: writing, until: end) { return canRead }
    throw lose("the server didn't answer within \((timeLimit ?? 0) / 1_000_000) ms")
  }

  /// Sends all buffered bytes, and also reads, since the server may not accept more before that.
  ///
  /// The corresponding C function is `PQflush`.
  func flush() throws(PostgresError) {
    while true {
      let handle = try handle
      switch library.flush(handle) {
      case 0: return
      case 1:
        if try wait(writing: true), library.consumeInput(handle) == 0 { return }
      // The next result has the cause.
      default: return
      }
    }
  }

  /// Waits for the next result of a statement; `nil` after the last.
  ///
  /// The corresponding C function is `PQgetResult`.
  func nextResult() throws(PostgresError) -> PostgresResult? {
    let handle = try handle
    while library.isBusy(handle) != 0 {
      _ = try wait(writing: false)
      // The next result has the cause.
      if library.consumeInput(handle) == 0 { break }
    }
    return library.getResult(handle).map { PostgresResult($0, of: library) }
  }

  /// Waits for all results of a statement, and returns the last one.
  func lastResult() throws(PostgresError) -> PostgresResult? {
    var last: PostgresResult?
    while let result = try nextResult() {
      last = result
      // libpq would return the same result repeatedly.
      if result.status == .copyIn { break }
    }
    return last
  }

  /// Closes the connection, and returns the error of a lost connection.
  ///
  /// The message is libpq's unless `message` is given.
  func lose(_ message: String? = nil) -> PostgresError {
    let text = (try? handle).flatMap { library.errorMessage($0) }.map {
      String(cString: $0).trimmed
    }
    close()
    return PostgresError(
      .lost,
      message ?? text.flatMap { $0.isEmpty ? nil : $0 } ?? "the connection broke"
    )
  }

  /// Returns the error in a result, and closes the connection if the error ended the session.
  func failure(_ result: PostgresResult, sql: String?) -> PostgresError {
    var error = PostgresError(result, sql: sql)
    let isOver = (try? handle).map { library.status($0) != 0 } ?? true
    if isOver { error.kind = .lost }
    if error.kind == .lost {
      if result.errorField("M") == nil { error.message = lose().message }
      close()
    }
    return error
  }
}
