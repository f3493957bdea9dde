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

  @Test(arguments: values)
  func `a value is the same however often it is read`(value: SQLiteValue) throws {
    try connection.statement("INSERT INTO t (value) VALUES (?1)").run([value])
    var read: [SQLiteValue] = []
    try connection.statement("SELECT value FROM t").run { row in
      for _ in 0..<2 {
        switch row.content(0) {
        case .null: read.append(.null)
        case .integer(let number): read.append(.integer(number))
        case .real(let number): read.append(.real(number))
        case .text(let bytes): read.append(.text(String(decoding: bytes, as: UTF8.self)))
        case .blob(let bytes): read.append(.blob(Array(bytes)))
        }
      }
      read.append(row[0])
    }
    #expect(read == [value, value, value])
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
