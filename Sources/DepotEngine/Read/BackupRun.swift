internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

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
