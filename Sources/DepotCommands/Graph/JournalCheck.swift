internal import DepotClientCore
internal import DepotProtocol

/// The comparison of the journal of an interrupted import with the store.
@Memberwise
struct JournalCheck {
  let path: String
  let connection: ImportConnection

  /// The number of identifier runs in one count.
  private static let runCount = 64

  /// Checks that an import can continue.
  ///
  /// - Parameters:
  ///   - history: The journal's notes.
  ///   - entity: The entity of a journal about one file; `nil` if files are named by their
  ///     entities.
  /// - Returns: A sentence about lost rows, if other rows still exist.
  /// - Throws: ``DepotError`` `request.usage` if all rows are lost, or the journal belongs to
  ///   another store.
  func run(_ history: ImportJournal.History, entity: String?) throws -> String? {
    if let token = history.token { try check(token) }
    var (told, found) = (0, 0)
    for (file, state) in history.files where !state.stored.isEmpty {
      let name = entity ?? file
      var runs = state.stored[...]
      while !runs.isEmpty {
        let part = runs.prefix(Self.runCount)
        runs = runs.dropFirst(part.count)
        told += part.reduce(0) { $0 + $1.count }
        found += try count(part, of: name)
      }
    }
    guard found < told else { return nil }
    let gone = Numbers.counted(told - found, "row")
    guard found > 0 else {
      throw refusal("The \(gone) that \(path) tells of \(told == 1 ? "is" : "are") gone.")
    }
    return "\(gone) of \(Numbers.grouped(told)) that \(path) tells of "
      + "\(told - found == 1 ? "is" : "are") gone, and stay\(told - found == 1 ? "s" : "") so."
  }

  private func count(_ runs: ArraySlice<ClosedRange<Int64>>, of entity: String) throws -> Int {
    let identifier = QueryExpression.attribute(NaturalKey.fileIdentifier)
    let request = CountRequest(
      entity: entity,
      predicate: .or(
        runs.map { run in
          .between(identifier, .value(.int64(run.lowerBound)), .value(.int64(run.upperBound)))
        }
      )
    )
    return try connection.attempt { try $0.count(request) }
  }

  /// Checks that a token is in the store's history.
  private func check(_ token: HistoryToken) throws {
    do {
      _ = try connection.attempt { connection in
        try connection.history(HistoryRequest(since: .token(token), limit: 0)) { _ in }
      }
    } catch let error as DepotError where error.code == .historyForeign {
      throw refusal(
        "\(path) belongs to another store, or to the store before it was restored."
      )
    } catch let error as DepotError where error.code == .historyExpired {
      // The rows themselves can still be looked for.
    }
  }

  private func refusal(_ message: String) -> DepotError {
    DepotError(.usage, message).hint("With --begin-again the same command imports all of it again.")
  }
}
