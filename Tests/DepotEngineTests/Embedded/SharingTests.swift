import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension EmbeddedTests {
  /// Programs that share a file without any service.
  @Suite struct SharingTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
      folder = try TemporaryFolder()
      path = folder.path + "/notes.store"
    }

    @Test func `the second program is the guest of the first, and both see all that is saved`()
      throws
    {
      let (first, second) = try (StoreUser(), StoreUser())
      #expect(try first.ask("open \(path)") == "ok owner")
      #expect(try second.ask("open \(path)") == "ok guest")
      try first.ask("insert a")
      try second.ask("insert b")
      #expect(try first.ask("names") == "ok a b")
      #expect(try second.ask("names") == "ok a b")
    }

    @Test func `a guest takes over when the owner is killed`() throws {
      let (first, second) = try (StoreUser(), StoreUser())
      try first.ask("open \(path)")
      try second.ask("open \(path)")
      try first.ask("insert a")
      try second.ask("insert b")
      first.kill()
      #expect(try second.ask("insert c") == "ok")
      #expect(try second.ask("kind") == "ok owner")
      #expect(try second.ask("names") == "ok a b c")
    }

    @Test func `a guest takes over when the owner closes the store or ends`() throws {
      let (first, second) = try (StoreUser(), StoreUser())
      try first.ask("open \(path)")
      try second.ask("open \(path)")
      try first.ask("insert a")
      try first.ask("close")
      #expect(try second.ask("insert b") == "ok")
      #expect(try second.ask("kind") == "ok owner")
      #expect(try first.ask("open \(path)") == "ok guest")
      try second.send("quit")
      #expect(second.wait() == 0)
      #expect(try first.ask("names") == "ok a b")
      #expect(try first.ask("kind") == "ok owner")
    }

    @Test func `of eight programs that open a file at once, one becomes the owner`() throws {
      for round in 0..<5 {
        let path = folder.path + "/race-\(round).store"
        let programs = try (0..<8).map { _ in try StoreUser() }
        for program in programs { try program.send("open \(path)") }
        let kinds = programs.map { $0.receive() }
        #expect(kinds.count { $0 == "ok owner" } == 1, "\(kinds)")
        #expect(kinds.count { $0 == "ok guest" } == 7, "\(kinds)")
        for (index, program) in programs.enumerated() { try program.send("insert n\(index)") }
        #expect(programs.allSatisfy { $0.receive() == "ok" })
        #expect(try programs[round].ask("names") == "ok n0 n1 n2 n3 n4 n5 n6 n7")
      }
    }

    @Test func `nothing acknowledged is lost and nothing is there twice while owners are killed`()
      throws
    {
      var acknowledged: Set<String> = []
      var next = 0
      func start() throws -> StoreUser {
        let program = try StoreUser()
        #expect(try program.ask("open \(path)").hasPrefix("ok"))
        try program.send("work w\(next)")
        next += 1
        return program
      }
      func note(_ lines: [String]) -> Bool {
        for line in lines { acknowledged.insert(String(line.split(separator: " ").last ?? "")) }
        return lines.last?.hasPrefix("owner") ?? false
      }
      var programs = try (0..<3).map { _ in try start() }
      var kills = 0
      let end = Monotonic.now() + 60_000_000_000
      while kills < 20 || acknowledged.count <= 100, Monotonic.now() < end {
        // Each takes part in the work before the next owner goes.
        var owner: Int?
        for (index, program) in programs.enumerated() {
          let line = try #require(program.receive(), "\(program.errorOutput)")
          let isOwner = note([line] + program.receiveRest())
          if isOwner { owner = index }
        }
        guard let owner else { continue }
        programs[owner].kill()
        _ = note(programs[owner].receiveRest())
        kills += 1
        programs[owner] = try start()
      }
      #expect(kills >= 20)
      for program in programs {
        program.kill()
        _ = note(program.receiveRest())
      }
      let last = try StoreUser()
      #expect(try last.ask("open \(path)") == "ok owner")
      let names = try last.ask("names").split(separator: " ").dropFirst().map(String.init)
      #expect(Set(names).count == names.count, "a save was applied twice")
      #expect(acknowledged.subtracting(names).isEmpty, "a save was lost")
      #expect(acknowledged.count > 100)
    }

    @Test func `programs that open, save, and close again and again don't hinder each other`()
      throws
    {
      let programs = try (0..<4).map { _ in try StoreUser() }
      for program in programs { try program.send("churn 25 \(path)") }
      for program in programs {
        let answer = program.receive()
        #expect(answer == "ok", "\(program.errorOutput)")
      }
      try programs[0].ask("open \(path)")
      let names = try programs[0].ask("names").split(separator: " ").dropFirst()
      #expect(names.count == 100)
      #expect(Set(names).count == 100)
    }

    @Test func `a path that is too long for a socket has its socket elsewhere`() throws {
      let long = folder.path + "/" + String(repeating: "a", count: 120)
      try FileManager.default.createDirectory(atPath: long, withIntermediateDirectories: false)
      // Programs of one user may have been started with and without such folders.
      let runtime = try TemporaryFolder()
      let first = try StoreUser(["DEPOT_EMBEDDED": "1", "XDG_RUNTIME_DIR": runtime.path])
      let second = try StoreUser(["DEPOT_EMBEDDED": "1", "XDG_RUNTIME_DIR": ""])
      #expect(try first.ask("open \(long)/notes.store") == "ok owner")
      #expect(try second.ask("open \(long)/notes.store") == "ok guest")
      try second.ask("insert a")
      #expect(try first.ask("names") == "ok a")
      #expect(runtime.names == [])
      // The FNV-1a hash of the path, as the protocol says.
      var hash: UInt64 = 14_695_981_039_346_656_037
      for byte in "\(long)/notes.store".utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
      let name = String(format: "%016llx.socket", hash)
      let names = try FileManager.default.contentsOfDirectory(atPath: "/tmp/depot-\(geteuid())")
      #expect(names.contains(name) && names.contains(name + ".lock"))
    }

    @Test func `a link to a file leads to the same store`() throws {
      let (first, second) = try (StoreUser(), StoreUser())
      #expect(try first.ask("open \(path)") == "ok owner")
      let link = folder.path + "/link.store"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
      #expect(try second.ask("open \(link)") == "ok guest")
    }

    @Test func `the command line reaches the owner by the socket, and can't end it`() throws {
      let owner = try StoreUser()
      try owner.ask("open \(path)")
      try owner.ask("insert a")
      func depot(_ arguments: String...) throws -> Outcome {
        try Program.run([Programs.depot, "--socket", path + ".socket", "--no-start"] + arguments)
      }
      let fetch = try depot("fetch", "Note")
      #expect(fetch.status == 0 && fetch.output.contains("a"), "\(fetch.errors)")
      let stop = try depot("service", "stop")
      #expect(stop.status == 77, "\(stop.errors)")
      #expect(stop.errors.contains("\(owner.identifier)"), "\(stop.errors)")
      #expect(try owner.ask("names") == "ok a")
    }

    @Test func `a file that a program without an answer has is busy`() throws {
      let lock = try FileLock(path: path + ".lock")
      let program = try StoreUser()
      let answer = try program.ask("open \(path)")
      #expect(answer.hasPrefix("error unavailable.busy"), "\(answer)")
      withExtendedLifetime(lock) {}
    }

    @Test func `something else in the place of the socket is left alone`() throws {
      try Data("precious".utf8).write(to: URL(filePath: path + ".socket"))
      let program = try StoreUser()
      let answer = try program.ask("open \(path)")
      #expect(answer.contains("\(path).socket"), "\(answer)")
      #expect(answer.hasPrefix("error"), "\(answer)")
      #expect(try String(contentsOfFile: path + ".socket", encoding: .utf8) == "precious")
    }
  }
}
