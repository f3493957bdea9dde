internal import DepotProtocol
internal import DepotSQLite

/// The transactions that changed rows, as far as history is kept.
@Memberwise("connection", "catalog", "control")
final class ChangeOrigins {
  /// The name that stands for the whole row in ``changes(of:_:since:)`` if it was deleted.
  static let deletion = "$deleted"
  /// How many changes are looked at for a row.
  private static let changeLimit = 32

  private let connection: Connection
  private let catalog: Catalog
  private let control: CallControl
  /// How many bytes of the history may still be read, so that telling stays cheap.
  private var remainingBytes = 32 << 20
  /// Whether changes are searched for, rather than the transactions that they are of.
  private var isSearching = false
  /// The reader of the history, which a transaction that writes doesn't make another one.
  private var past: PastReader?
  private var transactions: [Int64: SaveConflict.Origin] = [:]

  /// Returns the last transactions that changed properties of a row since it had a version, by the
  /// properties' names.
  func changes(
    of identifier: Int64,
    _ layout: EntityLayout,
    since version: Int64
  ) throws -> [String: SaveConflict.Origin] {
    var result: [String: SaveConflict.Origin] = [:]
    try eachChange(of: identifier, layout) { change in
      let isDeletion = change.kind == .delete
      let changed = change.version ?? 0
      // A deletion has the version that was deleted.
      guard changed > version || isDeletion && changed == version else { return false }
      let names = isDeletion ? [Self.deletion] : change.properties.map(\.name)
      for name in names where result[name] == nil { result[name] = try origin(change.token) }
      return true
    }
    return result
  }

  /// Returns the version that a deleted row had, and its own entity; `nil` if they aren't known.
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

  /// Calls `body` with the changes of a row, the newest first, until it returns `false`; links have no
  /// versions and aren't among them.
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
      // The changes that were found are told.
    }
  }

  /// The end of a search that has read as much as it may, also of pages that said nothing of the row.
  private struct Exhausted: Error {}

  private func reader() throws -> PastReader {
    try past.made {
      let bounds = try HistoryBounds(on: connection)
      return PastReader(connection, catalog, bounds) { [unowned self] byteCount in
        try control.check()
        if isSearching, remainingBytes <= 0 { throw Exhausted() }
        remainingBytes -= byteCount
      }
    }
  }

  private func origin(_ token: Int64) throws -> SaveConflict.Origin {
    try transactions[token].made {
      let past = try reader()
      return try past.origin(of: token)?.conflictOrigin(past.bounds)
        ?? SaveConflict.Origin(token: past.bounds.token(token).description)
    }
  }
}
