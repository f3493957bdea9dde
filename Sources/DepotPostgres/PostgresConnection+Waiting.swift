internal import DepotLinux
internal import Glibc

extension PostgresConnection {
  /// Waits until a socket can be read or written.
  ///
  /// The corresponding C function is `poll`.
  ///
  /// - Parameters:
  ///   - socket: The socket of a connection.
  ///   - writing: Whether being able to write ends the wait.
  ///   - reading: Whether being able to read ends the wait.
  ///   - other: Another descriptor that ends the wait when it can be read.
  ///   - end: When to give up, of the monotonic clock; never if `nil`.
  /// - Returns: Whether the socket can be read, or is at its end; `nil` if the time is over.
  static func readiness(
    of socket: Int32,
    writing: Bool,
    reading: Bool = true,
    or other: Int32 = -1,
    until end: UInt64?
  ) -> Bool? {
    // There is no connection any more: libpq tells why when it is to read.
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
      // A signal may have ended the wait (EINTR), or the clock isn't there yet.
      guard count > 0 else { continue }
      let ready = Int32(entries[0].revents)
      return ready & (POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0
    }
  }

  /// Waits until the server sends or takes something.
  ///
  /// - Returns: Whether it has sent something.
  private func wait(writing: Bool) throws(PostgresError) -> Bool {
    let end = timeLimit.map { Monotonic.now() &+ $0 }
    let socket = library.socket(try handle)
    if let canRead = Self.readiness(of: socket, writing: writing, until: end) { return canRead }
    throw lose("the server didn't answer within \((timeLimit ?? 0) / 1_000_000) ms")
  }

  /// Sends all buffered bytes, and reads meanwhile, as the server may wait for that.
  ///
  /// The corresponding C function is `PQflush`.
  func flush() throws(PostgresError) {
    while true {
      let handle = try handle
      switch library.flush(handle) {
      case 0: return
      case 1:
        if try wait(writing: true), library.consumeInput(handle) == 0 { return }
      // The reason comes with the next result.
      default: return
      }
    }
  }

  /// Waits for the next result; `nil` if there is none of the statement.
  ///
  /// The corresponding C function is `PQgetResult`.
  func nextResult() throws(PostgresError) -> PostgresResult? {
    let handle = try handle
    while library.isBusy(handle) != 0 {
      _ = try wait(writing: false)
      // The reason is the next result.
      if library.consumeInput(handle) == 0 { break }
    }
    return library.getResult(handle).map { PostgresResult($0, of: library) }
  }

  /// Waits for the results of a statement, and returns the last.
  func lastResult() throws(PostgresError) -> PostgresResult? {
    var last: PostgresResult?
    while let result = try nextResult() {
      last = result
      // There would be the same result again and again.
      if result.status == .copyIn { break }
    }
    return last
  }

  /// Closes the connection, and returns the error of a lost one.
  ///
  /// The message is libpq's unless one is given.
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

  /// Returns the error that a result is, and closes the connection if it is the end of the session.
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
