import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Several client processes at once.
  @Suite(.serialized) struct ConcurrencyTests {
    /// Inserts rows of its own, counts up a row that all share, and looks at every row of its own
    /// over a second connection as soon as it was acknowledged.
    private static let worker = """
      import sys
      sys.path.insert(0, sys.argv[2])
      from one_file_client import Depot, DepotError
      me, count = sys.argv[3], int(sys.argv[4])
      with Depot(sys.argv[1]) as depot, Depot(sys.argv[1]) as other:
          for number in range(count):
              name = f"{me}-{number}"
              ids = depot.insert("Item", ["name", "n"], [[name, number]])["ids"]
              row = other.call("get", entity="Item", ids=ids)["rows"][0]
              assert row[1:4] == [1, name, number], row
              shared = f"shared {number % 5}"
              assert depot.call("update", entity="Item", where=f"name == '{shared}'",
                                set={"text": name})["updated"] == 1
              assert other.call("count", entity="Item",
                                where=f"name BEGINSWITH '{me}-'")["count"] == number + 1
              if number % 10 == 9:
                  assert other.call("delete", entity="Item", ids=ids)["deleted"] == 1
                  assert depot.call("get", entity="Item", ids=ids, partial=True)["missing"] == ids
                  depot.insert("Item", ["name", "n"], [[name, number]])
      print("done")
      """

    @Test func `processes that insert, update, and delete at once lose nothing`() throws {
      let daemon = try TestDaemon()
      let connection = try daemon.connect()
      try connection.insert((0..<5).map { Item(name: "shared \($0)") })
      let python = Programs.root + "/proto-docs/clients/python"
      let (workers, count) = (6, 60)
      let programs = try (0..<workers).map { worker in
        try Program(["python3", "-c", Self.worker, daemon.socket, python, "w\(worker)", "\(count)"])
      }
      let lines = (0..<500).map { #"{"name":"imported \#($0)","n":\#($0)}"# }
      let imported = try Program(
        [Programs.depot, "--socket", daemon.socket, "import", "Item", "-", "--batch", "10"],
        input: lines.joined(separator: "\n")
      )
      for program in programs {
        let outcome = try program.wait()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == "done\n")
      }
      #expect(try imported.wait().status == 0)

      let items = try connection.fetch(Item.self)
      #expect(items.count == 5 + workers * count + 500)
      #expect(Set(items.map(\.name)).count == items.count)
      for worker in 0..<workers {
        let own = items.filter { $0.name.hasPrefix("w\(worker)-") }
        #expect(Set(own.map(\.n)) == Set(0..<count))
      }
      // Every update made one more version of a shared row, and no two the same one.
      let versions = items.filter { $0.name.hasPrefix("shared") }.map(\.version)
      #expect(versions == Array(repeating: Int64(1 + workers * count / 5), count: 5))
    }

    @Test func `of processes that insert the same unique name exactly one succeeds`() throws {
      let daemon = try TestDaemon()
      let programs = try (0..<8).map { index in
        try Program([
          Programs.depot, "--socket", daemon.socket, "insert", "Item", "name=same", "n:=\(index)",
        ])
      }
      let outcomes = try programs.map { try $0.wait() }
      #expect(outcomes.count { $0.status == 0 } == 1)
      for outcome in outcomes where outcome.status != 0 {
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("name"), "\(outcome.errors)")
      }
      #expect(try daemon.connect().count(Item.self) == 1)
    }

    @Test func `programs that start the service together all get the same one`() throws {
      let folder = try TemporaryFolder()
      let environment = StartedService.environment(in: folder.path)
      defer { StartedService.end(at: StartedService.socket(in: folder.path)) }
      let programs = try (0..<6).map { _ in
        try Program([Programs.depot, "call", "stats"], environment: environment)
      }
      var services: Set<Int64> = []
      for program in programs {
        let outcome = try program.wait()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let stats = try JSONValue(parsing: outcome.output.utf8.dropLast())
        services.insert(try #require(stats["server", "pid"]?.int64))
      }
      #expect(services.count == 1)
      let stop = try Program.run([Programs.depot, "service", "stop"], environment: environment)
      #expect(stop.status == 0, "\(stop.errors)")
    }
  }
}
