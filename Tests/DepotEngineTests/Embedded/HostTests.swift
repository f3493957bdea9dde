import DepotLinux
import Foundation
import TestSupport
import Testing

extension EmbeddedTests {
  /// What a service leaves alone of the program that it is in, and what it leaves behind.
  @Suite struct HostTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
      folder = try TemporaryFolder()
      path = folder.path + "/notes.store"
    }

    /// The folders of stores in memory that a process has.
    private func memoryFolders(of program: StoreUser) -> Int {
      FileSystem.entries(of: "/proc/\(program.identifier)/fd").count { name in
        let link = "/proc/\(program.identifier)/fd/\(name)"
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
        return target?.hasPrefix("/dev/shm/depot-") == true && target?.hasSuffix("/lock") == true
      }
    }

    @Test func `signals, the mask of new files, and the working folder are left as they were`()
      throws
    {
      let program = try StoreUser()
      let before = try program.ask("state")
      try program.ask("open \(path)")
      try program.ask("insert a")
      #expect(try program.ask("state") == before)
      try program.ask("open-memory x")
      #expect(try program.ask("state") == before)
      program.send(signal: SIGTERM)
      #expect(program.wait() == 128 + SIGTERM, "the program's own way to end")
      #expect(program.errorOutput == "")
    }

    @Test func `a program whose standard descriptors are closed doesn't give them to its store`()
      throws
    {
      let program = try StoreUser(prefix: ["sh", "-c", "exec \"$@\" 2>&-", "sh"])
      try program.ask("open \(path)")
      try program.ask("insert a")
      let link = "/proc/\(program.identifier)/fd/2"
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
      #expect(target?.contains("notes") != true && target?.contains("socket") != true, "\(target)")
    }

    @Test func `programs that are started inherit no descriptor`() throws {
      let program = try StoreUser()
      // What the program inherited itself it passes on.
      let before = try program.ask("inherited")
      try program.ask("open \(path)")
      try program.ask("insert a")
      #expect(try program.ask("inherited") == before)
      try program.ask("open-memory x")
      #expect(try program.ask("inherited") == before)
    }

    @Test func `opening and closing a hundred stores leaves no thread and no descriptor behind`()
      throws
    {
      let program = try StoreUser()
      for arguments in ["100 memory", "100 \(path)"] {
        try program.ask("cycle 1 " + arguments.split(separator: " ")[1])
        try expectSoon { try program.ask("threads") == "ok 1" }
        let descriptors = try program.ask("descriptors")
        #expect(try program.ask("cycle " + arguments) == "ok")
        try expectSoon { try program.ask("threads") == "ok 1" }
        #expect(try program.ask("descriptors") == descriptors)
      }
    }

    @Test func `stores are closed in good order when the program exits`() throws {
      let program = try StoreUser()
      try program.ask("open \(path)")
      try program.ask("insert a")
      try program.send("quit")
      #expect(program.wait() == 0)
      #expect(!folder.names.contains("notes.store.socket"))
      #expect(FileSystem.size(of: path + "-wal") == 0, "the log is in the store")
    }

    @Test func `what a store in memory needs is gone when it is closed and when the program exits`()
      throws
    {
      let prefix = "depot-\(getuid())-"
      func folders() -> Set<String> {
        Set(FileSystem.entries(of: "/dev/shm").filter { $0.hasPrefix(prefix) })
      }
      let program = try StoreUser()
      try program.ask("open-memory x")
      #expect(memoryFolders(of: program) == 1)
      let held = folders()
      try program.ask("close")
      try expectSoon { memoryFolders(of: program) == 0 }
      #expect(held.subtracting(folders()).count >= 1)
      try program.ask("open-memory y")
      let again = folders()
      try program.send("quit")
      #expect(program.wait() == 0)
      #expect(again.subtracting(folders()).count >= 1)
    }

    @Test func `the log is written if it is asked for`() throws {
      let program = try StoreUser(["DEPOT_EMBEDDED": "1", "DEPOT_LOG": "1"])
      try program.ask("open \(path)")
      try expectSoon { program.errorOutput.contains("ready") }
    }
  }
}
