internal import DepotLinux

/// The unsent bytes of a connection.
struct ByteQueue {
  private(set) var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  /// Appends the bytes that `body` adds.
  mutating func append(_ body: (inout [UInt8]) -> Void) {
    body(&bytes)
  }

  /// Sends as many bytes as the socket accepts without waiting; returns whether it accepted any.
  ///
  /// - Throws: ``SystemError`` if the connection is lost.
  mutating func send(to descriptor: Descriptor) throws(SystemError) -> Bool {
    var isSent = false
    while !isEmpty {
      do throws(SystemError) {
        start += try descriptor.send(bytes, from: start)
        isSent = true
      } catch {
        guard error.wouldBlock else { throw error }
        break
      }
    }
    if isEmpty {
      bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 18)
      start = 0
    } else if start > 1 << 20 {
      bytes.removeSubrange(..<start)
      start = 0
    }
    return isSent
  }
}
