import DepotSQLite

/// The same rows in SQLite, in this process.
enum PlainSQLite {
  static func open(_ path: String) throws -> Connection {
    let connection = try Connection(path: path, access: .plain)
    try connection.execute("PRAGMA journal_mode=WAL")
    try connection.execute("PRAGMA synchronous=FULL")
    // SQLite's own default, which Depot's connections leave to the store.
    try connection.execute("PRAGMA wal_autocheckpoint=1000")
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, name TEXT, section TEXT,
      size INTEGER, score REAL, essential INTEGER, note TEXT) STRICT
      """
    )
    return connection
  }

  /// Inserts items in one transaction with one prepared statement.
  static func insert(_ connection: Connection, _ items: [Item]) throws {
    let statement = try connection.statement(
      "INSERT INTO item (name, section, size, score, essential, note) VALUES (?1,?2,?3,?4,?5,?6)"
    )
    try connection.execute("BEGIN IMMEDIATE")
    for item in items {
      try statement.bind(.text(item.name), at: 1)
      try statement.bind(.text(item.section), at: 2)
      try statement.bind(.integer(item.size), at: 3)
      try statement.bind(.real(item.score), at: 4)
      try statement.bind(.integer(item.isEssential ? 1 : 0), at: 5)
      try statement.bind(item.note.map(SQLiteValue.text) ?? .null, at: 6)
      _ = try statement.step()
      statement.reset()
    }
    try connection.execute("COMMIT")
  }

  /// Reads all items sorted by size into values.
  static func fetch(_ connection: Connection) throws -> [Item] {
    let statement = try connection.statement(
      "SELECT id, name, section, size, score, essential, note FROM item ORDER BY size, id"
    )
    var items: [Item] = []
    defer { statement.reset() }
    while try statement.step() {
      let row = statement.row
      var item = Item(0)
      item.identifier = row.integer(0)
      item.name = row.text(1)
      item.section = row.text(2)
      item.size = row.integer(3)
      item.score = row.real(4)
      item.isEssential = row.integer(5) != 0
      item.note = row.isNull(6) ? nil : row.text(6)
      items.append(item)
    }
    return items
  }
}
