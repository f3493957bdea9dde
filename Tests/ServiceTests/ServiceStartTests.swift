import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

extension CommandTests {
  /// When a command starts a service, and with which store.
  @Suite(.serialized) struct ServiceStartTests {
    private let folder: TemporaryFolder
    private let end: ServiceEnd

    private var socket: String { StartedService.socket(in: folder.path) }
    /// The folder of a store that isn't the default.
    private var data: String { folder.path + "/other" }

    init() throws {
      folder = try TemporaryFolder()
      end = ServiceEnd(folder)
    }

    private func depot(_ arguments: [String], _ more: [String: String] = [:]) throws -> Outcome {
      try Program.run(
        [Programs.depot] + arguments,
        environment: StartedService.environment(in: folder.path).merging(more) { $1 }
      )
    }

    private func status() throws -> JSONValue {
      try JSONValue(parsing: depot(["service", "status"]).output.utf8)
    }

    private var isRunning: Bool {
      get throws { try status()["running"]?.bool == true }
    }

    /// Starts a service with a row in the store that isn't the default.
    private func startOther() throws {
      let outcome = try depot(["service", "start", "--data", data])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let schema = try folder.write(TestDaemon.schema, to: "schema.json")
      #expect(try depot(["schema", "apply", schema]).status == 0)
      #expect(try depot(["insert", "Item", "name=a"]).status == 0)
    }

