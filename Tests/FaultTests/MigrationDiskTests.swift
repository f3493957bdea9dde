import DepotClient
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

/// Disks that fill up or fail while a graph goes through its versions.
///
/// Proved by `OracleTests`, and by `MigrationKillTests`, whose look at the store is the same.
extension FaultTests {
  @Suite struct MigrationDiskTests {
    @Test(arguments: ["pwrite64", "fallocate"])
    func `a full disk leaves an old version, and a later try does the rest`(
      call: String
    ) async throws {
      try await onThread {
        for point in try Self.points(of: call) {
          let problems = try Self.fill(call, at: point)
          #expect(problems == [], "\(call) \(point)")
        }
      }
    }

    @Test func `a limit of file sizes leaves an old version`() async throws {
      let (code, problems) = try await onThread {
        let place = try Place()
        let (daemon, connection) = try place.serve()
        try Library.fill(connection)
        func limit(_ bytes: String) throws {
          let arguments = [
            "prlimit", "--pid", "\(daemon.identifier)", "--fsize=\(bytes):unlimited",
          ]
          guard try TestProcess(arguments, log: "/dev/null").wait() == 0 else {
            throw TestFailure("prlimit failed")
          }
        }
        try limit("20000")
        let code = Self.migrate(connection)?.code
        var problems = try Library.problems(connection)
        try limit("unlimited")
        problems += try Self.goOn(place, connection)
        try connection.shutdown()
        if daemon.wait() != 0 { problems.append("the daemon didn't end well") }
        return (code, problems + (try Self.leftovers(place)))
      }
      #expect(code == .full)
      #expect(problems == [])
    }

    @Test(arguments: ["pwrite64", "fdatasync", "fsync", "pread64", "rename", "link"])
    func `an error of the disk leaves an old version, and the next start goes on`(
      call: String
    ) async throws {
      try await onThread {
        for point in try Self.points(of: call) {
          let problems = try Self.fail(call, at: point)
          #expect(problems == [], "\(call) \(point)")
        }
      }
    }

    /// Some of the times at which a migration makes `call`.
    private static func points(of call: String) throws -> StrideThrough<Int> {
      let count = try KilledProcessTests.MigrationKillTests.count(of: call)
      return somePoints(upTo: count, about: 4)
    }

    /// Migrates through all versions; returns the error that ended it.
    private static func migrate(_ connection: BlockingConnection) -> DepotError? {
      do {
        try connection.migrate(Library.stages())
        return nil
      } catch {
        return error as? DepotError ?? DepotError(.bug, "\(error)")
      }
    }

    /// Migrates what is left; returns what is wrong then.
    private static func goOn(_ place: Place, _ connection: BlockingConnection) throws -> [String] {
      var problems: [String] = []
      if let error = migrate(connection) { problems.append("can't go on: \(error)") }
      if try connection.schema() != Library.fourth { problems.append("not the last version") }
      return problems + (try Library.problems(connection))
    }

    /// Returns the files that should be gone, and what a check finds.
    private static func leftovers(_ place: Place) throws -> [String] {
      let names = try FileManager.default.contentsOfDirectory(atPath: place.data).sorted()
      let wanted = (1...3).map { "store.sqlite.backup-\($0).0.0-1" } + ["store.sqlite.lock"]
      var problems = names.filter(isOurs) == wanted ? [] : ["files: \(names)"]
      let check = try place.check()
      if check.status != 0 { problems.append(check.output) }
      return problems
    }

    /// Whether a file isn't the store itself, with what SQLite keeps beside it.
    private static func isOurs(_ name: String) -> Bool {
      !["", "-wal", ".state"].contains { name == "store.sqlite" + $0 }
    }

    private static func fill(_ call: String, at point: Int) throws -> [String] {
      let place = try KilledProcessTests.MigrationKillTests.prepared()
      let (daemon, connection) = try place.serve()
      let fault = try Fault(call, "error=ENOSPC:when=\(point)+", in: daemon, place)
      var problems: [String] = []
      if let error = migrate(connection), error.code != .full {
        problems.append("not a full disk: \(error)")
      }
      do {
        problems += try Library.problems(connection)
      } catch let error as DepotError where error.code == .full {
        // The store was closed so that its copy could take its place, and couldn't be opened again.
      }
      fault.end()
      _ = poll { try? connection.schema() }
      problems += try goOn(place, connection)
      try connection.shutdown()
      if daemon.wait() != 0 { problems.append("the daemon didn't end well") }
      return problems + (try leftovers(place))
    }

    private static func fail(_ call: String, at point: Int) throws -> [String] {
      let place = try KilledProcessTests.MigrationKillTests.prepared()
      var (daemon, connection) = try place.serve()
      let fault = try Fault(call, "error=EIO:when=\(point)", in: daemon, place)
      let error = migrate(connection)
      var problems: [String] = []
      if let error, ![.io, .corrupt, .disconnected].contains(error.code) {
        problems.append("not an error of the disk: \(error)")
      }
      _ = try? connection.shutdown()
      let status = daemon.wait()
      if ![0, 70].contains(status) { problems.append("status \(status)") }
      fault.end()
      (daemon, connection) = try place.serve()
      problems += try Library.problems(connection)
      problems += try goOn(place, connection)
      try connection.shutdown()
      daemon.wait()
      return problems + (try leftovers(place))
    }
  }
}
