internal import DepotProtocol

/// An update, a deletion, or the undoing of a group in several transactions of a few rows each.
///
/// The rows are processed in the order of their identifiers. Each chunk searches for rows after the
/// last identifier of the previous chunk, and ends after about ``duration``, however many it has
/// found. So a row that starts to satisfy the predicate meanwhile is changed if its identifier is
/// still to come, and one that no longer satisfies it isn't. Rows inserted after the first chunk
/// aren't changed.
/// rows that cease to satisfy it aren't. Rows inserted after the first chunk aren't changed.
struct ChunkedWrite {
  let request: WriteRequest
  var progress = ChunkProgress()
  /// The token of the last chunk that changed anything.
  var token: HistoryToken?
  /// The most rows of the next chunk, adjusted so that a chunk takes about ``duration``.
  private var rowLimit = 256

  /// The group of its transactions in the history, unless the request names one.
  let group: String

  /// The time of a chunk in nanoseconds, unless it has only ``fewRows``.
  static let duration: UInt64 = 10_000_000
  /// The number of rows that a chunk may always have.
  private static let fewRows = 64

  /// The most rows of the next chunk.
  var nextRows: Int { min(rowLimit, request.operation.chunk ?? 1) }

  /// Adjusts the limit to the time that a chunk took for its rows.
  mutating func note(rows: Int, nanoseconds: UInt64) {
    guard rows > 0 else { return }
    let fitting = Double(rows) * Double(Self.duration) / Double(max(1, nanoseconds))
    rowLimit = Int(min(max(fitting, Double(Self.fewRows)), Double(8 * rowLimit)))
  }

  /// Makes a chunked write of a request; `nil` if the request doesn't ask for chunks.
  init?(_ request: WriteRequest) {
    guard request.operation.chunk != nil else { return nil }
    self.request = request
    // With a key, the name is the same if the request is sent again, even to another service.
    let name = request.key.map(Self.digits) ?? String(UInt64.random(in: .min ... .max), radix: 16)
    group = "\(request.operation.name)-\(name)"
  }

  private static func digits(of key: String) -> String {
    var checksum = Checksum()
    Array(key.utf8).withUnsafeBytes { checksum.add($0) }
    return String(checksum.value, radix: 16)
  }

  /// Adds to an error that earlier chunks are done and stay done.
  func error(_ error: DepotError) -> DepotError {
    guard progress.done > 0, let after = progress.after else { return error }
    if request.operation.isUndo { return undoError(error) }
    var result = error
    result.message += " Chunks with \(progress.done) rows are done and stay so."
    result.effect = .partial
    let rest =
      request.key == nil
      ? "The rest are the rows whose identifiers are beyond \(after)."
      : "Send the request again with the same key for the rest."
    // The deadline's hint says that nothing was changed, which would be wrong here.
    result.hint = [error.code == .deadline ? nil : error.hint, rest].compactMap(\.self)
      .joined(separator: " ")
    return result.detail("done", Int64(progress.done)).detail("after", after)
  }

  private func undoError(_ error: DepotError) -> DepotError {
    var result = error
    let (count, group) = (progress.done, progress.group ?? "")
    result.message +=
      count == 1
      ? " One transaction of the group \(group.quoted) is done and stays so."
      : " \(count) transactions of the group \(group.quoted) are done and stay so."
    result.effect = .partial
    result.hint = [
      error.code == .deadline ? nil : error.hint, "The same for the group does the rest.",
    ]
    .compactMap(\.self).joined(separator: " ")
    return result.detail("done", Int64(count)).detail("group", group)
  }
}

/// The progress of a chunked write.
struct ChunkProgress {
  /// The last identifier that was processed; `nil` before the first chunk.
  var after: Int64?
  /// The greatest identifier when the first chunk began.
  var through = Int64.max
  /// The number of changed rows.
  var done = 0
  /// The identifiers of the changed rows if they are requested, except the stored ones.
  var identifiers: [Int64] = []
  /// The group that is being undone.
  var group: String?
  /// The policy's decisions about later changes, up to ``conflictLimit``.
  private(set) var conflicts: [RowConflict] = []
  /// The number of stored parts of the identifiers, and their bytes.
  var parts = 0
  var storedBytes = 0

  /// The most conflicts in an answer.
  static let conflictLimit = 1000

  /// Adds decisions of the policy.
  mutating func add(_ more: [RowConflict]) {
    conflicts += more.prefix(max(0, Self.conflictLimit - conflicts.count))
  }

  /// Adds the rows of a chunk.
  mutating func add(_ changed: [Int64]) throws(DepotError) {
    identifiers += changed
    try identifiers.checkAnswer(beside: storedBytes)
  }
}

extension [Int64] {
  /// Checks that the identifiers fit an answer beside others with `byteCount` bytes.
  ///
  /// Each has a comma, and perhaps quotation marks.
  func checkAnswer(beside byteCount: Int = 0) throws(DepotError) {
    let count = reduce(byteCount + count) { $0 + $1.description.utf8.count }
    guard count > Limits.frameBytes / 2 else { return }
    throw DepotError(.frameTooLarge, "There are more identifiers than fit an answer.")
      .hint("Leave returnIds out, or change fewer rows.").at("/args/returnIds")
  }
}

extension Operation {
  /// The most rows of a transaction, if the request asks for several; otherwise `nil`.
  package var chunk: Int? {
    switch self {
    case .update(let request): request.chunk
    case .delete(let request): request.chunk
    case .undo(let request), .redo(let request): request.isWhole ? 1 : nil
    default: nil
    }
  }

  /// Whether it undoes transactions.
  var isUndo: Bool {
    switch self {
    case .undo, .redo: true
    default: false
    }
  }
}
