import DepotClient
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// Imports whose service ends meanwhile and begins anew.
  @Suite(.serialized) struct ImportRestartTests {
    private let daemon: TestDaemon

    init() throws {
      let link = #"{"name":"next","destination":"Node","optional":true}"#
      daemon = try TestDaemon(
        schema: #"{"entities":[{"name":"Item","attributes":[{"name":"n","type":"int64"}]},"#
          + #"{"name":"Node","attributes":[{"name":"n","type":"int64","unique":true}],"#
          + #""relationships":["# + link + "]}]}"
      )
    }

    /// Restarts the service in the middle of the import of so many records, and returns how it ended.
    private func importing(_ entity: String, _ count: Int, with signal: Int32) throws -> Outcome {
      let lines = (0..<count).map { number in
        entity == "Item"
          ? "{\"n\":\(number)}" : "{\"n\":\(number),\"next\":\((number + 1) % count)}"
      }
      let file = try daemon.folder.write(lines.joined(separator: "\n"), to: "\(entity).ndjson")
      let program = try Program([
        Programs.depot, "--socket", daemon.socket, "--no-start", "import", entity, file, "--batch",
        "20",
      ])
      for part in 1...2 {
        let isBegun: Bool? = try poll {
          let stored = Int(try daemon.depot(["count", entity]).output.dropLast()) ?? 0
          return stored >= part * count / 5 ? true : nil
        }
        #expect(isBegun == true)
        daemon.send(signal)
        _ = try daemon.wait()
        try daemon.start()
      }
      return try program.wait()
    }

    @Test(arguments: [("Item", 20_000), ("Node", 6000)], [SIGTERM, SIGKILL])
    func `an import goes on with the next service, and stores each record once`(
      records: (entity: String, count: Int),
      signal: Int32
    ) throws {
      let (entity, count) = records
      let outcome = try importing(entity, count, with: signal)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("\(count / 1000),000 inserted"), "\(outcome.errors)")
      #expect(outcome.errors.contains("continues with the next one"), "\(outcome.errors)")
      #expect(try daemon.depot(["count", entity]).output == "\(count)\n")
      let groups = try daemon.depot([
        "aggregate", entity, "--value", "low=min(n)", "--value", "high=max(n)", "--value",
        "sum=sum(n)", "-o", "csv",
      ])
      #expect(
        groups.output.contains("0,\(count - 1),\(count * (count - 1) / 2)"),
        "\(groups.output)"
      )
      if entity == "Node" {
        #expect(try daemon.depot(["count", "Node", "-w", "next == NULL"]).output == "0\n")
      }
    }

    /// Carries out an import, exports everything, and takes the import back; returns the command that imports the
    /// export.
    private func importOfAll(after command: [String]) throws -> [String] {
      #expect(try daemon.depot(command).status == 0)
      let folder = daemon.folder.path + "/all"
      #expect(try daemon.depot(["export", "--all", folder]).status == 0)
      #expect(try daemon.depot(["undo"]).status == 0)
      return ["import", "--all", folder]
    }

    @Test(arguments: ["Item", "--all"])
    func `an import whose rows are gone begins again only when asked`(what: String) throws {
      let lines = (0..<100).map { "{\"n\":\($0)}" }.joined(separator: "\n")
      let journal = daemon.folder.path + "/journal"
      var command = ["import", "Item", try daemon.folder.write(lines, to: "items.ndjson")]
      if what == "--all" {
        command = try importOfAll(after: command)
      }
      command += ["--batch", "20", "--resume", journal]
      #expect(try daemon.depot(command).status == 0)
      func count() throws -> String { try daemon.depot(["count", "Item"]).output }
      #expect(try count() == "100\n")
      // An import that goes on finds a part of the rows.
      #expect(try daemon.depot(["delete", "Item", "-w", "n < 10"]).status == 0)
      let some = try daemon.depot(command)
      #expect(some.status == 0, "\(some.errors)")
      #expect(some.errors.contains("10 rows of 100 that"), "\(some.errors)")
      #expect(try daemon.depot(["delete", "Item", "--all"]).status == 0)
      let gone = try daemon.depot(command)
      #expect(gone.status == 64, "\(gone.errors)")
      #expect(gone.errors.contains("100 rows that \(journal) tells of are gone"), "\(gone.errors)")
      #expect(gone.errors.contains("--begin-again"))
      let again = try daemon.depot(command + ["--begin-again"])
      #expect(again.errors.contains("100 inserted"), "\(again.errors)")
      #expect(try count() == "100\n")
      #expect(try daemon.depot(["undo"]).status == 0)
      #expect(try count() == "0\n")
      // Neither do the keys of an import come back that begins anew because its journal is gone.
      try FileManager.default.removeItem(atPath: journal)
      #expect(try daemon.depot(command).status == 0)
      #expect(try count() == "100\n")
    }

    @Test(arguments: ["Item", "Node", "--all"], ["20", "1000"])
    func `a batch in doubt isn't stored again when its key is forgotten`(
      what: String,
      batch: String
    ) throws {
      let entity = what == "Node" ? "Node" : "Item"
      let lines = (0..<100).map { number in
        entity == "Item" ? "{\"n\":\(number)}" : "{\"n\":\(number),\"next\":\((number + 1) % 100)}"
      }
      let file = try daemon.folder.write(lines.joined(separator: "\n"), to: "rows.ndjson")
      var command = ["import", entity, file]
      if what == "--all" {
        command = try importOfAll(after: command)
      }
      let journal = daemon.folder.path + "/journal"
      command += ["--batch", batch, "--resume", journal]
      #expect(try daemon.depot(command).status == 0)
      // As if the program had been killed behind the request of the last batch, a long time ago.
      var notes = try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n")
      let last = try #require(notes.lastIndex { $0.contains("\"begin\":") })
      notes.removeSubrange((last + 1)...)
      notes[last] =
        notes[last].replacing("\"begin\":\"import:", with: "\"begin\":\"forgotten:")[...]
      try (notes.joined(separator: "\n") + "\n")
        .write(toFile: journal, atomically: true, encoding: .utf8)

      let again = try daemon.depot(command)
      #expect(again.status == 0, "\(again.errors)")
      #expect(again.errors.contains("100 inserted"), "\(again.errors)")
      #expect(try daemon.depot(["count", entity]).output == "100\n")
      if entity == "Node" {
        let unlinked = try daemon.depot(["count", "Node", "-w", "next == NULL OR next.n != n + 1"])
        #expect(unlinked.output == "1\n")
      }
    }

    @Test func `an import doesn't go on in a store that was restored`() throws {
      let lines = (0..<100).map { "{\"n\":\($0)}" }.joined(separator: "\n")
      let file = try daemon.folder.write(lines, to: "items.ndjson")
      let backup = daemon.folder.path + "/backup.sqlite"
      #expect(try daemon.depot(["backup", backup]).status == 0)
      let command = ["import", "Item", file, "--resume", daemon.folder.path + "/journal"]
      #expect(try daemon.depot(command).status == 0)
      #expect(try daemon.terminate() == 0)
      let restored = try Program.run([
        Programs.depot, "restore", backup, "--store", daemon.store, "--replace",
      ])
      #expect(restored.status == 0, "\(restored.errors)")
      try daemon.start()
      let outcome = try daemon.depot(command)
      #expect(outcome.status == 64, "\(outcome.errors)")
      #expect(outcome.errors.contains("before it was restored"), "\(outcome.errors)")
      #expect(try daemon.depot(command + ["--begin-again"]).status == 0)
      #expect(try daemon.depot(["count", "Item"]).output == "100\n")
    }

    @Test func `an import whose connection is ended by the service's owner ends`() throws {
      let lines = (0..<20_000).map { "{\"n\":\($0)}" }.joined(separator: "\n")
      let file = try daemon.folder.write(lines, to: "items.ndjson")
      let program = try Program([
        Programs.depot, "--socket", daemon.socket, "--no-start", "import", "Item", file, "--batch",
        "10",
      ])
      let number: Int64? = try poll {
        let stored = Int(try daemon.depot(["count", "Item"]).output.dropLast()) ?? 0
        guard stored > 100 else { return nil }
        let clients = try JSONValue(parsing: daemon.depot(["clients", "-o", "json"]).bytes)
        return clients.array?.first?["connection"]?.int64
      }
      #expect(try daemon.depot(["clients", "end", "\(try #require(number))"]).status == 0)
      let outcome = try program.wait()
      #expect(outcome.status == 69, "\(outcome.errors)")
      #expect(outcome.errors.contains("The owner of the service ended"), "\(outcome.errors)")
    }

    @Test func `a container that the next service hasn't open ends the import with what to do`()
      throws
    {
      let schema = try daemon.folder.write(
        #"{"entities":[{"name":"Item","attributes":[{"name":"n","type":"int64"}]}]}"#,
        to: "schema.json"
      )
      let opened = try daemon.depot(["container", "open", "cache", "--memory", "--schema", schema])
      #expect(opened.status == 0, "\(opened.errors)")
      let lines = (0..<20_000).map { "{\"n\":\($0)}" }.joined(separator: "\n")
      let file = try daemon.folder.write(lines, to: "items.ndjson")
      let program = try Program([
        Programs.depot, "--socket", daemon.socket, "--no-start", "--container", "cache", "import",
        "Item", file, "--batch", "10",
      ])
      let isBegun: Bool? = try poll {
        let outcome = try daemon.depot(["--container", "cache", "count", "Item"])
        return Int(outcome.output.dropLast()) ?? 0 > 100 ? true : nil
      }
      #expect(isBegun == true)
      #expect(try daemon.terminate() == 0)
      try daemon.start()
      let outcome = try program.wait()
      #expect(outcome.status == 1, "\(outcome.errors)")
      #expect(outcome.errors.contains("cache"), "\(outcome.errors)")
    }
  }
}
