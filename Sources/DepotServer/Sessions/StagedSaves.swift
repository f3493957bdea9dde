internal import DepotProtocol

/// The parts of saves that a connection has sent in advance.
struct StagedSaves {
  private struct Staged {
    var request = SaveRequest()
    var parts = 0
    var rows = 0
    var bytes = 0
  }

  private var saves: [Int64: Staged] = [:]

  /// About how much memory they take, in bytes.
  private(set) var byteCount = 0

  /// Adds a part to a save, and returns the number of parts and rows that it has now.
  ///
  /// Nothing stays staged for the save after an error.
  ///
  /// - Throws: ``DepotError`` `notfound.staged` if it isn't the next part, `limit.save` if the save
  ///   is too large by itself, `limit.staged` if all connections' staged saves together are too
  ///   large, `request.usage` if it doesn't continue the parts before.
  mutating func add(
    _ part: StageRequest.Part,
    to save: Int64,
    others: Int
  ) throws(DepotError) -> (parts: Int, rows: Int) {
    if part.number == 1 { discard(save) }
    var staged = saves.removeValue(forKey: save) ?? Staged()
    byteCount -= staged.bytes
    guard part.number == staged.parts + 1 else {
      let next = staged.parts + 1
      throw DepotError(.stagedNotFound, "Part \(part.number) was sent, but part \(next) is next.")
        .hint("Begin again with part 1; parts are gone with the connection.").at("/args/part")
    }
    guard saves.count < Limits.stagedSaves else {
      throw DepotError(.tooMuchStaged, "Parts of \(Limits.stagedSaves) saves are staged already.")
        .hint("Save or discard one of them.")
    }
    staged.parts = part.number
    staged.rows += part.changes.rowCount
    staged.bytes += part.changes.byteCount
    guard staged.rows <= Limits.stagedRows else {
      throw DepotError(.saveTooLarge, "A save has at most \(Limits.stagedRows) rows.")
        .hint("Make several saves.")
    }
    guard staged.bytes <= Limits.stagedBytes else {
      throw DepotError(.saveTooLarge, "A save has at most \(Limits.stagedBytes) bytes.")
        .hint("Make several saves.")
    }
    guard byteCount + staged.bytes <= Limits.stagedBytes else {
      throw DepotError(.tooMuchStaged, "A connection stages at most \(Limits.stagedBytes) bytes.")
        .hint("Save or discard the other staged saves.")
    }
    guard others + byteCount + staged.bytes <= Limits.allStagedBytes else {
      throw DepotError(
        .tooMuchStaged,
        "All connections stage at most \(Limits.allStagedBytes) bytes."
      )
      .hint("Try again when others are done.")
    }
    try staged.request.append(part.changes, continuing: part.continued)
    saves[save] = staged
    byteCount += staged.bytes
    return (staged.parts, staged.rows)
  }

  /// Drops the parts of a save.
  mutating func discard(_ save: Int64) {
    byteCount -= saves.removeValue(forKey: save)?.bytes ?? 0
  }

  /// Returns a save with its parts, which are removed here.
  ///
  /// - Throws: ``DepotError`` `notfound.staged` if there are none, or a different number than it
  ///   names.
  mutating func join(_ request: SaveRequest) throws(DepotError) -> SaveRequest {
    guard let name = request.staged else { return request }
    guard var staged = saves.removeValue(forKey: name.save) else {
      throw DepotError(.stagedNotFound, "Nothing is staged as \(name.save).")
        .hint("Parts are gone with the connection, and after a save that names them.")
        .at("/args/staged")
    }
    byteCount -= staged.bytes
    guard staged.parts == name.parts else {
      throw DepotError(.stagedNotFound, "There are \(staged.parts) parts, not \(name.parts).")
        .at("/args/staged/parts")
    }
    try staged.request.append(request)
    staged.request.onConflict = request.onConflict
    staged.request.policy = request.policy
    staged.request.answersInRuns = request.answersInRuns
    return staged.request
  }
}
