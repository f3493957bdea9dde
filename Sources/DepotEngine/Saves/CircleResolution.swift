internal import DepotProtocol
internal import DepotSQLite

/// A search for stored rows that equal a save's rows whose unique values form a cycle.
///
/// If a row's unique values include references that lead back to the row, none of these rows can be
/// found before the others. So the search assumes a stored row for one of them, and with it the
/// rows that it refers to; if all of them match the save's rows, they are the same rows.
@Memberwise("session", "stepLimit")
struct CircleResolution {
  /// A row of a table.
  struct RowKey: Hashable {
    var root: String
    var identifier: Int64
  }

  /// The unique values of a row, including references to rows that aren't known yet.
  struct OpenKey {
    var unique: UniqueLayout
    var values: [SQLiteValue]
    /// The rows of the references, by their position in the key.
    var rows: [Int: RowKey]
  }

  private struct OpenRow {
    var writer: EntityWriter
    var keys: [OpenKey]
  }

  /// The most stored rows that are tried for one row of the save.
  private static let most = 10_000
  /// The number of stored rows above which a row counts as no better to start with than others.
  private static let enough = 16

  private let session: ChangeSession
  /// The number of stored rows that may still be read.
  private(set) var stepLimit: Int
  private var open: [RowKey: OpenRow] = [:]
  private var found: [RowKey: Int64] = [:]
  private var used: Set<RowKey> = []

  /// Adds a row of the save that wasn't found.
  mutating func add(_ identifier: Int64, _ writer: EntityWriter, _ keys: [OpenKey]) {
    guard !keys.isEmpty else { return }
    let key = RowKey(root: writer.layout.root, identifier: identifier)
    open[key, default: OpenRow(writer: writer, keys: [])].keys += keys
  }

  /// Returns the stored identifiers by the provisional identifiers of the save's rows.
  mutating func run() throws -> [RowKey: Int64] {
    prune()
    var order: [(count: Int, key: RowKey)] = []
    for (key, row) in open {
      let counts = try row.keys.map { openKey in
        try candidates(openKey, row.writer, limit: Self.enough).count
      }
      order.append((counts.min() ?? 0, key))
    }
    // Rows with few candidates come first: they may decide between cycles that are otherwise alike.
    order.sort {
      ($0.count, $0.key.root, $0.key.identifier) < ($1.count, $1.key.root, $1.key.identifier)
    }
    for (_, key) in order where found[key] == nil { try find(key) }
    return found
  }

  /// Removes rows that refer to new rows, and so are new themselves.
  private mutating func prune() {
    var dependents: [RowKey: [RowKey]] = [:]
    for (key, row) in open {
      for target in row.keys.flatMap(\.rows.values) { dependents[target, default: []].append(key) }
    }
    var gone = dependents.keys.filter { open[$0] == nil }
    while let target = gone.popLast() {
      for key in dependents[target] ?? [] where open[key] != nil {
        open[key]?.keys.removeAll { $0.rows.values.contains(target) }
        if open[key]?.keys.isEmpty == true {
          open[key] = nil
          gone.append(key)
        }
      }
    }
  }

  private mutating func find(_ key: RowKey) throws {
    guard let row = open[key] else { return }
    for openKey in row.keys {
      for candidate in try candidates(openKey, row.writer, limit: Self.most) {
        try session.control.check()
        guard let match = try match(key, candidate) else { continue }
        found.merge(match) { first, _ in first }
        for (key, identifier) in match {
          used.insert(RowKey(root: key.root, identifier: identifier))
        }
        return
      }
    }
  }

  /// Returns the stored rows with the known values of a key.
  private func candidates(
    _ key: OpenKey,
    _ writer: EntityWriter,
    limit: Int
  ) throws -> [Int64] {
    var conditions: [String] = []
    var values: [SQLiteValue] = []
    for (index, place) in key.unique.columnIndices.enumerated() {
      let column = writer.layout.stored[place].quoted
      if key.rows[index] != nil {
        conditions.append("\(column) IS NOT NULL")
      } else {
        conditions.append("\(column) = ?")
        values.append(key.values[index])
      }
    }
    let statement = try session.connection.statement(
      "SELECT id FROM \(writer.layout.table) WHERE \(conditions.joined(separator: " AND "))"
        + "\(key.unique.kindCondition) ORDER BY id LIMIT \(limit)"
    )
    return try statement.rows(values) { $0.integer(0) }
  }

  /// Assumes a stored row for a row of the save; returns all assumed rows if they match.
  private mutating func match(_ start: RowKey, _ candidate: Int64) throws -> [RowKey: Int64]? {
    var result: [RowKey: Int64] = [start: candidate]
    var taken: Set<RowKey> = []
    var waiting = [start]
    while let key = waiting.popLast() {
      stepLimit -= 1
      guard stepLimit >= 0 else { throw TemporaryResolution.tooFarBack }
      guard let identifier = result[key], let row = open[key] else { return nil }
      let place = RowKey(root: key.root, identifier: identifier)
      guard !used.contains(place), taken.insert(place).inserted,
        try row.writer.isThere(identifier),
        let targets = try targets(of: identifier, row, result)
      else { return nil }
      for (target, identifier) in targets where result[target] == nil {
        result[target] = identifier
        waiting.append(target)
      }
    }
    return result
  }

  /// Returns the destinations of a stored row's references, if the row matches a key.
  private func targets(
    of identifier: Int64,
    _ row: OpenRow,
    _ known: [RowKey: Int64]
  ) throws -> [RowKey: Int64]? {
    for key in row.keys {
      let columns = key.unique.columnIndices.map { row.writer.layout.stored[$0].quoted }
      let stored = try session.connection.statement(
        "SELECT \(columns.joined(separator: ", ")) FROM \(row.writer.layout.table) WHERE id = ?1"
      ).first([.integer(identifier)]) { found in columns.indices.map { Cell(found, $0).value } }
      guard let stored else { return nil }
      var targets: [RowKey: Int64] = [:]
      let agrees = stored.indices.allSatisfy { index in
        guard let target = key.rows[index] else { return stored[index] == key.values[index] }
        guard case .integer(let value) = stored[index] else { return false }
        let wanted = known[target] ?? found[target] ?? targets[target] ?? value
        targets[target] = wanted
        return wanted == value
      }
      guard agrees else { continue }
      return targets.filter { found[$0.key] == nil }
    }
    return nil
  }
}
