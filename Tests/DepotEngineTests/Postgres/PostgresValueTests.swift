import DepotPostgres
import Testing

extension PostgresTests {
  @Suite struct ValueTests {
    let connection: PostgresConnection

    init() throws {
      connection = try connect()
    }

    @Test(arguments: [.min, -1, 0, 1, 1 << 53 + 1, .max] as [Int64])
    func `a whole number comes back as it was sent`(value: Int64) throws {
      let result = try connection.run("SELECT $1, $1::text", [.integer(value)])
      #expect(result.integer(0) == value)
      #expect(result.text(1) == "\(value)")
    }

    @Test(arguments: ["", "a", "ä\u{1}\u{10FFFF}", String(repeating: "x", count: 100_000)])
    func `a text comes back as it was sent`(value: String) throws {
      let result = try connection.run("SELECT $1, length($1)", [.text(value)])
      #expect(result.text(0) == value)
      #expect(result.integer(1) == value.unicodeScalars.count)
      #expect(!result.isNull(0))
    }

    @Test(arguments: [[], [0], Array(0...255)] as [[UInt8]])
    func `bytes come back as they were sent`(value: [UInt8]) throws {
      let result = try connection.run("SELECT $1", [.bytes(value)])
      #expect(Array(result.bytes(0)) == value)
      #expect(!result.isNull(0))
    }

    @Test func `truth and null come back`() throws {
      let result = try connection.run("SELECT true, false, $1::int8", [.null])
      #expect(result.boolean(0))
      #expect(!result.boolean(1))
      #expect(!result.isNull(1))
      #expect(result.isNull(2))
      #expect(result.integer(2) == 0)
    }

    @Test func `numbers of all widths are read`() throws {
      let result = try connection.run("SELECT -2::int2, -3::int4, (-4)::int8, 5::int2")
      #expect((0..<4).map { result.integer($0) } == [-2, -3, -4, 5])
    }

    @Test func `arrays are rows of a table`() throws {
      let result = try connection.run(
        "SELECT a, b, c FROM unnest($1, $2, $3) AS t(a, b, c)",
        [
          .array(of: .integer, [.integer(1), .null]), .array(of: .text, [.text(""), .text("ä")]),
          .array(of: .bytes, [.bytes([0])]),
        ]
      )
      #expect(result.rowCount == 2)
      #expect((result.integer(0), result.isNull(0, row: 1)) == (1, true))
      #expect((result.text(1), result.text(1, row: 1)) == ("", "ä"))
      #expect(Array(result.bytes(2)) == [0])
      #expect(result.isNull(2, row: 1))
    }

    @Test(arguments: [.text("a\0"), .array(of: .text, [.null, .text("\0")])] as [PostgresValue])
    func `a text with U+0000 is refused, and nothing is sent`(value: PostgresValue) throws {
      let error = #expect(throws: PostgresError.self) {
        try connection.run(["BEGIN", PostgresStatement("SELECT $1", [value])])
      }
      #expect(error?.kind == .invalidValue)
      #expect(error?.message.contains("U+0000") == true)
      #expect(connection.roundTrips == 0)
      #expect(!connection.isInTransaction)
      #expect(try connection.run("SELECT 1").integer(0) == 1)
    }

    @Test func `a statement with U+0000 is refused`() {
      #expect(kind { try connection.run("SELECT 1 \0 + 1") } == .invalidValue)
    }

    @Test func `the rows that were changed are counted`() throws {
      let results = try connection.run([
        "CREATE TEMP TABLE t (a int8)", "INSERT INTO t SELECT generate_series(1, 5)",
        "UPDATE t SET a = 0 WHERE a > 2", "DELETE FROM t WHERE a = 9", "SELECT a FROM t",
      ])
      #expect(results.map(\.affectedRows) == [0, 5, 3, 0, 5])
    }
  }
}
