internal import DepotLinux
internal import DepotProtocol

/// The blocking input and output of one connection.
package final class Wire {
  let descriptor: Descriptor
  private var decoder = FrameDecoder.ofService
  /// A way to end the connection from another thread.
  let disconnector: Disconnector
  private let buffer = ReceiveBuffer()

  init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
    disconnector = Disconnector(descriptor)
  }

  /// Sends all of `bytes`.
  ///
  /// - Throws: ``DepotError`` `unavailable.disconnected` if the service closed the connection.
  func send(_ bytes: [UInt8]) throws(DepotError) {
    do throws(SystemError) {
      try descriptor.sendAll(bytes)
    } catch {
      throw DepotError(.disconnected, "The service closed the connection (\(error)).")
    }
  }

  /// Returns the next frame that has come whole; `nil` if there is none.
  ///
  /// - Throws: ``DepotError`` if the received bytes aren't frames.
  func next() throws(DepotError) -> [UInt8]? {
    guard case .frame(let bytes)? = try decoder.next() else { return nil }
    return bytes
  }

  /// Reads bytes, and waits for them.
  ///
  /// - Throws: ``DepotError`` `unavailable.disconnected` at the end of the connection.
  func read() throws(DepotError) {
    let count: Int
    do throws(SystemError) {
      count = try descriptor.read(into: buffer.bytes)
    } catch {
      throw DepotError(.disconnected, "The connection was lost (\(error)).")
    }
    guard count > 0 else {
      throw DepotError(.disconnected, "The service closed the connection.")
    }
    decoder.receive(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]))
  }
}

extension Descriptor {
  /// Waits until there is something to read, or the end; returns whether that is before a time.
  func canRead(until end: UInt64) -> Bool {
    while true {
      let left = Monotonic.milliseconds(until: end)
      if Poll.wait(for: [self], milliseconds: left) == [true] { return true }
      if left == 0 { return false }
    }
  }
}
