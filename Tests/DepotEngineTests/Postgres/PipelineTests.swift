import DepotPostgres
import Testing

extension PostgresTests {
  @Suite struct PipelineTests {
    let connection: PostgresConnection

    init() throws {
      connection = try connect()
      try connection.run("CREATE TEMP TABLE t (id int8 PRIMARY KEY, value text)")
    }

    private func insert(_ id: Int64, _ value: PostgresValue = .null) -> PostgresStatement {
      PostgresStatement("INSERT INTO t VALUES ($1, $2)", [.integer(id), value])
    }

    private var ids: [Int64] {
      get throws {
        let result = try connection.run("SELECT id FROM t ORDER BY id")
        return (0..<result.rowCount).map { result.integer(0, row: $0) }
      }
    }

    @Test func `statements that were never prepared take one round trip together`() throws {
      let before = connection.roundTrips
      let results = try connection.run([
        "BEGIN", insert(1), insert(2), "SELECT id FROM t WHERE id = 2 FOR UPDATE", "COMMIT",
      ])
      #expect(connection.roundTrips - before == 1)
      #expect(results.count == 5)
      #expect(results[3].integer(0) == 2)
    }

    @Test func `an answer need not be waited for at once`() throws {
      let before = connection.roundTrips
      try connection.send([insert(1)])
      #expect(connection.roundTrips == before)
      let other = try connect()
      #expect(try other.run("SELECT 7").integer(0) == 7)
      #expect(try connection.receive().map(\.affectedRows) == [1])
      #expect(connection.roundTrips - before == 1)
    }

    @Test func `no statements need no round trip`() throws {
      let before = connection.roundTrips
      #expect(try connection.run([]).isEmpty)
      #expect(connection.roundTrips == before)
    }

    @Test func `statements after one that fails don't run, and the connection is usable`() throws {
      let error = #expect(throws: PostgresError.self) {
        try connection.run(["BEGIN", insert(1), insert(1), "SELECT nothing", "COMMIT"])
      }
      #expect(error?.kind == .refusedByServer(sqlState: "23505"))
      #expect(error?.sqlState == "23505")
      #expect(error?.sql == "INSERT INTO t VALUES ($1, $2)")
      #expect(connection.isInTransaction)
      #expect(!connection.isBroken)
      try connection.run("ROLLBACK")
      #expect(!connection.isInTransaction)
      #expect(try ids == [])
    }

    @Test func `statements without a transaction of their own are one`() throws {
      #expect(throws: PostgresError.self) { try connection.run([insert(1), insert(1)]) }
      #expect(try ids == [])
    }

    @Test func `a statement that was skipped is prepared the next time`() throws {
      #expect(throws: PostgresError.self) {
        try connection.run(["SELECT 1/0", PostgresStatement("SELECT $1", [.integer(5)])])
      }
      #expect(try connection.run("SELECT $1", [.integer(5)]).integer(0) == 5)
    }

    @Test func `a statement that the server refuses can be right later`() throws {
      #expect(throws: PostgresError.self) { try connection.run("SELECT a FROM later") }
      try connection.run("CREATE TEMP TABLE later AS SELECT 3 AS a")
      #expect(try connection.run("SELECT a FROM later").integer(0) == 3)
    }

    @Test func `a parameter can be of another type, or null`() throws {
      let values: [PostgresValue] = [.integer(1), .null, .text("2"), .null, .integer(3)]
      let texts = try values.map { try connection.run("SELECT $1::text", [$0]).text(0) }
      #expect(texts == ["1", "", "2", "", "3"])
      // A null leaves the type open, and the values before say it.
      for (id, value) in zip(
        Int64(1)...,
        [.null, .text("a"), .null, .text("b")] as [PostgresValue]
      ) {
        try connection.run([insert(id, value)])
      }
      let sql = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'INSERT%'"
      #expect(try connection.run(sql).integer(0) == 2)
    }

    @Test func `a statement whose table has changed runs at the second try`() throws {
      #expect(try connection.run("SELECT * FROM t").columnCount == 2)
      try connection.run("ALTER TABLE t ADD more int8")
      #expect(kind { try connection.run("SELECT * FROM t") } == .refusedByServer(sqlState: "0A000"))
      #expect(try connection.run("SELECT * FROM t").columnCount == 3)
    }

    @Test func `the server keeps a limited number of statements`() throws {
      for number in 0..<300 { try connection.run("SELECT \(number)") }
      let count = try connection.run("SELECT count(*) FROM pg_prepared_statements").integer(0)
      #expect(1...256 ~= count)
      // In a failed transaction only its end is taken, also when there are too many.
      for number in 0..<300 { try connection.run("SELECT -\(number)") }
      #expect(throws: PostgresError.self) { try connection.run(["BEGIN", "SELECT 1/0"]) }
      try connection.run("ROLLBACK")
      #expect(try connection.run("SELECT 1").integer(0) == 1)
    }

    @Test func `both sides can have much to say at once`() throws {
      let text = String(repeating: "x", count: 1 << 20)
      let statements = (0..<40).map {
        PostgresStatement("SELECT $1, $2", [.text(text), .integer($0)])
      }
      let results = try connection.run(statements)
      #expect(results.map { $0.integer(1) } == Array(0..<40))
      #expect(results.allSatisfy { $0.bytes(0).count == text.utf8.count })
    }
  }
}
