/// A writer of the service's replies to one call.
@Memberwise
package struct ReplyWriter: Sendable {
  package let id: Int64
  package private(set) var framing: FrameDecoder.Framing = .length
  package private(set) var int64: Int64Form = .number

  /// Appends the terminal frame of success; `body` writes the JSON object that is the result.
  package func ok(to writer: inout JSONWriter, _ body: (inout JSONWriter) -> Void) {
    FrameEncoder.append(framing, to: &writer) { writer in
      writer.raw("{\"id\":")
      writer.integer(id)
      writer.raw(",\"ok\":")
      body(&writer)
      writer.raw("}")
    }
  }

  /// Appends the terminal frame of success; `body` writes the members of the result.
  package func object(to writer: inout JSONWriter, _ body: (inout JSONWriter) -> Void) {
    ok(to: &writer) { $0.object(body) }
  }

  /// Appends the terminal frame of failure.
  package func failure(_ error: DepotError, to writer: inout JSONWriter) {
    FrameEncoder.append(framing, to: &writer) { writer in
      writer.raw("{\"id\":")
      writer.integer(id)
      writer.raw(",\"err\":")
      writer.write(error)
      writer.raw("}")
    }
  }

  /// Opens a `next` frame of rows; the caller then writes the rows, separated by commas.
  ///
  /// - Returns: The offset of the frame, for ``endRows(from:in:)``.
  package func beginRows(
    kind: StaticString? = nil,
    columns: [String]?,
    in writer: inout JSONWriter
  ) -> Int {
    let start = FrameEncoder.begin(framing, in: &writer)
    writer.raw("{\"id\":")
    writer.integer(id)
    if let kind {
      writer.raw(",\"kind\":\"")
      writer.raw(kind)
      writer.raw("\"")
    }
    if let columns {
      writer.raw(",\"columns\":")
      writer.names(columns)
    }
    writer.raw(",\"next\":[")
    return start
  }

  /// Closes a `next` frame of rows.
  ///
  /// - Parameters:
  ///   - start: The result of ``beginRows(columns:in:)``.
  ///   - related: The elements of the member `related`, if the frame has it.
  ///   - writer: The writer that holds the rows.
  package func endRows(
    from start: Int,
    related: ArraySlice<UInt8>? = nil,
    in writer: inout JSONWriter
  ) {
    writer.raw("]")
    if let related {
      writer.raw(",\"related\":[")
      writer.raw(related)
      writer.raw("]")
    }
    writer.raw("}")
    FrameEncoder.end(framing, from: start, in: &writer)
  }
}

extension ReplyWriter {
  /// Returns a frame with another call's reply, changed to the number and framing of this call.
  package func readdressed(_ frame: [UInt8]) -> [UInt8] {
    let prefix = framing == .length ? 4 : 0
    var start = prefix + Self.head.utf8CodeUnitCount
    while start < frame.count, frame[start] != UInt8(ascii: ",") { start += 1 }
    let rest = frame[start..<frame.count - (framing == .length ? 0 : 1)]
    var writer = JSONWriter(capacity: frame.count + 20)
    FrameEncoder.append(framing, to: &writer) { writer in
      writer.raw(Self.head)
      writer.integer(id)
      writer.raw(rest)
    }
    return writer.bytes
  }

  /// The beginning of each frame, before the number of the call.
  private static var head: StaticString { "{\"id\":" }
}
