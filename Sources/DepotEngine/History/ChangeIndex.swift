internal import DepotSQLite

/// The index of the rows that the history is about, besides their insertions.
///
/// A page of the history is found by the identifiers of its rows. Where it is about most rows of a block, which
/// are those that follow a multiple of ``blockSize``, it is found by the block, as most pages of a large
/// transaction are: a page that is found so may say nothing of a row.
struct ChangeIndex {
  /// Makes the table; a negative `row` stands for a block.
  static let definition = """
    CREATE TABLE depot_history_row (entity TEXT NOT NULL, row INTEGER NOT NULL, id INTEGER NOT NULL,
      PRIMARY KEY (entity, row, id)) STRICT, WITHOUT ROWID;
    """

  /// How many rows a block has, as a power of two.
  static let blockBits = 6

  /// How many rows a block has.
  static var blockSize: Int64 { 1 << blockBits }

  let connection: Connection

  /// Returns the key of the block that a row is in.
  static func block(of row: Int64) -> Int64 { ~(row >> blockBits) }

  /// Returns the keys of a page, whose rows are in ascending order.
  static func keys(of rows: [Int64]) -> [Int64] {
    var keys: [Int64] = []
    var start = rows.startIndex
    while start < rows.endIndex {
      let block = block(of: rows[start])
      var end = start + 1
      var count: Int64 = 1
      while end < rows.endIndex, Self.block(of: rows[end]) == block {
        if rows[end] != rows[end - 1] { count += 1 }
        end += 1
      }
      if count >= blockSize / 2 {
        keys.append(block)
      } else {
        keys += rows[start..<end]
      }
      start = end
    }
    return keys
  }

  /// Returns the last page that may be about a row, of those from `first` on and before `end`.
  func last(
    about row: Int64,
    of root: String,
    from first: Int64,
    before end: Int64
  ) throws(SQLiteError) -> Int64? {
    let newest = "SELECT max(id) AS id FROM depot_history_row WHERE entity = ?1 AND row ="
    let range = "AND id >= ?4 AND id < ?5"
    return try connection.integer(
      "SELECT max(id) FROM (\(newest) ?2 \(range) UNION ALL \(newest) ?3 \(range))",
      [
        .text(root), .integer(row), .integer(Self.block(of: row)), .integer(first), .integer(end),
      ]
    )
  }

  /// Deletes what leads to a page; `roots` are the entities by which its rows may be found, the likeliest first.
  func remove(_ page: Int64, about rows: [Int64], of roots: [String]) throws {
    let statement = try connection.statement(
      "DELETE FROM depot_history_row WHERE entity = ?1 AND row = ?2 AND id = ?3"
    )
    for key in Self.keys(of: rows) {
      for root in roots {
        try statement.run([.text(root), .integer(key), .integer(page)])
        if connection.changeCount > 0 { break }
      }
    }
  }

  /// Deletes all that leads to a page of which it isn't known what it is about.
  func remove(_ page: Int64) throws {
    try connection.statement("DELETE FROM depot_history_row WHERE id = ?1").run([.integer(page)])
  }

  /// Returns the entities by which rows are found.
  func roots() throws -> [String] {
    var result: [String] = []
    let statement = try connection.statement(
      "SELECT entity FROM depot_history_row WHERE entity > ?1 ORDER BY entity LIMIT 1"
    )
    while let next = try statement.first([.text(result.last ?? "")], { $0.text(0) }) {
      result.append(next)
    }
    return result
  }

  /// Returns the pages that aren't found by all that they are about, a hundred at most.
  ///
  /// The entity that the index has may have been the root once, so entries are looked up by their pages.
  private func unknownPages() throws -> [Int64] {
    let pages = try connection.statement(
      "SELECT \(HistoryTable.fullRow) FROM depot_history WHERE kind >= 0 ORDER BY id"
    )
    let entries = try connection.statement("SELECT id, row FROM depot_history_row ORDER BY id")
    defer {
      pages.reset()
      entries.reset()
    }
    var unknown: [Int64] = []
    var hasEntry = try entries.step()
    while unknown.count < 100, try pages.step() {
      let page = pages.row.integer(0)
      var keys: Set<Int64> = []
      while hasEntry, entries.row.integer(0) <= page {
        if entries.row.integer(0) == page { keys.insert(entries.row.integer(1)) }
        hasEntry = try entries.step()
      }
      let record = try HistoryRecord(pages.row)
      _ = try record.ranges()
      let isFound = try record.elements().allSatisfy {
        keys.contains($0.row) || keys.contains(Self.block(of: $0.row))
      }
      if !isFound { unknown.append(page) }
    }
    return unknown
  }

  /// Returns what is wrong with the index, in words: it must lead to pages about the rows, and find all.
  func problems() throws -> [String] {
    let astray = try connection.texts(
      """
      SELECT entity || '/' || first FROM (SELECT entity, id, \
      iif(row < 0, ~row << \(Self.blockBits), row) AS first, \
      iif(row < 0, (~row << \(Self.blockBits)) + \(Self.blockSize - 1), row) AS last \
      FROM depot_history_row) AS r WHERE NOT EXISTS \
      (SELECT 1 FROM depot_history AS h WHERE h.id = r.id AND h.kind <> 0 \
      AND r.first <= h.last AND r.last >= h.first) LIMIT 100
      """
    )
    let unknown = try unknownPages()
    return astray.map { "The history of \($0) leads to a row that isn't about it." }
      + unknown.map { "Not all that the row \($0) of the history is about is found by it." }
  }
}
