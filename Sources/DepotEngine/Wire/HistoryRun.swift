internal import DepotProtocol
internal import DepotSQLite

/// A running stream of a store's history in one snapshot.
///
/// Each transaction is an object in a frame. One that is too large for a frame is written in
/// pieces, and each piece except the last has `"more":true`. So only one piece is in memory,
/// regardless of the number of changed rows.
final class HistoryRun: StreamRun {
  /// The bytes of a frame for the end of its transaction.
  private static let restBytes = 4096

  private let reply: ReplyWriter
  private let selection: HistorySelection
  private let past: PastReader?
  /// The transactions of the snapshot, or those in memory.
  private var stored: HistoryAhead?
  private var recent: RecentHistory?
  private let writing: HistoryWriting
  /// The next item; `nil` at the end.
  private var item: HistorySource.Item?
  private var isStarted = false
  /// The transaction whose object is begun but not ended.
  private var open: HistorySource.Transaction?
  /// The number of begun transactions.
  private(set) var rowCount = 0
  /// The number of the last one.
  private var last: Int64?
  private var isCut = false
  /// Whether the stream belongs to a watch.
  private let isWatched: Bool
  /// The range of transactions that a watch has missed because they were purged.
  private(set) var gap: (from: Int64, to: Int64)?

  /// Begins to read, for a watch whose client has everything up to `token`.
  ///
  /// `bounds` are those of the snapshot, if they are known.
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
    // The tokens are checked in the same snapshot.
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

  /// Begins to write transactions in memory, for a watch whose client has everything up to `token`.
  ///
  /// It is `nil` if some of them must be read from the store.
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

  /// Whether another frame is needed.
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
        let room = Limits.frameBytes - (writer.bytes.count - start) - Self.restBytes
        writing.write(change, row, room: room, to: &writer)
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

  /// Returns all frames.
  ///
  /// - Throws: ``ReadEnd`` `interrupted` if they have many more than `byteLimit` bytes.
  func frames(upTo byteLimit: Int) throws -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var count = 0
    while try prepareFrame() {
      if count > byteLimit { throw ReadEnd.interrupted }
      var writer = JSONWriter(capacity: 1024)
      _ = try writeFrame(to: &writer, byteLimit: LiveFrames.frameBytes)
      count += writer.bytes.count
      frames.append(writer.bytes)
    }
    return frames
  }

  /// The position of a watching client at the end.
  var snapshot: LiveSnapshot? {
    isWatched && isStarted && item == nil ? LiveSnapshot(token: selection.until) : nil
  }

  /// Appends the final frame.
  func writeEnd(to writer: inout JSONWriter) {
    // A watch continues.
    if isWatched { return }
    let bounds = selection.bounds
    let end = isCut && !selection.request.isDescending ? last ?? selection.after : selection.until
    reply.object(to: &writer) { writer in
      writer.member("transactions", rowCount)
      writer.member("token", bounds.token(max(end, selection.after)))
    }
  }

  /// The number of pages of the history that were read for values of rows.
  var readPages: Int { past?.pages.readCount ?? 0 }

  func close() { stored?.close() }
}
