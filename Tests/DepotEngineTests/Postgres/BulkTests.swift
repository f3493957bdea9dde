import DepotPostgres
import Testing

extension PostgresTests {
  /// Many rows in and out.
  @Suite struct BulkTests {
    private struct GivenUp: Error {}

    let connection: PostgresConnection

    init() throws {
      connection = try connect()
      try connection.run("CREATE TEMP TABLE t (id int8 PRIMARY KEY, value text)")
    }

    private static let copy = "COPY t FROM STDIN (FORMAT binary)"

    /// Fills the table with numbers up to a limit.
    private func fill(_ count: Int64) throws -> Int {
      var id: Int64 = 0
      return try connection.copyIn(Self.copy) { row in
        id += 1
        guard id <= count else { return false }
        try row.append(.integer(id))
        try row.append(id % 2 == 0 ? .null : .text("value \(id)"))
        return true
      }
    }

    @Test(arguments: [0, 1, 20_000] as [Int64])
    func `rows are copied in and read back`(count: Int64) throws {
      #expect(try fill(count) == count)
      var ids: [Int64] = []
      let sql = "SELECT id, value FROM t WHERE id > $1 ORDER BY id"
      try connection.forEach(sql, [.integer(0)]) { row in
        #expect(row.rowCount == 1)
        let id = row.integer(0)
        ids.append(id)
        #expect(id % 2 == 0 ? row.isNull(1) : row.text(1) == "value \(id)")
      }
      let areAllThere = ids == Array(1..<1 + count)
      #expect(areAllThere)
      #expect(try connection.run("SELECT 1").integer(0) == 1)
    }

    @Test func `no row is there of a copy that is given up`() throws {
      var id: Int64 = 0
      #expect(throws: GivenUp.self) {
        try connection.copyIn(Self.copy) { row in
          id += 1
          if id > 10_000 { throw GivenUp() }
          try row.append(.integer(id))
          try row.append(.text("a text that fills the buffer"))
          return true
        }
      }
      #expect(try connection.run("SELECT count(*) FROM t").integer(0) == 0)
    }

    @Test func `a copy that the server refuses leaves the connection usable`() throws {
      #expect(try fill(5) == 5)
      #expect(kind { _ = try fill(5) } == .refusedByServer(sqlState: "23505"))
      let sql = "COPY nothing FROM STDIN (FORMAT binary)"
      #expect(
        kind { try connection.copyIn(sql) { _ in false } } == .refusedByServer(sqlState: "42P01")
      )
      let value = PostgresValue.text("\0")
      #expect(
        kind {
          try connection.copyIn(Self.copy) { row in
            try row.append(value)
            return true
          }
        } == .invalidValue
      )
      #expect(try connection.run("SELECT count(*) FROM t").integer(0) == 5)
    }

    @Test func `rows can be given up`() throws {
      var count = 0
      #expect(throws: GivenUp.self) {
        try connection.forEach("SELECT generate_series(1, 10000000000)") { _ in
          count += 1
          if count == 1000 { throw GivenUp() }
        }
      }
      #expect(try connection.run("SELECT 1").integer(0) == 1)
      #expect(count == 1000)
    }

    @Test func `a failure among rows is thrown after those before it`() throws {
      var count = 0
      let sql = "SELECT 1 / (1000 - n) FROM generate_series(1, 2000) AS n"
      let error = #expect(throws: PostgresError.self) {
        try connection.forEach(sql) { _ in count += 1 }
      }
      #expect(error?.sqlState == "22012")
      #expect(count == 999)
      #expect(try connection.run("SELECT 1").integer(0) == 1)
    }
  }
}
