internal import CDepotLinux
internal import Glibc

/// An open file descriptor, closed when the last reference is released.
package final class Descriptor: Sendable {
  /// The kernel's number of the descriptor.
  package let number: Int32

  /// Makes an object that owns an open descriptor.
  package init(_ number: Int32) {
    self.number = number
  }

  deinit { close(number) }

  /// Reads up to the size of `buffer`; 0 at the end.
  ///
  /// The corresponding C function is `read`.
  ///
  /// - Throws: ``SystemError``, with EAGAIN if nothing can be read now.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try systemCall("read") { Glibc.read(number, buffer.baseAddress, buffer.count) }
  }

  /// Reads to the end; returns `nil` if there are more than `limit` bytes.
  package func readAll(limit: Int = .max) throws(SystemError) -> [UInt8]? {
    var result: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { buffer.deallocate() }
    while result.count <= limit {
      let count = try read(into: buffer)
      if count == 0 { return result }
      result.append(contentsOf: buffer[..<count])
    }
    return nil
  }

  /// Sends bytes to a socket without a SIGPIPE.
  ///
  /// The corresponding C function is `send`.
  ///
  /// - Returns: The number of bytes sent.
  /// - Throws: ``SystemError``, with EAGAIN if the socket's buffer is full.
  package func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    try systemCall("send") {
      Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Sends as many of the bytes from an offset on as fit into the socket's buffer.
  ///
  /// - Returns: The number of bytes sent.
  /// - Throws: ``SystemError``, with EAGAIN if the socket's buffer is full.
  package func send(_ bytes: [UInt8], from offset: Int) throws(SystemError) -> Int {
    try bytes.span.bytes.withUnsafeBytes { (all) throws(SystemError) in
      try send(UnsafeRawBufferPointer(rebasing: all[offset...]))
    }
  }

  /// Sends all bytes to a socket, waiting while its buffer is full.
  ///
  /// - Throws: ``SystemError`` if the connection is lost.
  package func sendAll(_ bytes: [UInt8]) throws(SystemError) {
    var sent = 0
    while sent < bytes.count { sent += try send(bytes, from: sent) }
  }

  /// Ends the sending direction of a connection: the other side reads its end.
  ///
  /// The corresponding C function is `shutdown`.
  package func endSending() {
    shutdown(number, Int32(SHUT_WR))
  }

  /// Ends a connection in both directions; a blocked read returns.
  ///
  /// The corresponding C function is `shutdown`.
  package func endConnection() {
    shutdown(number, Int32(SHUT_RDWR))
  }

  /// Makes `read` and `send` return at once instead of waiting.
  ///
  /// The corresponding C function is `fcntl`.
  package func setNonblocking() throws(SystemError) {
    try systemCall("fcntl") { depot_set_nonblocking(number) }
  }
}

extension Descriptor {
  /// Waits until something can be read, for a time at most.
  ///
  /// The corresponding C function is `poll`.
  package func waitUntilReadable(milliseconds: Int) {
    var item = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    poll(&item, 1, Int32(milliseconds))
  }
}

/// A counter in the kernel that wakes waiting threads (eventfd(2)).
package final class WakeSignal: Sendable {
  package let descriptor: Descriptor

  package init(isBlocking: Bool) throws(SystemError) {
    let flags = Int32(EFD_CLOEXEC) | (isBlocking ? 0 : Int32(EFD_NONBLOCK))
    descriptor = Descriptor(try systemCall("eventfd") { eventfd(0, flags) })
  }

  /// Wakes the waiting thread, or lets the next wait return at once.
  package func signal() { Self.raise(descriptor.number) }

  /// Raises a signal by the number of its descriptor; signal handlers may call it.
  static func raise(_ number: Int32) {
    var one: UInt64 = 1
    _ = Glibc.write(number, &one, 8)
  }

  /// Resets the signal; a blocking one waits until it is raised.
  package func consume() {
    var count: UInt64 = 0
    while Glibc.read(descriptor.number, &count, 8) == -1, errno == EINTR {}
  }
}
