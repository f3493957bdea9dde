internal import DepotProtocol
internal import DepotSQLite

/// Writes the frames of a watched query.
struct LiveFrames {
  let reply: ReplyWriter
  /// The epochs, to write tokens.
  let epochs: EpochChain

  /// The size of rows in bytes that fills a frame.
  static let frameBytes = 256 << 10
  /// The most rows of a frame with related rows.
  private static let relatedRows = 512

  /// Returns a frame without rows.
  func plain(_ kind: String, token: Int64) -> [UInt8] {
    frame(kind) { writer in
      write("token", token, to: &writer)
      writer.member("next", [])
    }
  }

  /// Returns the frame for a gap: some changes are missing.
  func gap(from: Int64, to: Int64) -> [UInt8] { gap(from: epochs.token(from), to: to) }

  func gap(from: HistoryToken, to: Int64) -> [UInt8] {
    frame("gap") { writer in
      writer.member("from", from.description)
      write("to", to, to: &writer)
      writer.member("next", [])
    }
  }

  func frame(_ kind: String, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    FrameEncoder.append(reply.framing, to: &writer) { writer in
      writer.object { writer in
        writer.member("id", reply.id)
        writer.member("kind", kind)
        body(&writer)
      }
    }
    return writer.bytes
  }

  /// Returns a frame of changes around a body from ``changes(_:_:properties:related:hasRelated:)``.
  func change(_ body: [UInt8]) -> [UInt8] { frame("change") { $0.raw(body) } }

  /// Returns the members of a frame after its kind.
  private static func body(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    var start = 0
    writer.object { writer in
      writer.member("kind", "change")
      start = writer.bytes.count
      members(&writer)
    }
    return Array(writer.bytes[start...].dropLast())
  }

  func write(_ name: StaticString, _ token: Int64, to writer: inout JSONWriter) {
    writer.member(name, epochs.token(token))
  }

  /// The further members of a frame of changes.
  struct Head {
    var token: Int64
    var author: String?
  }

  /// Returns the bodies of one or more frames of changes; all but the last announce another one.
  ///
  /// They are the same for all watches of a shape. `related` returns the prefetched rows of others, or `nil` if there
  /// are too many.
  func changes(
    _ difference: LiveDifference,
    _ head: Head,
    properties: (Int64) -> [String],
    related: ([Int64]) throws -> ArraySlice<UInt8>?,
    hasRelated: Bool
  ) throws -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var rest = difference.placed[...]
    var removed = difference.removed.sorted { $0.from < $1.from }[...]
    repeat {
      var part = rest.prefix(
        Self.fitting(rest, most: hasRelated ? Self.relatedRows : .max) { $0.json.count + 80 }
      )
      var alongside: ArraySlice<UInt8>?
      if hasRelated, !part.isEmpty {
        alongside = try related(part.map(\.identifier))
        while alongside == nil {
          guard part.count > 1 else { throw Self.tooLarge }
          part = part.prefix(part.count / 2)
          alongside = try related(part.map(\.identifier))
        }
      }
      rest = rest[part.endIndex...]
      let gone = removed.prefix(20_000)
      removed = removed[gone.endIndex...]
      let isLast = rest.isEmpty && removed.isEmpty
      frames.append(
        Self.body { writer in
          write(head, isLast: isLast, to: &writer)
          writer.member("next")
          writer.array(part) { $0.raw($1.json) }
          writer.member("changes")
          writer.array(part) { writer, row in
            writer.object { writer in
              writer.member("kind", row.from == nil ? "inserted" : "updated")
              writer.member("at", row.at)
              guard let from = row.from else { return }
              writer.member("from", from)
              writer.member("properties", properties(row.identifier))
            }
          }
          writer.member("removed")
          writer.array(gone) { writer, row in
            writer.object { writer in
              writer.member("id", row.identifier, as: reply.int64)
              writer.member("from", row.from)
            }
          }
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
    if let author = head.author { writer.member("author", author) }
    if !isLast { writer.member("more", true) }
  }

  /// Returns the number of rows that fit into a frame, at least one.
  static func fitting<Row>(
    _ rows: ArraySlice<Row>,
    most: Int = .max,
    _ byteCount: (Row) -> Int
  ) -> Int {
    var (count, bytes) = (0, 0)
    for row in rows {
      bytes += byteCount(row)
      if count > 0, bytes > frameBytes || count >= most { break }
      count += 1
    }
    return count
  }

  private static var tooLarge: DepotError {
    DepotError(.frameTooLarge, "A watched row leads to too many others.")
      .hint("Prefetch fewer relationships, or watch them by queries of their own.")
  }
}
