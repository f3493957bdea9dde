/// A splitter of a client's or service's byte stream into frames, in either framing.
///
/// The first byte decides: a length prefix begins with 0 to 4, a line of NDJSON with `{`. A prefix
/// that begins with 0xFF is read too, and refused as too large. The decoder holds at most one
/// incomplete frame, and checks every length before it allocates memory.
package struct FrameDecoder: Sendable {
  /// The way frames are separated.
  package enum Framing: Sendable, Hashable {
    /// Four bytes of big-endian length, then that many bytes of JSON.
    case length
    /// One JSON object in each line.
    case lines
  }

  /// The next part of the stream.
  package enum Event: Sendable, Hashable {
    /// The bytes of one frame, without prefix or line feed.
    case frame([UInt8])
    /// A frame of this many bytes that was too large and is skipped.
    case skipped(Int)
  }

  /// The next part of the stream, with the place of a frame in the decoder's buffer.
  package enum Place: Sendable {
    case frame(Range<Int>)
    case skipped(Int)
  }

  /// The framing, once the first byte has arrived.
  package private(set) var framing: Framing?
  private let limit: Int
  /// Whether the peer is a service, which sends no frames over the limit.
  private let isOfService: Bool
  private var buffer: [UInt8] = []
  /// The index of the first byte that isn't in a returned frame.
  private var start = 0
  /// The number of bytes of a frame that was too large and hasn't arrived completely.
  private var toSkip = 0
  /// The number of bytes from `start` on that are known to have no line feed.
  private var searched = 0

  /// Creates a decoder that has received nothing yet.
  package init(
    limit: Int = Limits.frameBytes,
    framing: Framing? = nil,
    isOfService: Bool = false
  ) {
    self.limit = limit
    self.framing = framing
    self.isOfService = isOfService
  }

  /// A decoder of the frames that a service sends to its client.
  package static var ofService: FrameDecoder {
    FrameDecoder(limit: 256 << 20, framing: .length, isOfService: true)
  }

  /// The number of received bytes of a frame that isn't complete.
  package var pendingCount: Int { buffer.count - start }

  /// Adds bytes received from the peer.
  package mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    var bytes = bytes
    if toSkip > 0 {
      let count = min(toSkip, bytes.count)
      toSkip -= count
      bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
    }
    if start == buffer.count {
      buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 20)
      start = 0
      searched = 0
    } else if start > max(1 << 16, buffer.count / 2) {
      // The buffer never gets empty if it always holds the beginning of a next frame.
      buffer.removeSubrange(..<start)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Removes and returns the next frame or event, or `nil` if more bytes are needed.
  ///
  /// - Throws: ``DepotError`` `protocol.frame` or `limit.frame_bytes` if the stream can't continue:
  ///   send the error to the peer and close.
  package mutating func next() throws(DepotError) -> Event? {
    switch try nextPlace() {
    case .frame(let place): .frame(Array(buffer[place]))
    case .skipped(let length): .skipped(length)
    case nil: nil
    }
  }

  /// Reads the frame at a place by its shape; nothing may be received since the place was returned.
  package func frame(
    at place: Range<Int>,
    _ shapes: inout CallShapes
  ) throws(DepotError) -> ClientFrame {
    try buffer.withUnsafeBufferPointer { (buffer) throws(DepotError) in
      try shapes.frame(UnsafeBufferPointer(rebasing: buffer[place]))
    }
  }

  /// Removes the next frame or event, and returns its place, as ``next()`` does.
  package mutating func nextPlace() throws(DepotError) -> Place? {
    guard start < buffer.count else { return nil }
    if framing == nil { framing = try Self.detect(buffer[start...]) }
    return framing == .lines ? try nextLine() : try nextPrefixed()
  }

  /// Returns the framing that the first byte stands for.
  private static func detect(_ bytes: ArraySlice<UInt8>) throws(DepotError) -> Framing {
    switch bytes.first {
    case UInt8(ascii: "{"): return .lines
    case .some(0...4), .some(0xFF): return .length
    default:
      let text = String(decoding: bytes.prefix(4), as: UTF8.self).debugDescription
      throw DepotError(.frame, "This isn't a Depot client: it began with \(text).")
        .hint("Begin with a four-byte length, or with { for one JSON object in each line.")
    }
  }

  private mutating func nextPrefixed() throws(DepotError) -> Place? {
    guard buffer.count - start >= 4 else { return nil }
    var length = 0
    for index in start..<start + 4 { length = length << 8 | Int(buffer[index]) }
    if length == 0 { throw DepotError(.frame, "A frame can't be empty.") }
    if length > limit {
      if isOfService { throw Self.isForeign(buffer[start..<start + 4]) }
      return try skip(length)
    }
    guard buffer.count - start >= 4 + length else {
      reserve(4 + length)
      return nil
    }
    start += 4 + length
    return .frame(start - length..<start)
  }

  private static func isForeign(_ bytes: ArraySlice<UInt8>) -> DepotError {
    let text = String(decoding: bytes, as: UTF8.self).debugDescription
    return DepotError(.frame, "What answers isn't a Depot service: it sent \(text).")
      .hint("Is this the socket of another program?")
  }

  private mutating func skip(_ length: Int) throws(DepotError) -> Place {
    guard length <= Limits.skippedFrameBytes else { throw Self.tooLarge(length, limit) }
    let present = min(length, buffer.count - start - 4)
    start += 4 + present
    toSkip = length - present
    return .skipped(length)
  }

  private mutating func nextLine() throws(DepotError) -> Place? {
    while true {
      guard let end = buffer[(start + searched)...].firstIndex(of: 0x0A) else {
        searched = buffer.count - start
        if searched > limit { throw Self.tooLarge(searched, limit) }
        return nil
      }
      var line = start..<end
      start = end + 1
      searched = 0
      if line.count > limit { throw Self.tooLarge(line.count, limit) }
      if !line.isEmpty, buffer[end - 1] == 0x0D { line = line.lowerBound..<end - 1 }
      if !line.isEmpty { return .frame(line) }
      if start == buffer.count { return nil }
    }
  }

  /// Moves the incomplete frame to the front and makes room for all of it.
  private mutating func reserve(_ count: Int) {
    if start > 0 {
      buffer.removeSubrange(..<start)
      start = 0
    }
    // The buffer grows with the bytes received, so that a length prefix alone can't claim memory.
    buffer.reserveCapacity(min(count, max(1 << 16, buffer.count * 2)))
  }

  /// Returns the error for a frame of `length` bytes, with the operation if it is known.
  package static func tooLarge(
    _ length: Int,
    _ limit: Int,
    of operation: Operation? = nil
  ) -> DepotError {
    let isOneRow = operation?.rowCount == 1
    let frame = isOneRow ? "A frame with one row of" : "A frame of"
    return DepotError(.frameTooLarge, "\(frame) \(length) bytes is over the limit of \(limit).")
      .hint(
        isOneRow
          ? "Write its large texts and data in parts, with blob.write."
          : "Send fewer or smaller rows. Large values are written in parts, with blob.write."
      )
      .details(["bytes": .int64(Int64(length)), "limit": .int64(Int64(limit))])
  }
}
