import DepotClient
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

/// Disks without room.
///
/// Proved by `OracleTests`: the ledger reports a write that was refused and is there, and one that was
/// acknowledged and isn't.
extension FaultTests {
  @Suite struct FullDiskTests {
    /// Fills the disk of `place`, makes room, and looks at what became of the writes.
    private static func run(
      _ place: Place,
      bytes: Int,
      fill: (TestProcess) throws -> Void,
      makeRoom: (TestProcess) throws -> Void
    ) throws -> (refusals: [DepotError], problems: [String]) {
      let (daemon, connection) = try place.serve()
      try connection.define(.items())
      var ledger = Ledger()
      for index in 0..<3 { connection.put("before \(index)", in: &ledger) }
      try fill(daemon)
      var refusals: [DepotError] = []
      var problems: [String] = []
      for index in 0..<400 where refusals.count < 5 {
        if let error = connection.put("during \(index)", in: &ledger, bytes: bytes) {
          refusals.append(error)
          // Reads go on.
          problems += ledger.problems(try connection.names())
        }
      }
      try makeRoom(daemon)
      for index in 0..<3 {
        if let error = connection.put("after \(index)", in: &ledger, bytes: bytes) {
          problems.append("it didn't resume: \(error)")
        }
      }
      problems += ledger.problems(try connection.names())
      daemon.signal(SIGKILL)
      daemon.wait()
      let (again, other) = try place.serve()
      problems += ledger.problems(try other.names())
      problems += try place.end(again, other)
      return (refusals, problems)
    }

    private func expect(_ result: (refusals: [DepotError], problems: [String])) {
      #expect(result.problems == [])
      #expect(result.refusals.count == 5)
      for error in result.refusals {
        #expect(error.code == .full)
        #expect(error.effect == .none)
        #expect(error.retry == .later)
      }
    }

    @Test func `writes are refused while the log can't be written, and resume by themselves`()
      async throws
    {
      expect(
        try await onThread {
          let place = try Place()
          var fault: Fault?
          return try Self.run(
            place,
            bytes: 10,
            fill: { fault = try Fault("pwrite64", "error=ENOSPC:when=3+", in: $0, place) },
            makeRoom: { _ in fault?.end() }
          )
        }
      )
    }

    @Test func `a limit of file sizes is a full disk, not a death`() async throws {
      expect(
        try await onThread {
          func limit(_ daemon: TestProcess, _ bytes: String) throws {
            let arguments = [
              "prlimit", "--pid", "\(daemon.identifier)", "--fsize=\(bytes):unlimited",
            ]
            guard try TestProcess(arguments, log: "/dev/null").wait() == 0 else {
              throw TestFailure("prlimit failed")
            }
          }
          return try Self.run(
            try Place(),
            bytes: 200_000,
            fill: { try limit($0, "6000000") },
            makeRoom: { try limit($0, "unlimited") }
          )
        }
      )
    }

    @Test func `the log says once that the disk is full, and once that it has room again`()
      async throws
    {
      let (lines, status) = try await onThread {
        let place = try Place()
        let (daemon, connection) = try place.serve()
        try connection.define(.items())
        func limit(_ bytes: String) throws {
          try TestProcess(
            ["prlimit", "--pid", "\(daemon.identifier)", "--fsize=\(bytes):unlimited"],
            log: "/dev/null"
          ).wait()
        }
        try limit("4600000")
        var ledger = Ledger()
        for index in 0..<5 { connection.put("large \(index)", in: &ledger, bytes: 6_000_000) }
        try limit("unlimited")
        // Room is believed in when no write was refused for a second.
        usleep(1_200_000)
        for index in 0..<5 { connection.put("small \(index)", in: &ledger) }
        try expectSoon { place.text(of: place.log).contains("has room again") }
        try connection.shutdown()
        let status = daemon.wait()
        return (place.text(of: place.log).split(separator: "\n").map(String.init), status)
      }
      #expect(status == 0)
      #expect(lines.count { $0.contains("the disk is full") } == 1, "\(lines)")
      #expect(lines.count { $0.contains("the disk has room again") } == 1, "\(lines)")
      let full = lines.firstIndex { $0.contains("the disk is full") }
      let room = lines.firstIndex { $0.contains("the disk has room again") }
      #expect(try #require(full) < #require(room))
    }

