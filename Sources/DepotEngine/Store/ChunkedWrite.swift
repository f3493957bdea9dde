internal import DepotProtocol

/// An update or a deletion that is done in several transactions, each of a few rows, or the undoing of a
/// group.
///
/// The rows come in the order of their identifiers. Each chunk searches for rows after the last
/// identifier of the previous chunk, and ends after about ``duration``, however many it has found.
/// So rows that begin to satisfy the predicate meanwhile are changed if they are still ahead, and
/// rows that cease to satisfy it aren't. Rows inserted after the first chunk aren't changed.
struct ChunkedWrite {
  let request: WriteRequest
  var progress = ChunkProgress()
  /// The token of the last chunk that changed anything.
  var token: HistoryToken?
  /// How many rows a chunk may have, so that it takes about ``duration``.
  private var rowLimit = 256

  /// The group of its transactions in the history, if the request names none.
  let group: String

  /// How long a chunk works, in nanoseconds, unless it has but a few rows.
  static let duration: UInt64 = 10_000_000
  /// How many rows a chunk may have in any case.
  private static let fewRows = 64

  /// How many rows the next chunk may have.
  var nextRows: Int { min(rowLimit, request.operation.chunk ?? 1) }

  /// Notes how long a chunk took that changed so many rows.
  mutating func note(rows: Int, nanoseconds: UInt64) {
    guard rows > 0 else { return }
    let fitting = Double(rows) * Double(Self.duration) / Double(max(1, nanoseconds))
    rowLimit = Int(min(max(fitting, Double(Self.fewRows)), Double(8 * rowLimit)))
  }

  /// Returns `nil` if the request doesn't want chunks.
  init?(_ request: WriteRequest) {
    guard request.operation.chunk != nil else { return nil }
    self.request = request
    // The same request may have been sent again, perhaps to another service.
    let name = request.key.map(Self.digits) ?? String(UInt64.random(in: .min ... .max), radix: 16)
    group = "\(request.operation.name)-\(name)"
  }

  private static func digits(of key: String) -> String {
    var checksum = Checksum()
    Array(key.utf8).withUnsafeBytes { checksum.add($0) }
    return String(checksum.value, radix: 16)
  }

  /// Returns the error of a chunk behind others that stay done.
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
    // That nothing was changed, as the deadline's hint says, would be wrong here.
    result.hint = [error.code == .deadline ? nil : error.hint, rest].compactMap(\.self)
      .joined(separator: " ")
    var details = error.details?.object ?? [:]
    details["done"] = .int64(Int64(progress.done))
    details["after"] = .int64(after)
    return result.details(details)
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
    var details = error.details?.object ?? [:]
    details["done"] = .int64(Int64(count))
    details["group"] = .string(group)
    return result.details(details)
  }
}

/// How far a chunked write has come.
struct ChunkProgress {
  /// The last identifier that was looked at; `nil` before the first chunk.
  var after: Int64?
  /// The greatest identifier that there was when the first chunk began.
  var through = Int64.max
  /// How many rows were changed.
  var done = 0
  /// Their identifiers if they are wanted, as far as they aren't stored.
  var identifiers: [Int64] = []
  /// The group that is being undone.
  var group: String?
  /// The decisions of the policy about later changes, as far as they are told.
  private(set) var conflicts: [SaveConflict] = []
  /// How many parts of the identifiers are stored, and their bytes.
  var parts = 0
  var storedBytes = 0

  /// How many conflicts are told.
  static let conflictLimit = 1000

  /// Notes decisions of the policy.
  mutating func add(_ more: [SaveConflict]) {
    conflicts += more.prefix(max(0, Self.conflictLimit - conflicts.count))
  }

  /// Notes the rows of a chunk.
  mutating func add(_ changed: [Int64]) throws(DepotError) {
    identifiers += changed
    try WriteReply.checkIdentifiers(storedBytes + identifiers.textByteCount)
  }
}

extension Operation {
  /// How many rows a transaction may change, if the request is to be done in several.
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
