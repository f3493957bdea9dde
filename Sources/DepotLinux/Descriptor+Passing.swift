internal import CDepotLinux
internal import Glibc

/// Descriptors on their way to another process (unix(7), SCM_RIGHTS).
extension Descriptor {
  /// How many descriptors the kernel takes along with one message.
  package static let mostPassed = 253

  /// Sends bytes to a socket, and with the first of them other descriptors.
  ///
  /// The corresponding C function is `sendmsg`.
  ///
  /// - Returns: How many of the bytes were taken; the descriptors were if any was.
  /// - Throws: ``SystemError``, with EAGAIN if nothing can be taken now.
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

  /// Reads up to the size of `buffer`, and takes over the descriptors that come along; 0 at the end.
  ///
  /// The corresponding C function is `recvmsg`.
  ///
  /// - Throws: ``SystemError``, with EAGAIN if there is nothing to read now.
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
