internal import DepotProtocol
internal import DepotSQLite

/// A stream of a store's history that is under way: a snapshot, and what was written of it.
///
/// A transaction is an object in a frame. One that is too large for a frame is written in pieces, all but
/// the last of which have `"more":true`; however many rows it changed, a piece at a time is in memory.
final class HistoryRun: StreamRun {
  private let reply: ReplyWriter
  private let selection: HistorySelection
  private let past: PastReader?
  /// The transactions of the snapshot, or those that are in memory.
  private var stored: HistoryAhead?
  private var recent: RecentHistory?
  private let writing: HistoryWriting
  /// The next item; `nil` at the end.
  private var item: HistorySource.Item?
  private var isStarted = false
  /// The transaction whose object was begun but not ended.
  private var open: HistorySource.Transaction?
  /// How many transactions were begun.
  private(set) var rowCount = 0
  /// The last one.
  private var last: Int64?
  private var isCut = false
  /// Whether the frames are those of a watch.
  private let isWatched: Bool
  /// The moments about which a client that watches can't be told any more.
  private(set) var gap: (from: Int64, to: Int64)?

  /// Begins to read, for a client that watches from the moment `token` up to which it knows
  /// everything; `bounds` are those of the snapshot, if they are known.
  init(
    _ request: HistoryRequest,
    watchedSince token: Int64? = nil,
    without own: HistorySelection.Own? = nil,
    _ catalog: Catalog,
    _ reply: ReplyWriter,
    bounds: HistoryBounds? = nil,
    on connection: Connection,
    check: @escaping PastReader.Check
  ) throws {
    isWatched = token != nil
    self.reply = reply
    // The tokens are checked in the snapshot that is read.
    try connection.beginSnapshot()
    let bounds = try bounds ?? HistoryBounds(on: connection)
    var request = request
    if let token {
      request.since = .token(bounds.token(max(token, bounds.purged)))
      if token < bounds.purged { gap = (token, bounds.purged) }
    }
    selection = try HistorySelection(request, catalog, bounds, on: connection, without: own)
    let past = PastReader(connection, catalog, bounds, check: check)
    self.past = past
    stored = HistoryAhead(try HistorySource(selection, past), request, past)
    writing = HistoryWriting(
      catalog: catalog,
      bounds: bounds,
      hasValues: request.hasValues,
      int64: reply.int64
    )
  }

  /// Begins to write transactions that are in memory for a client that watches from the moment `token`; `nil` if
  /// the store has to be asked for some of them.
  init?(
    _ sets: ArraySlice<ChangeSet>,
    _ request: HistoryRequest,
    watchedSince token: Int64,
    without own: HistorySelection.Own?,
    _ catalog: Catalog,
    _ reply: ReplyWriter,
    bounds: HistoryBounds
  ) throws {
    isWatched = true
    self.reply = reply
    selection = try HistorySelection(request, catalog, bounds, after: token, without: own)
    recent = try RecentHistory(sets, selection, catalog)
    if recent == nil { return nil }
    past = nil
    writing = HistoryWriting(
      catalog: catalog,
      bounds: bounds,
      hasValues: request.hasValues,
      int64: reply.int64
    )
  }

  /// Whether a frame is still to be written.
  func prepareFrame() throws -> Bool {
    if !isStarted {
      isStarted = true
      try moveOn()
    }
    return item != nil || gap != nil
  }

  private func moveOn() throws {
    item = try recent == nil ? stored?.next() : recent?.next()
    if item?.beginsTransaction == true, let limit = selection.request.limit, rowCount >= limit {
      item = nil
      isCut = true
    }
  }

  /// Appends the next frame; returns whether it was the last.
  func writeFrame(to writer: inout JSONWriter, byteLimit: Int) throws -> Bool {
    guard try prepareFrame() else { return true }
    if let gap {
      let frames = LiveFrames(reply: reply, epochs: selection.bounds.epochs)
      writer.raw(frames.gap(from: gap.from, to: gap.to))
      self.gap = nil
      return item == nil
    }
    let start = reply.beginRows(kind: isWatched ? "change" : nil, columns: nil, in: &writer)
    if let open { writing.begin(open, to: &writer) }
    frame: while let item {
      switch item {
      case .begin(let transaction):
        if writer.bytes.count - start >= byteLimit { break frame }
        writer.separate()
        open = transaction
        last = transaction.origin.token
        rowCount += 1
        writing.begin(transaction, to: &writer)
      case .group(let transaction, let group):
        if writer.bytes.count - start >= byteLimit { break frame }
        writer.separate()
        last = transaction.origin.token
        rowCount += 1
        writing.write(transaction, group, to: &writer)
      case .change(let change, let row):
        if writer.bytes.count - start >= byteLimit { break frame }
        writer.separate()
        writing.write(change, row, to: &writer)
      case .end:
        writer.raw("]}")
        open = nil
      }
      try moveOn()
    }
    if open != nil { writer.raw("],\"more\":true}") }
    if isWatched {
      writer.raw("],\"token\":")
      writer.string(selection.bounds.token(last ?? selection.after))
      writer.raw(open == nil ? "}" : ",\"more\":true}")
      FrameEncoder.end(reply.framing, from: start, in: &writer)
    } else {
      reply.endRows(from: start, in: &writer)
    }
    guard writer.bytes.count - start <= Limits.frameBytes else {
      throw DepotError(.frameTooLarge, "A change of the history is too large for a frame.")
        .hint("Leave the values out with \"values\": false.")
    }
    return item == nil
  }

  /// The moment that a client that watches knows at the end.
  var snapshot: LiveSnapshot? {
    isWatched && isStarted && item == nil ? LiveSnapshot(token: selection.until) : nil
  }

  /// Appends the terminal frame.
  func writeEnd(to writer: inout JSONWriter) {
    // A watch goes on.
    if isWatched { return }
    let bounds = selection.bounds
    let end = isCut && !selection.request.isDescending ? last ?? selection.after : selection.until
    reply.object(to: &writer) { writer in
      writer.member("transactions", rowCount)
      writer.member("token", bounds.token(max(end, selection.after)))
    }
  }

  /// How many pages of the history were read to find what rows had.
  var readPages: Int { past?.pages.readCount ?? 0 }

  func close() { stored?.close() }
}
