import DepotLinux
import Glibc
import Synchronization

/// Talking with a process in lines over ``connection``.
extension TestProcess {
  /// Writes a line to its standard input.
  ///
  /// - Throws: ``TestFailure`` if it can't be written.
  package func send(_ line: String) throws {
    var bytes = Array((line + "\n").utf8)
    while !bytes.isEmpty {
      guard isReady(for: POLLOUT, milliseconds: Int32(patience / .milliseconds(1))) else {
        throw TestFailure("process \(identifier) doesn't read")
      }
      let count = Glibc.send(connection?.number ?? -1, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { throw TestFailure("process \(identifier) can't be sent \(line)") }
      bytes.removeFirst(count)
    }
  }

  /// Tells it that its standard input ends.
  package func endInput() { connection?.endSending() }

  /// Returns the next line that it writes; `nil` at the end, or if there comes none in time.
  ///
  /// Without any time, it is a line that has come already.
  package func receive(within limit: Duration = patience) -> String? {
    let end = ContinuousClock.now + limit
    while true {
      if let line = received.withLock({ Self.takeLine(&$0) }) { return line }
      let left = max(.zero, end - ContinuousClock.now)
      guard isReady(for: POLLIN, milliseconds: Int32(left / .milliseconds(1))) else { return nil }
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(connection?.number ?? -1, &bytes, bytes.count)
      guard count > 0 else { return nil }
      received.withLock { $0 += bytes[..<count] }
    }
  }

  private static func takeLine(_ bytes: inout [UInt8]) -> String? {
    guard let index = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { bytes.removeSubrange(...index) }
    return String(decoding: bytes[..<index], as: UTF8.self)
  }

  private func isReady(for events: Int32, milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: connection?.number ?? -1, events: Int16(events), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }
}
