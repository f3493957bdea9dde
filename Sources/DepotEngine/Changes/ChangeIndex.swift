internal import DepotProtocol
internal import DepotSQLite

/// The index that finds the history's changes of a row, except insertions.
///
/// A row of the history, a page, is found by the identifiers of the rows that it changes. A page
/// that changes at least half of a block, which is ``blockSize`` consecutive identifiers, is found
/// by the block instead, as most pages of a large transaction are. Such a page may contain no
/// change of a given row in the block.
///
/// Entries of pages that change few rows are added for many transactions at once, so that not every
/// commit writes a page of the log for them; pages without entries are in the ``Tail``.
final class ChangeIndex {
  /// The most rows of a page whose entries are added later.
  static let fewRows = 8

  /// The SQL that creates the table; a negative `row` is the key of a block.
  static let definition = """
    CREATE TABLE depot_history_row (entity TEXT NOT NULL, row INTEGER NOT NULL, id INTEGER NOT NULL,
      PRIMARY KEY (entity, row, id)) STRICT, WITHOUT ROWID;
    """

  /// The size of a block as a power of two.
  static let blockBits = 6

  /// The number of identifiers in a block.
  static var blockSize: Int64 { 1 << blockBits }

  private static let insertion = "INSERT OR IGNORE INTO depot_history_row (entity, row, id)"

  private unowned let connection: Connection

  init(connection: Connection) { self.connection = connection }

  /// Returns the key of a row's block.
  static func block(of row: Int64) -> Int64 { ~(row >> blockBits) }

  /// Returns the keys of a page; its rows are in ascending order.
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

  /// Returns the last page from `first` on and before `end` that may change a row.
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

  /// Adds the entries of a page that changes rows of a hierarchy.
  func add(_ page: Int64, about rows: [Int64], of root: String) throws {
    let statement = try connection.statement("\(Self.insertion) VALUES (?1, ?2, ?3)")
    defer { statement.reset() }
    try statement.bind(.text(root), at: 1)
    try statement.bind(page, at: 3)
    for key in Self.keys(of: rows) {
      try statement.bind(key, at: 2)
      try statement.runBound()
    }
  }

  /// Adds the entries of the pages after one and through another one that change few rows.
  func add(after position: Int64, through last: Int64, _ catalog: Catalog) throws {
    let range: [SQLiteValue] = [.integer(position), .integer(last)]
    let pages = "FROM depot_history WHERE id > ?1 AND id <= ?2 AND kind > 0"
    // Most of them change one row.
    try connection.statement(
      "\(Self.insertion) SELECT \(Self.root(catalog)), first, id \(pages) AND first = last"
    ).run(range)
    try connection.statement(
      "SELECT id, entity, kind, changes \(pages) AND first < last ORDER BY id"
    ).run(range) { row in
      guard let kind = HistoryTable.Kind(rawValue: row.integer(2)) else { return }
      let (identifier, entity) = (row.integer(0), row.text(1))
      let page = (entity, kind, row.blob(3))
      let record = try HistoryRecord(identifier: identifier, token: identifier, page)
      guard record.count <= Self.fewRows else { return }
      let rows = try record.elements().map(\.row)
      try add(identifier, about: rows, of: catalog.layout(of: entity).root)
    }
  }

  /// Returns the SQL for the root entity of a page.
  private static func root(_ catalog: Catalog) -> String {
    let cases = catalog.allLayouts.filter { !$0.isRoot }
      .map { " WHEN '\($0.name)' THEN '\($0.root)'" }
    return cases.isEmpty ? "entity" : "CASE entity\(cases.joined()) ELSE entity END"
  }

  /// The pages without entries, or whose entries were just added.
  struct Tail {
    private let pages: [(identifier: Int64, root: String, rows: ClosedRange<Int64>)]

    init(_ connection: Connection, after position: Int64, _ catalog: Catalog) throws {
      var roots: [String: String] = [:]
      pages = try connection.statement(
        """
        SELECT id, entity, first, last FROM depot_history \
        WHERE id > ?1 AND kind > 0 AND first <= last ORDER BY id
        """
      ).rows([.integer(position)]) { row in
        let entity = row.text(1)
        // A newer schema may have entities that the catalog lacks; their rows aren't searched here.
        let root = roots[entity].getOrInsert { (try? catalog.layout(of: entity).root) ?? entity }
        return (row.integer(0), root, row.integer(2)...row.integer(3))
      }
    }

    /// Returns the last page from `first` on and before `end` that may change a row.
    func last(
      about row: Int64,
      of root: String,
      from first: Int64,
      before end: Int64
    ) -> Int64? {
      let page = pages[..<pages.partitioningIndex { $0.identifier < end }]
        .last { $0.rows.contains(row) && $0.root == root }
      return page.flatMap { $0.identifier >= first ? $0.identifier : nil }
    }
  }

  /// Deletes the entries of a page.
  ///
  /// `roots` are the entities that its entries may have, the likeliest first.
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

  /// Deletes all entries of an unreadable page.
  func remove(_ page: Int64) throws {
    try connection.statement("DELETE FROM depot_history_row WHERE id = ?1").run([.integer(page)])
  }

  /// Returns the entities in the index.
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

  /// Returns the pages, up to a hundred, whose rows aren't all in the index.
  ///
  /// The entity of an entry may have been the root only in an earlier schema, so entries are looked
  /// up by page.
  private func unknownPages() throws -> [Int64] {
    let position = try connection.number(.historyIndexed)
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
      let elements = try record.elements()
      if page > position, elements.count <= Self.fewRows { continue }
      let isFound = elements.allSatisfy {
        keys.contains($0.row) || keys.contains(Self.block(of: $0.row))
      }
      if !isFound { unknown.append(page) }
    }
    return unknown
  }

  /// Returns messages about wrong entries of the index, and about pages that it doesn't find.
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
