internal import DepotLinux
internal import DepotProtocol

/// The bytes of one connection, sent and received with patience.
package final class Wire {
  private let descriptor: Descriptor
  private var decoder = FrameDecoder(limit: 256 << 20, framing: .length)
  /// A way to end the connection from another thread.
  let disconnector: Disconnector
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

  init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
    disconnector = Disconnector(descriptor)
  }

  deinit { buffer.deallocate() }

  /// Sends all of `bytes`.
  ///
  /// - Throws: ``DepotError`` `unavailable.disconnected` if the service closed the connection.
  func send(_ bytes: [UInt8]) throws(DepotError) {
    var sent = 0
    while sent < bytes.count {
      let outcome = bytes.withUnsafeBytes { all in
        Result { () throws(SystemError) in
          try descriptor.send(UnsafeRawBufferPointer(rebasing: all[sent...]))
        }
      }
      switch outcome {
      case .success(let count): sent += count
      case .failure(let error):
        throw DepotError(.disconnected, "The service closed the connection (\(error)).")
      }
    }
  }

  /// Receives the next frame, or `nil` if `wait` says to stop.
  ///
  /// - Parameter wait: Waits until the connection can be read; returns whether to go on.
  /// - Returns: The bytes of the frame.
  /// - Throws: What ``receive()`` throws, or `wait`.
  func receive(_ wait: (Descriptor) throws -> Bool) throws -> [UInt8]? {
    while true {
      if case .frame(let bytes)? = try decoder.next() { return bytes }
      guard try wait(descriptor) else { return nil }
      try read()
    }
  }

  /// Receives the next frame, waiting for it.
  ///
  /// - Throws: ``DepotError`` `unavailable.disconnected` at the end of the connection.
  func receive() throws(DepotError) -> [UInt8] {
    while true {
      if case .frame(let bytes)? = try decoder.next() { return bytes }
      try read()
    }
  }

  private func read() throws(DepotError) {
    let count: Int
    do throws(SystemError) {
      count = try descriptor.read(into: buffer)
    } catch {
      throw DepotError(.disconnected, "The connection was lost (\(error)).")
    }
    guard count > 0 else {
      throw DepotError(.disconnected, "The service closed the connection.")
    }
    decoder.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }
}
