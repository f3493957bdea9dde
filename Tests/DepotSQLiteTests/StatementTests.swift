import DepotSQLite
import Testing

@Suite struct StatementTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:", access: .writer)
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, value ANY UNIQUE) STRICT")
  }

  static let values: [SQLiteValue] = [
    .null, .integer(.min), .real(0.1), .text(""), .text("a\0b"), .text("héllo"), .blob([]),
    .blob([0, 255]),
  ]

  @Test(arguments: values)
  func `a value reads back as it was bound`(value: SQLiteValue) throws {
    try connection.statement("INSERT INTO t (value) VALUES (?1)").run([value])
    var read: [SQLiteValue] = []
    try connection.statement("SELECT value FROM t").run { read.append($0[0]) }
    #expect(read == [value])
  }

  @Test func `a clash in a unique index is told from other failures`() throws {
    let insert = try connection.statement("INSERT INTO t (value) VALUES (?1)")
    try insert.run([.integer(1)])
    let clash = #expect(throws: SQLiteError.self) { try insert.run([.integer(1)]) }
    #expect(clash?.kind == .unique)
    let other = #expect(throws: SQLiteError.self) { try connection.execute("SELECT nothing") }
    #expect(other?.kind == .other)
  }

  @Test func `a transaction that throws is undone`() throws {
    #expect(throws: SQLiteError.self) {
      try connection.transaction {
        try connection.execute("INSERT INTO t (value) VALUES (1)")
        try connection.execute("nonsense")
      }
    }
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    #expect(!connection.isInTransaction)
  }

  @Test func `a statement that isn't wanted any more is interrupted`() throws {
    let endless = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
      """
    connection.watch(every: 1000, ProgressCheck { true })
    let error = #expect(throws: SQLiteError.self) { try connection.integer(endless) }
    #expect(error?.kind == .interrupted)
  }
}
