internal import DepotProtocol
internal import DepotSQLite

/// Finds the transactions that changed rows, as far as the history is kept.
@Memberwise("connection", "catalog", "control")
final class ChangeOrigins {
  /// The name for the whole row in ``changes(of:_:since:)`` if it was deleted.
  static let deletion = "$deleted"
  /// The most changes of a row to examine.
  private static let changeLimit = 32

  private let connection: Connection
  private let catalog: Catalog
  private let control: CallControl
  /// The number of history bytes that may still be read, so that conflict reports stay cheap.
  private var remainingBytes = 32 << 20
  /// Whether a search of the history is running, rather than the reading of a transaction.
  private var isSearching = false
  /// The reader of the history, which stays valid during a transaction that writes.
  private var past: PastReader?
  private var transactions: [Int64: SaveConflict.Origin] = [:]

  /// Returns, by property name, the last transactions that changed a row since a version.
  func changes(
    of identifier: Int64,
    _ layout: EntityLayout,
    since version: Int64
  ) throws -> [String: SaveConflict.Origin] {
    var result: [String: SaveConflict.Origin] = [:]
    try eachChange(of: identifier, layout) { change in
      let isDeletion = change.kind == .delete
      let changed = change.version ?? 0
      // A deletion has the version of the deleted row.
      guard changed > version || isDeletion && changed == version else { return false }
      let names = isDeletion ? [Self.deletion] : change.properties.map(\.name)
      for name in names where result[name] == nil { result[name] = try origin(change.token) }
      return true
    }
    return result
  }

  /// Returns the last version and the entity of a deleted row; `nil` if they are unknown.
  func last(
    of identifier: Int64,
    _ layout: EntityLayout
  ) throws -> (version: Int64, entity: String)? {
    var result: (version: Int64, entity: String)?
    try eachChange(of: identifier, layout) { change in
      result = (max(result?.version ?? 0, change.version ?? 0), result?.entity ?? change.entity)
      return true
    }
    return result
  }

  /// Calls `body` with the changes of a row, newest first, until it returns `false`.
  ///
  /// Changes of links are excluded, since they have no versions.
  private func eachChange(
    of identifier: Int64,
    _ layout: EntityLayout,
    _ body: (RecordedChange) throws -> Bool
  ) throws {
    var count = 0
    isSearching = true
    defer { isSearching = false }
    do {
      try reader().events(of: identifier, layout.root) { change in
        guard change.kind != .links else { return true }
        count += 1
        return try body(change) && count < Self.changeLimit
      }
    } catch is Exhausted {
      // The changes found so far are reported.
    }
  }

  /// The error that ends a search at its limit of bytes, even if none of them was about the row.
  private struct Exhausted: Error {}

  private func reader() throws -> PastReader {
    try past.getOrInsert {
      let bounds = try HistoryBounds(on: connection)
      return PastReader(connection, catalog, bounds) { [unowned self] byteCount in
        try control.check()
        if isSearching, remainingBytes <= 0 { throw Exhausted() }
        remainingBytes -= byteCount
      }
    }
  }

  private func origin(_ token: Int64) throws -> SaveConflict.Origin {
    try transactions[token].getOrInsert {
      let past = try reader()
      return try past.origin(of: token)?.conflictOrigin(past.bounds)
        ?? SaveConflict.Origin(token: past.bounds.token(token).description)
    }
  }
}

extension HistoryOrigin {
  /// The facts about a transaction in the form for conflicts.
  func conflictOrigin(_ bounds: HistoryBounds) -> SaveConflict.Origin {
    SaveConflict.Origin(
      token: bounds.token(token).description,
      at: DateText.text(at),
      author: author,
      process: process
    )
  }
}