    private func killService() throws {
      let process = Int32(try #require(try status()["pid"]?.int64))
      kill(process, SIGKILL)
      try expectSoon("it still runs") { !DepotLinux.Process.exists(process) }
    }

    @Test func `a service that was killed comes back with its store, not with the default one`()
      throws
    {
      try startOther()
      for verb in [["count", "Item"], ["exists", "Item"], ["get", "Item/1"]] {
        try killService()
        let outcome = try depot(verb)
        #expect(outcome.status == 0, "\(verb) \(outcome.errors)")
      }
      #expect(try depot(["count", "Item"]).output == "1\n")
      #expect(try status()["storePath"]?.string == data + "/depot.sqlite")
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
    }

    @Test func `a command that comes while the killed service still ends waits for the next one`()
      throws
    {
      try startOther()
      for _ in 0..<5 {
        kill(Int32(try #require(try status()["pid"]?.int64)), SIGKILL)
        let outcome = try depot(["count", "Item"])
        #expect(outcome.output == "1\n", "\(outcome.errors)")
      }
    }

    @Test func `after service stop nothing starts by itself until service start`() throws {
      try startOther()
      #expect(try depot(["service", "stop"]).status == 0)
      for verb in [["count", "Item"], ["schema", "show"], ["watch", "Item"]] {
        let outcome = try depot(verb)
        #expect(outcome.status == 69, "\(verb)")
        #expect(outcome.errors.contains("depot service start"), "\(outcome.errors)")
      }
      #expect(try depot(["count", "Item"]).errors.contains("was stopped"))
      #expect(try status()["stopped"]?.bool == true)
      #expect(try depot(["service", "start"]).status == 0)
      #expect(try depot(["count", "Item"]).output == "1\n", "it has another store")
      // Then it may again.
      try killService()
      #expect(try depot(["count", "Item"]).output == "1\n")
    }

    @Test func `service stop counts though none runs`() throws {
      try startOther()
      try killService()
      let stopped = try depot(["service", "stop"])
      #expect(stopped.status == 69)
      #expect(stopped.errors.contains("No service runs at"), "\(stopped.errors)")
      #expect(try depot(["count", "Item"]).status == 69)
    }

    @Test func `the default store is started where there was no service`() throws {
      let outcome = try depot(["schema", "show"])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try status()["storePath"]?.string == folder.path + "/data/depot/depot.sqlite")
    }

    @Test func `watch, log --follow, a named socket, and DEPOT_NO_START start none`() throws {
      let named = folder.path + "/b"
      let cases: [([String], [String: String])] = [
        (["watch", "Item"], [:]), (["log", "--follow"], [:]),
        (["--no-start", "count", "Item"], [:]),
        (["--socket", socket, "count", "Item"], [:]), (["--socket", named, "count", "Item"], [:]),
        (["count", "Item"], ["DEPOT_SOCKET": named]),
        (["count", "Item"], ["DEPOT_SOCKET": socket]),
        (["count", "Item"], ["DEPOT_NO_START": "1"]),
      ]
      for (arguments, environment) in cases {
        let outcome = try depot(arguments, environment)
        #expect(outcome.status == 69, "\(arguments) \(environment) \(outcome.errors)")
        #expect(outcome.errors.contains("No service answers at"), "\(outcome.errors)")
        #expect(outcome.errors.contains("service start"), "\(outcome.errors)")
      }
      #expect(try !isRunning)
      #expect(!FileManager.default.fileExists(atPath: named + ".lock"))
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
    }

    @Test func `the way to start one at a named socket is told, and leads to its store`() throws {
      let named = folder.path + "/b"
      let start = ["--socket", named, "service", "start"]
      #expect(try depot(start + ["--data", data]).status == 0)
      StartedService.end(at: named)
      let missing = try depot(["--socket", named, "count", "Item"])
      #expect(missing.errors.contains("depot --socket \(named) service start"), "\(missing.errors)")
      let again = try depot(start + ["-o", "table"])
      #expect(again.output.contains(data + "/depot.sqlite"), "\(again.output)")
    }

    @Test func `an open watch starts no service, and goes on with the one that is started`() throws
    {
      try startOther()
      let watch = try Program(
        [Programs.depot, "watch", "Item", "-o", "ndjson"],
        environment: StartedService.environment(in: folder.path)
      )
      try expectSoon("it shows nothing") { watch.output.contains("\"a\"") }
      try killService()
      DepotLinux.Process.sleep(milliseconds: 1500)
      #expect(try !isRunning)
      #expect(try depot(["insert", "Item", "name=b"]).status == 0)
      try expectSoon("it doesn't go on") { watch.output.contains("\"b\"") }
      watch.process.kill()
    }

    @Test func `a store that another service has is refused at once, with its process`() throws {
      try startOther()
      let process = try #require(try status()["pid"]?.int64)
      let outcome = try depot(["--socket", folder.path + "/b", "service", "start", "--data", data])
      #expect(outcome.status == DepotError.Code.busy.exitStatus)
      #expect(outcome.errors.contains("in use by process \(process)"), "\(outcome.errors)")
      let other = try depot(["service", "start", "--data", folder.path + "/third"])
      #expect(other.status == DepotError.Code.busy.exitStatus)
      #expect(other.errors.contains(data), "\(other.errors)")
      #expect(try depot(["service", "start", "--data", data]).status == 0)
    }

    @Test func `a service that nobody can reach any more is named, with the way to end it`() throws
    {
      try startOther()
      let process = Int32(try #require(try status()["pid"]?.int64))
      kill(process, SIGSTOP)
      defer { kill(process, SIGKILL) }
      try FileManager.default.removeItem(atPath: socket)
      let before = try String(contentsOfFile: folder.path + "/depot/depotd.log", encoding: .utf8)
      for verb in [["service", "start"], ["count", "Item"]] {
        let outcome = try depot(verb)
        #expect(outcome.status == DepotError.Code.busy.exitStatus, "\(outcome.errors)")
        #expect(outcome.errors.contains("kill \(process)"), "\(outcome.errors)")
      }
      let after = try String(contentsOfFile: folder.path + "/depot/depotd.log", encoding: .utf8)
      let attempts = after.dropFirst(before.count).split(separator: "\n").count
      #expect(attempts <= 4, "\(after)")
    }

    @Test
    func `why the service can't have its store is told at once, with the status of the cause`()
      throws
    {
      let file = try folder.write(String(repeating: "no store ", count: 100), to: "depot.sqlite")
      let outcome = try depot(["service", "start", "--data", folder.path])
      #expect(outcome.status == 74, "\(outcome.errors)")
      #expect(outcome.errors.contains("storage.corrupt"), "\(outcome.errors)")
      #expect(outcome.errors.contains(file), "\(outcome.errors)")
      let folderInTheWay = try depot(["service", "start", "--data", file])
      #expect(folderInTheWay.status == 66, "\(folderInTheWay.errors)")
    }

    @Test func `a store that is gone isn't replaced by an empty one`() throws {
      try startOther()
      try killService()
      try FileManager.default.moveItem(atPath: data, toPath: data + "-moved")
      for verb in [["count", "Item"], ["service", "start"]] {
        let outcome = try depot(verb)
        #expect(outcome.status == 66, "\(outcome.errors)")
        #expect(outcome.errors.contains(data), "\(outcome.errors)")
        #expect(outcome.errors.contains("service start --data"), "\(outcome.errors)")
      }
      #expect(!FileManager.default.fileExists(atPath: data))
      #expect(try depot(["service", "start", "--data", data + "-moved"]).status == 0)
      #expect(try depot(["count", "Item"]).output == "1\n")
    }

    @Test func `service status tells socket, store, process, version, and since when`() throws {
      let before = Date()
      try startOther()
      let text = try depot(["service", "status", "-o", "table"]).output
      let facts = try status()
      let process = try #require(facts["pid"]?.int64)
      let since = try #require(facts["since"]?.string)
      for fact in [socket, data + "/depot.sqlite", "\(process)", ProtocolVersion.software] {
        #expect(text.contains(fact), "\(fact) \(text)")
      }
      let start = try Date(since, strategy: .iso8601)
      // It is the present time without the time that it runs, to the second.
      let seconds = [-1, 0, 1].map { start.addingTimeInterval($0).formatted(.iso8601) }
      #expect(seconds.contains { text.contains("since        \($0)") }, "\(since) \(text)")
      #expect(start.timeIntervalSince(before) > -2 && start <= Date())
      #expect(facts["socket"]?.string == socket)
      #expect(facts["storePath"]?.string == data + "/depot.sqlite")
    }
  }

  /// The end of the services in a folder, before that is removed.
  private final class ServiceEnd {
    private let folder: TemporaryFolder

    init(_ folder: TemporaryFolder) {
      self.folder = folder
    }

    deinit {
      for socket in [StartedService.socket(in: folder.path), folder.path + "/b"] {
        StartedService.end(at: socket)
      }
    }
  }
}
