internal import CDepotLinux
internal import Glibc

/// Passes descriptors to another process (unix(7), SCM_RIGHTS).
extension Descriptor {
  /// The most descriptors that the kernel passes with one message.
  package static let mostPassed = 253

  /// Sends bytes to a socket, and other descriptors with the first byte.
  ///
  /// The corresponding C function is `sendmsg`.
  ///
  /// - Returns: The number of bytes sent; the descriptors were sent if it isn't 0.
  /// - Throws: ``SystemError``, with EAGAIN if the socket's buffer is full.
  package func send(
    _ bytes: UnsafeRawBufferPointer,
    passing descriptors: [Descriptor]
  ) throws(SystemError) -> Int {
    let numbers = descriptors.map(\.number)
    return try systemCall("sendmsg") {
      depot_send_descriptors(
        number,
        bytes.baseAddress,
        UInt(bytes.count),
        numbers,
        Int32(numbers.count)
      )
    }
  }

  /// Reads up to the size of `buffer`, and receives the descriptors passed with it; 0 at the end.
  ///
  /// The corresponding C function is `recvmsg`.
  ///
  /// - Throws: ``SystemError``, with EAGAIN if nothing can be read now.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer,
    takingOver descriptors: inout [Descriptor]
  ) throws(SystemError) -> Int {
    var numbers = [Int32](repeating: -1, count: Self.mostPassed)
    var passed: Int32 = 0
    let count = try systemCall("recvmsg") {
      depot_receive_descriptors(number, buffer.baseAddress, UInt(buffer.count), &numbers, &passed)
    }
    descriptors += numbers.prefix(Int(passed)).map { Descriptor($0) }
    return count
  }
}
