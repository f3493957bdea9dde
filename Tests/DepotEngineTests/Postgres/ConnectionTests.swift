import DepotPostgres
import TestSupport
import Testing

extension PostgresTests {
  /// How connections begin and end.
  @Suite struct ConnectionTests {
    let cluster: TemporaryCluster
    /// The address without the database.
    private let host: String

    init() throws {
      cluster = try .shared
      host = "host=\(cluster.path) user=depot"
    }

    @Test func `a connection has its settings`() throws {
      let connection = try connect(settings: ["application_name": "a name"])
      #expect(try connection.run("SHOW client_encoding").text(0) == "UTF8")
      #expect(try connection.run("SHOW application_name").text(0) == "a name")
    }

    @Test func `a refusal tells its reason and its code`() throws {
      let missing = #expect(throws: PostgresError.self) {
        _ = try PostgresConnection("\(host) dbname=nothing")
      }
      #expect(missing?.kind == .refusedByServer(sqlState: "3D000"))
      #expect(missing?.message.contains("database \"nothing\" does not exist") == true)
      let stranger = #expect(throws: PostgresError.self) {
        _ = try PostgresConnection("host=\(cluster.path) user=nobody dbname=postgres")
      }
      #expect(stranger?.kind == .authentication)
      #expect(stranger?.sqlState == "28000")
    }

    @Test func `the first host that answers is taken`() throws {
      let address = "host=/nowhere,\(cluster.path),/nowhere user=depot dbname=postgres"
      #expect(try PostgresConnection(address).run("SELECT 1").integer(0) == 1)
      let error = #expect(throws: PostgresError.self) {
        _ = try PostgresConnection("host=/nowhere,/elsewhere user=depot dbname=postgres")
      }
      #expect(error?.kind == .unreachable)
      #expect(error?.message.contains("/nowhere") == true)
      #expect(error?.message.contains("/elsewhere") == true)
    }

    @Test func `a server that doesn't answer is given up`() throws {
      cluster.freeze()
      defer { cluster.thaw() }
      let address = cluster.address() + " connect_timeout=1"
      #expect(kind { _ = try PostgresConnection(address) } == .unreachable)
    }

    @Test func `after the time limit a connection is lost`() throws {
      let connection = try connect()
      connection.timeLimit = 50_000_000
      #expect(kind { try connection.run("SELECT pg_sleep(60)") } == .lost)
      #expect(connection.isBroken)
      #expect(kind { try connection.run("SELECT 1") } == .unreachable)
    }

    @Test func `a session that the server ends is lost`() throws {
      let (connection, other) = (try connect(), try connect())
      let process = try connection.run("SELECT pg_backend_pid()").integer(0)
      try connection.send(["BEGIN", "SELECT pg_sleep(60)"])
      try other.run("SELECT pg_terminate_backend($1::int4)", [.integer(process)])
      let error = #expect(throws: PostgresError.self) { try connection.receive() }
      #expect(error?.kind == .lost)
      #expect(error?.sqlState == "57P01")
      #expect(connection.isBroken)
      #expect(!connection.isInTransaction)
    }

    @Test func `a server that is killed is lost to those who wait and unreachable to others`()
      throws
    {
      let waiting = try connect()
      try waiting.send(["SELECT pg_sleep(60)"])
      let reading = try connect()
      try reading.startRows("SELECT n, pg_sleep(0.001) FROM generate_series(1, 1000000) AS n")
      #expect(try reading.nextRow()?.integer(0) == 1)
      let listening = try connect()
      try listening.listen("channel")
      let idle = try connect()
      cluster.kill()
      #expect(kind { _ = try waiting.receive() } == .lost)
      #expect(kind { while try reading.nextRow() != nil {} } == .lost)
      #expect(kind { _ = try listening.waitForNotification(milliseconds: 10_000) } == .lost)
      #expect(kind { try idle.run("SELECT 1") } == .lost)
      #expect([waiting, reading, listening, idle].allSatisfy { $0.isBroken })
      #expect(kind { _ = try connect() } == .unreachable)
      try cluster.start()
      #expect(try connect().run("SELECT 1").integer(0) == 1)
    }

    @Test func `a copy into a server that is killed is lost`() throws {
      let connection = try connect()
      try connection.run("CREATE TEMP TABLE t (a text)")
      var count = 0
      #expect(
        kind {
          try connection.copyIn("COPY t FROM STDIN (FORMAT binary)") { row in
            if count == 0 { cluster.kill() }
            count += 1
            try row.append(.text(String(repeating: "x", count: 10_000)))
            return count < 10_000
          }
        } == .lost
      )
      #expect(count < 1000)
      try cluster.start()
    }
  }
}
