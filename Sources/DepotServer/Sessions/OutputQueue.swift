package import DepotLinux
package import DepotProtocol

/// The bytes to send to one client, in order.
///
/// Small answers share one buffer; large frames are queued as they are, so that no byte is copied
/// twice.
package struct OutputQueue {
  /// The buffer that small answers are written to.
  package var writer = JSONWriter(capacity: 4096)
  private var chunks: [[UInt8]] = []
  private var firstChunk = 0
  private var sent = 0
  private var chunkBytes = 0

  package init() {}

  /// The number of unsent bytes.
  package var count: Int { chunkBytes + writer.bytes.count - sent }

  /// Appends complete frames.
  package mutating func append(_ frames: consuming [UInt8]) {
    if frames.count < 4096 { return writer.raw(frames) }
    close()
    chunkBytes += frames.count
    chunks.append(frames)
  }

  /// Inserts bytes before all others; no frame may be partly sent.
  package mutating func prepend(_ bytes: [UInt8]) {
    chunkBytes += bytes.count
    chunks.insert(bytes, at: firstChunk)
  }

  /// Drops the frames that the client has received no part of.
  ///
  /// Frames that share a buffer with a partly received one stay.
  package mutating func dropWaiting() {
    if firstChunk == chunks.count { return }
    chunks.removeSubrange((firstChunk + 1)...)
    chunkBytes = chunks[firstChunk].count
    writer = JSONWriter(capacity: 4096)
  }

  /// Turns the small answers into a chunk.
  private mutating func close() {
    guard !writer.bytes.isEmpty else { return }
    chunkBytes += writer.bytes.count
    chunks.append(writer.bytes)
    writer = JSONWriter(capacity: 4096)
  }

  /// Sends as many bytes as the kernel accepts.
  ///
  /// - Returns: Whether all is sent.
  /// - Throws: ``SystemError`` if the client is gone.
  package mutating func flush(to descriptor: Descriptor) throws(SystemError) -> Bool {
    while firstChunk < chunks.count {
      guard try send(chunks[firstChunk], to: descriptor) else { return false }
      chunkBytes -= chunks[firstChunk].count
      chunks[firstChunk] = []
      firstChunk += 1
    }
    if firstChunk > 0 {
      chunks.removeAll(keepingCapacity: true)
      firstChunk = 0
    }
    guard try send(writer.bytes, to: descriptor) else { return false }
    if writer.bytes.capacity > 1 << 16 {
      writer = JSONWriter(capacity: 4096)
    } else {
      writer.bytes.removeAll(keepingCapacity: true)
    }
    return true
  }

  /// Sends the rest of `bytes`; returns whether all of it was sent.
  private mutating func send(
    _ bytes: [UInt8],
    to descriptor: Descriptor
  ) throws(SystemError) -> Bool {
    while sent < bytes.count {
      do throws(SystemError) {
        sent += try descriptor.send(bytes, from: sent)
      } catch {
        guard error.wouldBlock else { throw error }
        return false
      }
    }
    sent = 0
    return true
  }
}
