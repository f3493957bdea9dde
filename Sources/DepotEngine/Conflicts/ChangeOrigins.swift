internal import DepotProtocol
internal import DepotSQLite

/// Who changed rows, as far as history is kept.
final class ChangeOrigins {
  /// What stands for the whole row in ``changes(of:_:since:)`` if it was deleted.
  static let deletion = "$deleted"
  /// How many entries are looked at for a row.
  private static let entryLimit = 32

  private let connection: Connection
  /// How many bytes of the history may still be read, so that telling stays cheap.
  private var remainingBytes = 32 << 20
  private var bounds: HistoryBounds?
  private var transactions: [Int64: SaveConflict.Origin] = [:]

  init(_ connection: Connection) {
    self.connection = connection
  }

  /// An entry of the history that is about a row.
  private struct Entry {
    var token: Int64
    /// The row's own entity.
    var entity: String
    var isDeletion: Bool
    var version: Int64
    var names: [String]
  }

  /// Returns the last transactions that changed properties of a row since it had a version, by the
  /// properties' names.
  func changes(
    of identifier: Int64,
    _ layout: EntityLayout,
    since version: Int64
  ) throws -> [String: SaveConflict.Origin] {
    var result: [String: SaveConflict.Origin] = [:]
    for entry in try entries(of: identifier, layout) {
      // A deletion has the version that was deleted.
      guard entry.version > version || entry.isDeletion && entry.version == version else { break }
      let names = entry.isDeletion ? [Self.deletion] : entry.names
      for name in names where result[name] == nil { result[name] = try origin(entry.token) }
    }
    return result
  }

  /// Returns the version that a deleted row had, and its own entity; `nil` if they aren't known.
  func last(
    of identifier: Int64,
    _ layout: EntityLayout
  ) throws -> (version: Int64, entity: String)? {
    let entries = try entries(of: identifier, layout)
    guard let first = entries.first else { return nil }
    return (entries.map(\.version).max() ?? first.version, first.entity)
  }

  /// Returns what the history has of a row, the newest first; links have no versions and aren't among it.
  private func entries(of identifier: Int64, _ layout: EntityLayout) throws -> [Entry] {
    let floor = try currentBounds().floor
    var places: [Int64] = []
    try connection.statement(
      """
      SELECT r.id FROM depot_history_row AS r JOIN depot_history AS h ON h.id = r.id
      WHERE r.entity = ?1 AND r.row = ?2 AND r.id > ?4 AND h.kind IN (1, 2) \
      ORDER BY r.id DESC LIMIT ?3
      """
    ).run([
      .text(layout.root), .integer(identifier), .integer(Int64(Self.entryLimit)), .integer(floor),
    ]) { places.append($0.integer(0)) }
    var result: [Entry] = []
    for place in places {
      guard remainingBytes > 0 else { break }
      var entry: (token: Int64, kind: Int64, changes: String, entity: String)?
      try connection.statement(
        "SELECT token, kind, changes, entity FROM depot_history WHERE id = ?1"
      ).run([.integer(place)]) {
        entry = ($0.integer(0), $0.integer(1), $0.text(2), $0.text(3))
      }
      guard let entry else { continue }
      remainingBytes -= entry.changes.utf8.count
      result += try Self.entries(entry.changes, of: identifier).reversed().map { version, names in
        Entry(
          token: entry.token,
          entity: entry.entity,
          isDeletion: entry.kind == 2,
          version: version,
          names: names
        )
      }
    }
    return result
  }

  /// How far the history reaches, which a transaction that writes doesn't change.
  private func currentBounds() throws -> HistoryBounds {
    if let bounds { return bounds }
    let bounds = try HistoryBounds(on: connection)
    self.bounds = bounds
    return bounds
  }

  private static func entries(
    _ changes: String,
    of identifier: Int64
  ) throws -> [(version: Int64, names: [String])] {
    var result: [(version: Int64, names: [String])] = []
    for change in try JSONDocument(Array(changes.utf8), valueLimit: .max).root.elements() {
      var reader = try JSONObjectReader(change)
      guard try reader.optional("id")?.int64() == identifier else { continue }
      let version = try reader.optional("v")?.int64() ?? 0
      let properties = try reader.optional("p").map(JSONValue.init)
      let names =
        properties?.object.map { Array($0.keys) } ?? properties?.array?.compactMap(\.string)
      result.append((version, names ?? []))
    }
    return result
  }

  private func origin(_ token: Int64) throws -> SaveConflict.Origin {
    if let known = transactions[token] { return known }
    var origin = SaveConflict.Origin(token: try currentBounds().token(token).description)
    try connection.statement("SELECT at, author, process FROM depot_history WHERE id = ?1")
      .run([.integer(token)]) { row in
        var writer = JSONWriter()
        DateText.write(row.real(0), to: &writer)
        origin.at = try? JSONValue(parsing: writer.bytes).string
        if !row.isNull(1) { origin.author = row.text(1) }
        if !row.isNull(2) { origin.process = row.text(2) }
      }
    transactions[token] = origin
    return origin
  }
}

@available(*, unavailable)
extension ChangeOrigins: Sendable {}
