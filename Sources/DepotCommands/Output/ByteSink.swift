internal import DepotLinux
internal import DepotProtocol

/// A buffer of bytes on their way to a file, a pipe, or a terminal.
final class ByteSink {
  /// What is still to be written; append to it and call ``flushIfLarge()``.
  var bytes: [UInt8] = []
  private let limit: Int
  private let write: (UnsafeRawBufferPointer) throws(SystemError) -> Void

  init(
    limit: Int = 1 << 16,
    write: @escaping (UnsafeRawBufferPointer) throws(SystemError) -> Void
  ) {
    self.limit = limit
    self.write = write
    bytes.reserveCapacity(limit * 2)
  }

  /// Creates a sink that writes to an open descriptor.
  convenience init(_ descriptor: Descriptor) {
    self.init { bytes throws(SystemError) in try descriptor.write(bytes) }
  }

  /// Appends text.
  func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes the buffer if it has grown large.
  ///
  /// - Throws: What ``flush()`` throws.
  @inline(__always)
  func flushIfLarge() throws {
    if bytes.count >= limit { try flush() }
  }

  /// Writes the buffer.
  ///
  /// - Throws: ``OutputClosed`` if nobody reads the pipe, ``DepotError`` `storage.io` if it can't be
  ///   written.
  func flush() throws {
    guard !bytes.isEmpty else { return }
    defer { bytes.removeAll(keepingCapacity: true) }
    let failure = bytes.withUnsafeBytes { buffer -> SystemError? in
      do throws(SystemError) {
        try write(buffer)
        return nil
      } catch {
        return error
      }
    }
    guard let error = failure else { return }
    if error.isBrokenPipe { throw OutputClosed() }
    throw DepotError(.io, "The output can't be written (\(error)).")
  }
}

/// Whoever read the output has had enough, as `head` does.
struct OutputClosed: Error {}
