internal import CDepotLinux
internal import Glibc

/// An open file descriptor, closed when the last reference goes away.
package final class Descriptor: Sendable {
  /// The number that the kernel knows it by.
  package let number: Int32

  /// Takes over an open descriptor.
  package init(_ number: Int32) {
    self.number = number
  }

  deinit { close(number) }

  /// Reads up to the size of `buffer`; 0 at the end.
  ///
  /// The corresponding C function is `read`.
  ///
  /// - Throws: ``SystemError``, with EAGAIN if there is nothing to read now.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try systemCall("read") { Glibc.read(number, buffer.baseAddress, buffer.count) }
  }

  /// Reads to the end; returns `nil` if there are over `limit` bytes.
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
  /// - Returns: How many of the bytes were taken.
  /// - Throws: ``SystemError``, with EAGAIN if none can be taken now.
  package func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    try systemCall("send") {
      Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Sends bytes from an offset on, as many as the kernel accepts.
  ///
  /// - Returns: The number of accepted bytes.
  /// - Throws: ``SystemError``, with EAGAIN if none can be accepted now.
  package func send(_ bytes: [UInt8], from offset: Int) throws(SystemError) -> Int {
    try bytes.span.bytes.withUnsafeBytes { (all) throws(SystemError) in
      try send(UnsafeRawBufferPointer(rebasing: all[offset...]))
    }
  }

  /// Sends all of some bytes to a socket, waiting for room.
  ///
  /// - Throws: ``SystemError`` if the connection is lost.
  package func sendAll(_ bytes: [UInt8]) throws(SystemError) {
    var sent = 0
    while sent < bytes.count { sent += try send(bytes, from: sent) }
  }

  /// Tells the other side of a connection that nothing more comes.
  ///
  /// The corresponding C function is `shutdown`.
  package func endSending() {
    shutdown(number, Int32(SHUT_WR))
  }

  /// Ends a connection in both directions; a blocked reader finds its end.
  ///
  /// The corresponding C function is `shutdown`.
  package func endConnection() {
    shutdown(number, Int32(SHUT_RDWR))
  }

  /// Makes `read` and `send` return at once.
  ///
  /// The corresponding C function is `fcntl`.
  package func setNonblocking() throws(SystemError) {
    try systemCall("fcntl") { depot_set_nonblocking(number) }
  }
}

extension Descriptor {
  /// Waits until there is something to read, or for some time.
  ///
  /// The corresponding C function is `poll`.
  package func waitUntilReadable(milliseconds: Int) {
    var item = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    poll(&item, 1, Int32(milliseconds))
  }
}

/// A counter in the kernel that wakes threads that wait for it (eventfd(2)).
package final class WakeSignal: Sendable {
  package let descriptor: Descriptor

  package init(isBlocking: Bool) throws(SystemError) {
    let flags = Int32(EFD_CLOEXEC) | (isBlocking ? 0 : Int32(EFD_NONBLOCK))
    descriptor = Descriptor(try systemCall("eventfd") { eventfd(0, flags) })
  }

  /// Wakes the waiting thread, or lets the next wait return at once.
  package func signal() { Self.raise(descriptor.number) }

  /// Raises the signal of a descriptor, as signal handlers may.
  static func raise(_ number: Int32) {
    var one: UInt64 = 1
    _ = Glibc.write(number, &one, 8)
  }

  /// Takes back all signals; waits for the first one if the signal is blocking.
  package func consume() {
    var count: UInt64 = 0
    while Glibc.read(descriptor.number, &count, 8) == -1, errno == EINTR {}
  }
}