    /// Proved by the large write, which must have been refused beside them.
    @Test func `a write that finds no room doesn't take those beside it along`() async throws {
      let (place, daemon) = try await onThread {
        let place = try Place()
        let (daemon, connection) = try place.serve()
        try connection.define(.items())
        let arguments = ["prlimit", "--pid", "\(daemon.identifier)", "--fsize=4600000:unlimited"]
        try TestProcess(arguments, log: "/dev/null").wait()
        return (place, daemon)
      }
      // Flushes are slow, so that writes of several clients share a transaction.
      let delay = try await onThread {
        try Fault("fdatasync", "delay_enter=20000", in: daemon, place)
      }
      let codes = try await withThrowingTaskGroup(of: (Int, [DepotError.Code?]).self) { group in
        for client in 0..<4 {
          group.addTask {
            let codes = try await onThread {
              let connection = try BlockingConnection(socket: SocketPath(place.socket))
              var ledger = Ledger()
              return (0..<5).map { index in
                let bytes = client == 0 ? 6_000_000 : 10
                return connection.put("\(client).\(index)", in: &ledger, bytes: bytes)?.code
              }
            }
            return (client, codes)
          }
        }
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      let (found, largest) = try await onThread {
        delay.end()
        if !daemon.isRunning { throw TestFailure("\(daemon.wait()): \(place.text(of: place.log))") }
        let connection = try BlockingConnection(socket: SocketPath(place.socket))
        let largest = try connection.stats()["store"]?["largestBatch"]?.int64 ?? 0
        return (try connection.names(), largest)
      }
      #expect(codes[0] == Array(repeating: .full, count: 5))
      for client in 1..<4 {
        #expect(codes[client] == Array(repeating: nil, count: 5))
        for index in 0..<5 { #expect(found["\(client).\(index)"] == 1) }
      }
      #expect(found.count == 15)
      #expect(largest > 1)
      daemon.signal(SIGKILL)
    }

    /// The log's checkpoint meets the end of the disk first, then the log does.
    @Test(.enabled(if: geteuid() == 0, "mounting needs root"), arguments: ["tmpfs", "ext4"])
    func `a disk that fills up and gets room loses nothing`(kind: String) async throws {
      expect(
        try await onThread {
          let disk = try Place()
          let place = try Place()
          func run(_ arguments: String...) throws {
            guard try TestProcess(arguments, log: disk.log).wait() == 0 else {
              throw TestFailure("\(arguments): \(disk.text(of: disk.log))")
            }
          }
          if kind == "tmpfs" {
            try run("mount", "-t", "tmpfs", "-o", "size=16m", "none", place.data)
          } else {
            let image = disk.folder + "/image"
            try run("truncate", "-s", "20M", image)
            try run("mkfs.ext4", "-q", "-F", "-m", "0", image)
            try run("mount", "-o", "loop", image, place.data)
          }
          defer { _ = try? TestProcess(["umount", "-l", place.data], log: "/dev/null").wait() }
          // The ballast leaves some room for the database beside its log.
          let ballast = place.data + "/ballast"
          return try Self.run(
            place,
            bytes: 100_000,
            fill: { _ in try Data(repeating: 1, count: 7_000_000).write(to: URL(filePath: ballast))
            },
            makeRoom: { _ in try FileManager.default.removeItem(atPath: ballast) }
          )
        }
      )
    }

    /// Proved by the write that is refused before there is room.
    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func `a service that starts on a full disk reads, and writes as soon as there is room`()
      async throws
    {
      try await onThread {
        let place = try Place()
        let mount = ["mount", "-t", "tmpfs", "-o", "size=12m", "none", place.data]
        guard try TestProcess(mount, log: place.log).wait() == 0 else {
          throw TestFailure(place.text(of: place.log))
        }
        defer { _ = try? TestProcess(["umount", "-l", place.data], log: "/dev/null").wait() }
        var (daemon, connection) = try place.serve()
        try connection.define(.items())
        var ledger = Ledger()
        // The file needs more room when the log is copied into it.
        for index in 0..<9 { connection.put("before \(index)", in: &ledger, bytes: 300_000) }
        daemon.signal(SIGKILL)
        daemon.wait()
        let ballast = place.data + "/ballast"
        _ = try TestProcess(
          ["dd", "if=/dev/zero", "of=\(ballast)", "bs=4096"],
          log: "/dev/null"
        ).wait()
        (daemon, connection) = try place.serve()
        #expect(try connection.names().count == 9)
        #expect(connection.put("refused", in: &ledger, bytes: 3_000_000)?.code == .full)
        #expect(try connection.names().count == 9)
        try FileManager.default.removeItem(atPath: ballast)
        #expect(connection.put("later", in: &ledger) == nil)
        #expect(ledger.problems(try connection.names()) == [])
        try connection.shutdown()
        #expect(daemon.wait() == 0)
        #expect(try place.check().status == 0)
      }
    }
  }
}
