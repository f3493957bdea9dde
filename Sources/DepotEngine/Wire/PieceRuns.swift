internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

/// A stream of a text or data, with a frame for each chunk.
///
/// Each frame has one row: the offset of the piece, its size in bytes, and the piece: a text, or
/// data in base64. A piece of a text ends at the end of a character.
struct BlobRun: StreamRun {
  private let target: BlobTarget
  private let reply: ReplyWriter
  private let connection: Connection
  private let content: BlobTarget.Content?
  private let version: Int64
  private var position: Int
  private let end: Int
  /// The first bytes of a character whose other bytes are in the next chunk.
  private var rest: [UInt8] = []
  private var isFirstFrame = true
  private(set) var rowCount = 0

  init(
    _ request: BlobReadRequest,
    _ catalog: Catalog,
    _ reply: ReplyWriter,
    on connection: Connection
  ) throws {
    self.reply = reply
    self.connection = connection
    target = try BlobTarget(
      catalog.layout(of: request.entity),
      request.identifier,
      request.attribute,
      isRead: true
    )
    // All chunks must belong to the same value.
    try connection.beginSnapshot()
    (version, content) = try target.read(request.identifier, on: connection)
    let length = content?.length ?? 0
    let start = min(request.offset, length)
    position = start
    end = request.length.map { start + min($0, length - start) } ?? length
    guard request.offset <= length else {
      throw DepotError(.usage, "The offset is beyond the \(length) bytes of \(target.name).")
        .at("/args/offset")
    }
  }

  var snapshot: LiveSnapshot? { nil }

  private var hasFrame: Bool { position < end }

  func prepareFrame() -> Bool { hasFrame }

  mutating func writeFrame(to writer: inout JSONWriter, byteLimit: Int) throws -> Bool {
    guard hasFrame, let content else { return true }
    let index = position / BlobTable.chunkBytes
    let start = position - index * BlobTable.chunkBytes
    let count = min(end - position, BlobTable.chunkBytes - start)
    let isBeginning = isFirstFrame
    var piece = rest
    switch content {
    case .inRow(let bytes): piece.append(contentsOf: bytes[position..<position + count])
    case .outside(let reference):
      do {
        try BlobReader(connection: connection, table: target.table).chunk(index, of: reference) {
          piece.append(contentsOf: $0[start..<start + count])
        }
      } catch {
        throw DepotError.blob(error, target)
      }
    }
    let offset = position - rest.count
    position += count
    if target.isText {
      rest = piece.suffix(UTF8Edges.incompleteCount(piece))
      piece.removeLast(rest.count)
      let isCut = isBeginning && piece.first.map(UTF8Edges.isContinuation) == true
      guard !isCut, hasFrame || rest.isEmpty else {
        throw DepotError(
          .usage,
          "Byte \(isCut ? offset : end) of \(target.name) is inside a character."
        ).hint("Begin and end where characters do; offsets count bytes of UTF-8.")
          .at(isCut ? "/args/offset" : "/args/length")
      }
    }
    let names = ["offset", "bytes", target.isText ? "text" : "data"]
    let frame = reply.beginRows(columns: isFirstFrame ? names : nil, in: &writer)
    isFirstFrame = false
    writer.raw("[")
    writer.integer(offset)
    writer.raw(",")
    writer.integer(piece.count)
    writer.raw(",")
    if target.isText {
      piece.withUnsafeBufferPointer { writer.string(utf8: $0) }
    } else {
      writer.write(.data(Data(piece)))
    }
    writer.raw("]")
    reply.endRows(from: frame, in: &writer)
    rowCount += 1
    return !hasFrame
  }

  func writeEnd(to writer: inout JSONWriter) {
    reply.object(to: &writer) { writer in
      writer.member("length")
      if let content { writer.integer(content.length) } else { writer.raw("null") }
      writer.member("version", version)
    }
  }

  func close() {}
}

/// A stream of all pages of a store's snapshot, in the form of a database file.
///
/// Each frame has one row: the offset of the piece in the file, the size of the file, and the piece
/// in base64.
struct BackupRun: StreamRun {
  /// The most bytes of the file in a frame.
  private static let frameBytes = 48 << 10

  private let reply: ReplyWriter
  private let pages: SnapshotPages
  private let identifier: String
  private let token: String?
  private var next: UInt32 = 1
  private(set) var rowCount = 0

  /// Begins a stream in the connection's transaction, or in a new one if there is none.
  ///
  /// - Throws: ``DepotError`` `request.usage` if the store's format is older than 5.
  init(_ reply: ReplyWriter, on connection: Connection) throws {
    self.reply = reply
    if !connection.isInTransaction { try connection.beginReading() }
    guard let pages = try SnapshotPages(connection) else {
      throw DepotError(.usage, "The pages of this store have no checksums.")
        .hint("Have a service open it for writing once, which brings it to the present format.")
    }
    self.pages = pages
    identifier = try CatalogTables(connection: connection).storeIdentifier()
    token = try SnapshotToken.read(on: connection, store: identifier)
  }

  var snapshot: LiveSnapshot? { nil }

  private var hasFrame: Bool { Int(next) <= pages.count }

  func prepareFrame() -> Bool { hasFrame }

  mutating func writeFrame(to writer: inout JSONWriter, byteLimit: Int) throws -> Bool {
    let count = min(max(1, Self.frameBytes / pages.size), pages.count - Int(next) + 1)
    var piece = Data(count: count * pages.size)
    let (pages, first) = (pages, next)
    try piece.withUnsafeMutableBytes { bytes in
      for place in 0..<count {
        let page = bytes[place * pages.size..<(place + 1) * pages.size]
        try pages.read(
          first + UInt32(place),
          into: UnsafeMutableRawBufferPointer(rebasing: page)
        )
      }
    }
    let frame = reply.beginRows(
      columns: next == 1 ? ["offset", "size", "data"] : nil,
      in: &writer
    )
    writer.raw("[")
    writer.integer(Int(next - 1) * pages.size)
    writer.raw(",")
    writer.integer(pages.count * pages.size)
    writer.raw(",")
    writer.write(.data(piece))
    writer.raw("]")
    reply.endRows(from: frame, in: &writer)
    next += UInt32(count)
    rowCount += 1
    return !hasFrame
  }

  func writeEnd(to writer: inout JSONWriter) {
    reply.object(to: &writer) { writer in
      writer.member("size", pages.count * pages.size)
      writer.member("store", identifier)
      if let token { writer.member("token", token) }
    }
  }

  func close() {}
}
