internal import DepotProtocol
internal import DepotSQLite

/// A stream of a store's history that is under way: a snapshot, and what was written of it.
///
/// A transaction is an object in a frame. One that is too large for a frame is written in pieces, all but
/// the last of which have `"more":true`; however many rows it changed, a piece at a time is in memory.
final class HistoryRun {
  private let reply: ReplyWriter
  private let connection: Connection
  private let ownsTransaction: Bool
  private let selection: HistorySelection
  private var source: HistorySource
  private let writing: HistoryWriting
  /// What comes next; `nil` at the end.
  private var item: HistorySource.Item?
  private var isStarted = false
  /// The transaction whose object was begun but not ended.
  private var open: HistorySource.Transaction?
  /// How many transactions were begun.
  private(set) var rowCount = 0
  /// The last one.
  private var last: Int64?
  private var isCut = false

  init(
    _ request: HistoryRequest,
    _ catalog: Catalog,
    _ reply: ReplyWriter,
    on connection: Connection
  ) throws(ReadEnd) {
    self.reply = reply
    self.connection = connection
    // The tokens are checked in the snapshot that is read.
    ownsTransaction = !connection.isInTransaction
    do {
      if ownsTransaction { try connection.run("BEGIN") }
      let bounds = try HistoryBounds(on: connection)
      selection = try HistorySelection(request, catalog, bounds, on: connection)
      let past = PastReader(connection, catalog, bounds)
      source = try HistorySource(selection, past)
      writing = HistoryWriting(past, hasValues: request.hasValues, reply.int64)
    } catch {
      if ownsTransaction { try? connection.run("COMMIT") }
      throw ReadEnd(error)
    }
  }

  /// Whether a frame is still to be written.
  func prepareFrame() throws(ReadEnd) -> Bool {
    if !isStarted {
      isStarted = true
      try moveOn()
    }
    return item != nil
  }

  private func moveOn() throws(ReadEnd) {
    do {
      item = try source.next()
      if case .begin = item, let limit = selection.request.limit, rowCount >= limit {
        item = nil
        isCut = true
      }
    } catch {
      throw ReadEnd(error)
    }
  }

  /// Appends the next frame; returns whether it was the last.
  func writeFrame(to writer: inout JSONWriter, byteLimit: Int) throws(ReadEnd) -> Bool {
    guard try prepareFrame() else { return true }
    let start = reply.beginRows(columns: nil, in: &writer)
    var isFirst = true
    var isFirstChange = true
    if let open {
      writing.begin(open, to: &writer)
      isFirst = false
    }
    frame: while let item {
      switch item {
      case .begin(let transaction):
        if writer.bytes.count - start >= byteLimit { break frame }
        if !isFirst { writer.raw(",") }
        isFirst = false
        isFirstChange = true
        open = transaction
        last = transaction.origin.token
        rowCount += 1
        writing.begin(transaction, to: &writer)
      case .change(let change):
        if writer.bytes.count - start >= byteLimit { break frame }
        if !isFirstChange { writer.raw(",") }
        isFirstChange = false
        do {
          try writing.write(change, to: &writer)
        } catch {
          throw ReadEnd(error)
        }
      case .end:
        writer.raw("]}")
        open = nil
      }
      try moveOn()
    }
    if open != nil { writer.raw("],\"more\":true}") }
    reply.endRows(from: start, in: &writer)
    guard writer.bytes.count - start <= Limits.frameBytes else {
      throw .failed(
        DepotError(.frameTooLarge, "A change of the history is too large for a frame.")
          .hint("Leave the values out with \"values\": false.")
      )
    }
    return item == nil
  }

  /// Appends the terminal frame.
  func writeEnd(to writer: inout JSONWriter) {
    let bounds = selection.bounds
    let end = isCut && !selection.request.isDescending ? last ?? selection.after : selection.until
    reply.ok(to: &writer) { writer in
      writer.raw("{\"transactions\":")
      writer.integer(rowCount)
      writer.raw(",\"token\":")
      writer.string(bounds.token(max(end, selection.after)).description)
      writer.raw("}")
    }
  }

  /// Ends the snapshot.
  func close() {
    source.close()
    if ownsTransaction { try? connection.run("COMMIT") }
  }
}

@available(*, unavailable)
extension HistoryRun: Sendable {}
