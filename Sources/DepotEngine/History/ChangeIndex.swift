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

  /// Returns the keys of a page, whose rows are in ascending order, with the rows that each stands for.
  static func keys(of rows: [Int64]) -> [(key: Int64, rows: ArraySlice<Int64>)] {
    var keys: [(key: Int64, rows: ArraySlice<Int64>)] = []
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
        keys.append((block, rows[start..<end]))
      } else {
        for place in start..<end { keys.append((rows[place], rows[place...place])) }
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
    for (key, rows) in Self.keys(of: rows) {
      // Before format 7 there were no blocks.
      if try !remove(page, key, of: roots), key < 0 {
        for row in rows { _ = try remove(page, row, of: roots) }
      }
    }
  }

  private func remove(_ page: Int64, _ key: Int64, of roots: [String]) throws -> Bool {
    let statement = try connection.statement(
      "DELETE FROM depot_history_row WHERE entity = ?1 AND row = ?2 AND id = ?3"
    )
    for root in roots {
      try statement.run([.text(root), .integer(key), .integer(page)])
      if connection.changeCount > 0 { return true }
    }
    return false
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

  /// Finds the pages that aren't found by all that they are about.
  ///
  /// The entity that the index has may have been the root once, so entries are looked up by their pages.
  static let unknown = """
    WITH entry AS MATERIALIZED (SELECT id, row FROM depot_history_row), \
    said AS (SELECT h.id AS id, value ->> 'id' AS row \
    FROM depot_history AS h, json_each(h.changes) WHERE h.kind <> 0) \
    SELECT DISTINCT s.id FROM said AS s \
    LEFT JOIN entry AS r ON r.id = s.id AND r.row = s.row \
    LEFT JOIN entry AS b ON b.id = s.id AND b.row = ~(s.row >> \(blockBits)) \
    WHERE r.id IS NULL AND b.id IS NULL LIMIT 100
    """

  /// Returns what is wrong with the index, in words: it must lead to pages about the rows, and find all.
  func problems() throws(SQLiteError) -> [String] {
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
    let unknown = try connection.texts(Self.unknown)
    return astray.map { "The history of \($0) leads to a row that isn't about it." }
      + unknown.map { "Not all that the row \($0) of the history is about is found by it." }
  }
}
