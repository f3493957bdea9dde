import DepotClient
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Stores in PostgreSQL databases, as those who use and run them see them.
  @Suite(.enabled(if: TemporaryCluster.isAvailable), .serialized, .cluster())
  struct DatabaseStoreTests {
    private let cluster: TemporaryCluster
    private let folder: TemporaryFolder

    init() throws {
      cluster = try TemporaryCluster.shared
      folder = try TemporaryFolder()
    }

    private func address(_ database: String, _ rest: String = "") -> String {
      "postgresql://depot@/\(database)?host=\(cluster.path)\(rest)"
    }

    /// Makes a database, and returns its address.
    private func makeDatabase(_ name: String) throws -> String {
      try cluster.sql("CREATE DATABASE \(name)")
      return address(name)
    }

    private func serve(_ address: String, schema: String = "") throws -> TestDaemon {
      let cache = folder.path + "/cache"
      return try TestDaemon(["--store", address, "--cache", cache], schema: schema)
    }

    private func copies() -> [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/cache")) ?? []
    }

    /// Runs `depotd` with a copy in the folder of the test.
    private func depotd(_ arguments: String...) throws -> Outcome {
      let cache = ["--cache", folder.path + "/cache", "--socket", folder.path + "/other"]
      return try Program.run([Programs.daemon] + cache + arguments)
    }

    private func refusal(_ daemon: TestDaemon, _ arguments: String...) throws -> JSONValue {
      let outcome = try daemon.depot(arguments + ["-o", "json"])
      #expect(outcome.status != 0)
      return try JSONValue(parsing: Array(outcome.errors.utf8))
    }

    // MARK: Containers

    @Test func `a container has stores in a database and in a file`() throws {
      let address = try makeDatabase("beside")
      let daemon = try TestDaemon(["--cache", folder.path + "/cache"])
      let connection = try daemon.connect()
      var request = ContainerRequest(
        "both",
        stores: [
          ContainerStore(.database(address), name: "shared", entities: ["Order"]),
          ContainerStore(.file("own.store"), name: "own"),
        ]
      )
      request.schema = ContainerTests.schema
      let stores = try connection.openContainer(request).stores
      #expect(stores.first?.path == address)
      #expect(stores.map(\.entities) == [["Order"], ["Item"]])
      let listed = try daemon.depot(["call", "container.list", "{}", "-o", "json"]).output
      #expect(listed.contains(#""kind": "database""#) || listed.contains(#""kind":"database""#))
      // Another service sees what was written, and both tell it apart from the file.
      let insert = ["--container", "both", "insert", "Order", "name=x"]
      #expect(try daemon.depot(insert).status == 0)
      let other = try serve(address)
      #expect(try other.connect().count(CountRequest(entity: "Order")) == 1)
      #expect(try other.connect().schema().entities.map(\.name) == ["Order"])
    }

    @Test func `the same database is in one container only, however it is spelled`() throws {
      let own = try makeDatabase("twice")
      let daemon = try serve(own)
      let other = "postgres://depot@:5432/twice?host=\(cluster.path)&application_name=x"
      for address in [own, address("twice", "&connect_timeout=3")] {
        let error = try refusal(daemon, "container", "open", "x", "--store", address)
        #expect(error["code"]?.string == "unavailable.busy")
        #expect(error["message"]?.string?.contains("\"default\"") == true)
      }
      // A port that is the default one is another spelling that isn't seen through, and does no harm.
      #expect(try daemon.depot(["container", "open", "x", "--store", other]).status == 0)
      let twice =
        #"{"name":"y","stores":[{"name":"a","database":"ADDRESS","entities":["A"]},{"name":"b","database":"ADDRESS"}]}"#
        .replacing("ADDRESS", with: try makeDatabase("fresh"))
      let error = try refusal(daemon, "call", "container.open", twice)
      #expect(error["code"]?.string == "request.usage")
    }

    @Test func `addresses that can't be used are refused, and tell no secret`() throws {
      let daemon = try TestDaemon(["--cache", folder.path + "/cache"], schema: "")
      try cluster.sql("CREATE ROLE guest LOGIN")
      let cases = [
        ("app", "request.usage"), ("postgresql://depot:geheim@/x", "request.usage"),
        ("postgresql://depot@/x?password=geheim", "request.usage"),
        ("postgresql://[x/y", "request.usage"),
        (address("none"), "storage.cluster"),
        ("postgresql://depot@/x?host=/nowhere", "unavailable.cluster"),
        ("postgresql://nobody@/postgres?host=\(cluster.path)", "unavailable.cluster"),
        ("postgresql://guest@/postgres?host=\(cluster.path)", "storage.cluster"),
      ]
      for (address, code) in cases {
        let error = try refusal(daemon, "container", "open", "x", "--store", address)
        #expect(error["code"]?.string == code, "\(address)")
        #expect(error["hint"]?.string != nil, "\(address)")
        #expect(!error.text.contains("geheim"))
        guard address != "app" else { continue }
        let outcome = try depotd("--store", address)
        #expect([64, 69, 74].contains(outcome.status))
        #expect(outcome.errors.contains("hint: "))
        #expect(!outcome.errors.contains("geheim"))
      }
      let readOnly = try refusal(
        daemon,
        "container",
        "open",
        "x",
        "--read-only",
        "--store",
        address("postgres")
      )
      #expect(readOnly["code"]?.string == "request.unsupported")
      #expect(readOnly["details"]?["engine"]?.string == "postgresql")
      #expect(copies().isEmpty)
    }

    @Test func `custom stages of a migration are refused by name`() throws {
      let daemon = try serve(makeDatabase("stages"), schema: TestDaemon.schema)
      let error = try refusal(
        daemon,
        "call",
        "migration.begin",
        #"{"schema":{"version":"2.0.0","entities":[]}}"#
      )
      #expect(error["code"]?.string == "request.unsupported", "\(error.text)")
      #expect(error["details"]?["capability"]?.string == "custom stages")
    }

    // MARK: Backups

    /// Returns all rows, and the history.
    private func content(of daemon: TestDaemon) throws -> [String] {
      let export = try daemon.depot(["export", "Item"])
      #expect(export.status == 0, "\(export.errors)")
      return [export.output, try daemon.depot(["log", "Item", "-o", "ndjson"]).output]
    }

    @Test func `a store moves from a file to a database and back`() throws {
      let first = try TestDaemon()
      let connection = try first.connect()
      try connection.fill(500, textBytes: 200)
      try connection.delete(DeleteRequest(entity: "Item", rows: .identifiers([7, 500])))
      let before = try content(of: first)
      let address = try makeDatabase("moved")
      let moved = try first.depot(["backup", "--to", address, "-o", "table"])
      #expect(moved.output == "Restored \(address).\n", "\(moved.errors)")

      let second = try serve(address)
      #expect(try content(of: second) == before)
      #expect(
        try second.connect().stats()["server"]?["storePath"]?.string == address
      )
      let file = folder.path + "/back.sqlite"
      #expect(try second.depot(["backup", file]).status == 0)
      let third = try TestDaemon(schema: "")
      #expect(try third.terminate() == 0)
      let restored = try third.depot(["restore", file, "--store", third.store, "--replace"])
      #expect(restored.status == 0, "\(restored.errors)")
      try third.start()
      #expect(try content(of: third) == before)
      // Identifiers of deleted rows aren't given again, on either side.
      for daemon in [second, third] {
        let inserted = try daemon.depot(["insert", "Item", "name=new", "-o", "json"]).output
        let number = inserted.firstMatch(of: /Item\/([0-9]+)/).flatMap { Int($0.1) } ?? 0
        #expect(number > 500, "\(inserted)")
      }
    }

    @Test func `a restore replaces a store only if it is told to, and keeps it`() throws {
      let address = try makeDatabase("replaced")
      let daemon = try serve(address, schema: TestDaemon.schema)
      let file = folder.path + "/old.sqlite"
      #expect(try daemon.depot(["backup", file]).status == 0)
      let connection = try daemon.connect()
      try connection.insert([Item(name: "a")])
      try connection.insert([Item(name: "b")])
      let lost = try connection.historyStatus().head
      let refused = try depotd("--restore", file, "--store", address)
      #expect(refused.status == 64)
      #expect(refused.errors.contains("--replace"))
      #expect(try connection.count(CountRequest(entity: "Item")) == 2)

      let replaced = try depotd("--restore", file, "--store", address, "--replace")
      #expect(
        replaced.output == """
          Restored \(address).
          It is 2 transactions behind the store that it replaces.
          That is kept as the schema depot_replaced_1.

          """,
        "\(replaced.errors)"
      )
      #expect(
        try cluster.sql("SELECT count(*) FROM depot_replaced_1.commit", database: "replaced") != "0"
      )
      // A service that had the store can't go on, not even behind as many commits as it knows.
      let other = try serve(address)
      let fresh = try other.connect()
      #expect(try fresh.count(CountRequest(entity: "Item")) == 0)
      for name in ["c", "d", "e", "f"] { try fresh.insert([Item(name: name)]) }
      #expect(throws: DepotError.self) { try connection.insert([Item(name: "g")]) }
      #expect(try daemon.wait() != 0)
      #expect(daemon.log.contains("storage.corrupt: This copy of the store is too old"))
      // And what it had told is no part of what there is.
      let error = #expect(throws: DepotError.self) { try fresh.row("Item", 1, at: lost) }
      #expect(error?.code.rawValue == "history.foreign")
      try daemon.start()
      #expect(try daemon.connect().count(CountRequest(entity: "Item")) == 4)
      #expect(try depotd("--check", "--store", address).status == 0)
    }

    @Test func `backups to what is no database, or to both, are refused`() throws {
      let daemon = try TestDaemon(schema: "")
      for arguments in [
        ["backup"], ["backup", "x", "--to", address("y")], ["backup", "x", "--replace"],
        ["backup", "--to", folder.path + "/x"], ["backup", "--to", "postgresql://a:b@/c"],
      ] {
        let outcome = try daemon.depot(arguments)
        #expect(outcome.status == 64, "\(arguments): \(outcome.errors)")
        #expect(outcome.errors.contains("hint: "))
      }
    }

    // MARK: What is told

    @Test func `a check, the counters, and the log say how safe the store is`() throws {
      let address = try makeDatabase("told")
      let missing = try depotd("--check", "--store", address)
      #expect(missing.status == 66)
      #expect(missing.errors.contains("There is no store in \(address)."), "\(missing.errors)")
      let daemon = try serve(address, schema: TestDaemon.schema)
      let cluster = try #require(try daemon.stats()["store"]?["cluster"])
      #expect(cluster["address"]?.string == address)
      #expect(cluster["safety"]?.string == "durable on one machine")
      #expect(cluster["service"]?.int64 == 1)
      #expect(cluster["commitsSinceBase"]?.int64 == 1)
      #expect(cluster["sinceBaseBytes"]?.int64 ?? 0 > 0)
      #expect(cluster["reachable"]?.bool == true)
      #expect(daemon.log.contains("msg=\"store in a cluster\""), "\(daemon.log)")
      #expect(daemon.log.contains("safety=\"durable on one machine\" service=1"))
      let metrics = try daemon.depot(["stats", "--prometheus"]).output
      #expect(
        metrics.contains(
          "depot_store_cluster_commits_since_base{container=\"default\",store=\"main\"} 1\n"
        )
      )
      #expect(metrics.contains("depot_store_cluster_reachable{"))
      #expect(!metrics.contains("cluster_service"))
      let check = try depotd("--check", "--store", address).output
      #expect(
        check.contains(
          "The store in \(address) is sound.\nIt is durable on one machine.\n1 service has it open.\n1 commit since"
        ),
        "\(check)"
      )
    }

    @Test func `a server that goes away ends writes with a hint, and nothing else`() throws {
      let address = try makeDatabase("gone")
      let daemon = try serve(address, schema: TestDaemon.schema)
      let connection = try daemon.connect()
      try connection.insert([Item(name: "a")])
      try cluster.stop(.immediate)
      let error = #expect(throws: DepotError.self) { try connection.insert([Item(name: "b")]) }
      #expect(error?.code == .unreachable)
      #expect(error?.effect == DepotError.Effect.none)
      #expect(error?.hint?.contains("PostgreSQL") == true)
      #expect(try connection.count(CountRequest(entity: "Item")) == 1)
      #expect(try connection.stats()["store"]?["cluster"]?["reachable"]?.bool == false)
      #expect(daemon.log.contains("the cluster takes no writes"))
      let start = try depotd("--store", address)
      #expect(start.status == 69)
      #expect(start.errors.contains(cluster.path))
      try cluster.start()
      let inserted: Bool? = poll { (try? connection.insert([Item(name: "c")])) == nil ? nil : true }
      #expect(inserted == true)
      try expectSoon { daemon.log.contains("takes writes again") }
    }
  }
}
