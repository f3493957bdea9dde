/// Writes frames in either framing.
package enum FrameEncoder {
  /// Appends one frame; `body` writes its JSON.
  package static func append(
    _ framing: FrameDecoder.Framing,
    to writer: inout JSONWriter,
    _ body: (inout JSONWriter) -> Void
  ) {
    let start = begin(framing, in: &writer)
    body(&writer)
    end(framing, from: start, in: &writer)
  }

  /// Reserves a length prefix; returns the offset of the frame.
  package static func begin(
    _ framing: FrameDecoder.Framing,
    in writer: inout JSONWriter
  ) -> Int {
    let start = writer.bytes.count
    if framing == .length { writer.raw("\0\0\0\0") }
    return start
  }

  /// Fills in the length of the frame that began at `start`, or ends its line.
  package static func end(
    _ framing: FrameDecoder.Framing,
    from start: Int,
    in writer: inout JSONWriter
  ) {
    guard framing == .length else { return writer.bytes.append(0x0A) }
    let length = UInt32(writer.bytes.count - start - 4)
    for index in 0..<4 {
      writer.bytes[start + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(index)))
    }
  }
}
