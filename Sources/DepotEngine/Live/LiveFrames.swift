internal import DepotProtocol
internal import DepotSQLite

/// The writing of the frames of a watched query.
struct LiveFrames {
  let reply: ReplyWriter
  /// The store's identifier, for tokens.
  let store: String

  /// How many bytes of rows make a frame full.
  static let frameBytes = 256 << 10
  /// How many rows a frame with related ones may bring.
  private static let relatedRows = 512

  /// Returns a frame without rows.
  func plain(_ kind: StaticString, token: Int64) -> [UInt8] {
    frame(kind) { writer in
      write("token", token, to: &writer)
      writer.raw(",\"next\":[]")
    }
  }

  /// Returns the frame that says that changes are missing.
  func gap(from: Int64, to: Int64) -> [UInt8] {
    frame("gap") { writer in
      write("from", from, to: &writer)
      write("to", to, to: &writer)
      writer.raw(",\"next\":[]")
    }
  }

  func frame(_ kind: StaticString, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    let start = FrameEncoder.begin(reply.framing, in: &writer)
    writer.raw("{\"id\":")
    writer.integer(reply.id)
    writer.raw(",\"kind\":\"")
    writer.raw(kind)
    writer.raw("\"")
    body(&writer)
    writer.raw("}")
    FrameEncoder.end(reply.framing, from: start, in: &writer)
    return writer.bytes
  }

  func write(_ name: StaticString, _ token: Int64, to writer: inout JSONWriter) {
    writer.raw(",\"")
    writer.raw(name)
    writer.raw("\":\"")
    writer.raw(HistoryToken(store: store, sequence: token).description.utf8)
    writer.raw("\"")
  }

  /// What a frame of changes says besides them.
  struct Head {
    var token: Int64
    var author: String?
  }

  /// Returns the frames that bring changes, all but the last of which announce more.
  ///
  /// - Parameters:
  ///   - difference: What changed.
  ///   - head: What else each frame says.
  ///   - properties: Returns the names of what changed in a row.
  ///   - related: Returns the rows that come along with others, or `nil` if there are too many.
  ///   - hasRelated: Whether rows come along at all.
  /// - Returns: At least one frame.
  /// - Throws: ``ReadEnd`` if too many rows come along with one, or what `related` throws.
  func changes(
    _ difference: LiveDifference,
    _ head: Head,
    properties: (Int64) -> [String],
    related: ([Int64]) throws(ReadEnd) -> ArraySlice<UInt8>?,
    hasRelated: Bool
  ) throws(ReadEnd) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var rest = difference.placed[...]
    var removed = difference.removed.sorted { $0.from < $1.from }[...]
    repeat {
      var part = rest.prefix(Self.fitting(rest, hasRelated: hasRelated))
      var alongside: ArraySlice<UInt8>?
      if hasRelated, !part.isEmpty {
        alongside = try related(part.map(\.identifier))
        while alongside == nil {
          guard part.count > 1 else { throw .failed(Self.tooLarge) }
          part = part.prefix(part.count / 2)
          alongside = try related(part.map(\.identifier))
        }
      }
      rest = rest[part.endIndex...]
      let gone = removed.prefix(20_000)
      removed = removed[gone.endIndex...]
      let isLast = rest.isEmpty && removed.isEmpty
      frames.append(
        frame("change") { writer in
          write(head, isLast: isLast, to: &writer)
          writer.raw(",\"next\":[")
          for (index, row) in part.enumerated() {
            if index > 0 { writer.raw(",") }
            writer.raw(row.json)
          }
          writer.raw("],\"changes\":[")
          for (index, row) in part.enumerated() {
            if index > 0 { writer.raw(",") }
            write(row, row.from == nil ? [] : properties(row.identifier), to: &writer)
          }
          writer.raw("],\"removed\":[")
          for (index, row) in gone.enumerated() {
            writer.raw(index > 0 ? ",{\"id\":" : "{\"id\":")
            writer.integer(row.identifier, as: reply.int64)
            writer.raw(",\"from\":")
            writer.integer(row.from)
            writer.raw("}")
          }
          writer.raw("]")
          if let alongside {
            writer.raw(",\"related\":[")
            writer.raw(alongside)
            writer.raw("]")
          }
        }
      )
    } while !rest.isEmpty || !removed.isEmpty
    return frames
  }

  func write(_ head: Head, isLast: Bool, to writer: inout JSONWriter) {
    write("token", head.token, to: &writer)
    if let author = head.author {
      writer.raw(",\"author\":")
      writer.string(author)
    }
    if !isLast { writer.raw(",\"more\":true") }
  }

  private func write(
    _ row: LiveDifference.Placed,
    _ properties: [String],
    to writer: inout JSONWriter
  ) {
    writer.raw(row.from == nil ? "{\"kind\":\"inserted\",\"at\":" : "{\"kind\":\"updated\",\"at\":")
    writer.integer(row.at)
    if let from = row.from {
      writer.raw(",\"from\":")
      writer.integer(from)
      writer.raw(",\"properties\":")
      writer.names(properties)
    }
    writer.raw("}")
  }

  private static func fitting(
    _ rows: ArraySlice<LiveDifference.Placed>,
    hasRelated: Bool
  ) -> Int {
    var (count, bytes) = (0, 0)
    for row in rows {
      bytes += row.json.count + 80
      if count > 0, bytes > frameBytes || hasRelated && count >= relatedRows { break }
      count += 1
    }
    return count
  }

  private static var tooLarge: DepotError {
    DepotError(.frameTooLarge, "A watched row leads to too many others.")
      .hint("Prefetch fewer relationships, or watch them by queries of their own.")
  }
}
