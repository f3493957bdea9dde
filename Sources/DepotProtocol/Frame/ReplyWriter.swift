/// A writer of the service's replies to one call.
@Memberwise
package struct ReplyWriter: Sendable {
  package let id: Int64
  package private(set) var framing: FrameDecoder.Framing = .length
  package private(set) var int64: Int64Form = .number

  /// Appends the terminal frame of success; `body` writes the JSON object that is the result.
  package func ok(to writer: inout JSONWriter, _ body: (inout JSONWriter) -> Void) {
    let start = begin(",\"ok\":", in: &writer)
    body(&writer)
    end(from: start, in: &writer)
  }

  /// Opens a frame, with the number of the call and text that comes behind it.
  ///
  /// - Returns: The offset of the frame, for ``end(_:from:in:)``.
  package func begin(_ text: StaticString, in writer: inout JSONWriter) -> Int {
    let start = writer.bytes.count
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONPiece.capacity) { memory in
      var piece = JSONPiece(in: memory)
      piece.raw(framing == .length ? Self.prefixedHead : Self.head, to: &writer)
      piece.integer(id, to: &writer)
      piece.raw(text, to: &writer)
      piece.move(to: &writer)
    }
    return start
  }

  /// Closes a frame with the text of its end.
  package func end(_ text: StaticString = "}", from start: Int, in writer: inout JSONWriter) {
    writer.raw(text)
    FrameEncoder.end(framing, from: start, in: &writer)
  }

  /// Appends the terminal frame of success; `body` writes the members of the result.
  package func object(to writer: inout JSONWriter, _ body: (inout JSONWriter) -> Void) {
    ok(to: &writer) { $0.object(body) }
  }

  /// Appends the terminal frame of failure.
  package func failure(_ error: DepotError, to writer: inout JSONWriter) {
    let start = begin(",\"err\":", in: &writer)
    writer.write(error)
    end(from: start, in: &writer)
  }

  /// Returns the terminal frame of failure.
  package func failure(_ error: DepotError) -> [UInt8] {
    JSONWriter.bytes { failure(error, to: &$0) }
  }

  /// Opens a `next` frame of rows; the caller then writes the rows, separated by commas.
  ///
  /// - Returns: The offset of the frame, for ``endRows(from:in:)``.
  package func beginRows(
    kind: StaticString? = nil,
    columns: [String]?,
    in writer: inout JSONWriter
  ) -> Int {
    beginRows(kind: kind, written: columns.map(Self.columns), in: &writer)
  }

  /// Opens a `next` frame of rows as the function above does, with columns that were written once.
  package func beginRows(
    kind: StaticString? = nil,
    written columns: [UInt8]?,
    in writer: inout JSONWriter
  ) -> Int {
    if kind == nil, columns == nil { return begin(",\"next\":[", in: &writer) }
    let start = begin(kind == nil ? "" : ",\"kind\":\"", in: &writer)
    if let kind {
      writer.raw(kind)
      writer.raw("\"")
    }
    if let columns { writer.raw(columns) }
    writer.raw(",\"next\":[")
    return start
  }

  /// Returns the member `columns`, with the comma before it.
  package static func columns(_ names: [String]) -> [UInt8] {
    JSONWriter.bytes { writer in
      writer.raw(",\"columns\":")
      writer.names(names)
    }
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
    if let related {
      writer.raw("],\"related\":[")
      writer.raw(related)
    }
    end("]}", from: start, in: &writer)
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

  /// The same after a place for the length.
  private static var prefixedHead: StaticString { "\0\0\0\0{\"id\":" }
}
