import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension EmbeddedTests {
  /// Programs beside the service on the default socket.
  @Suite struct ServiceTests {
    /// A default socket and a place for the service's own store, whose service ends with it.
    final class Surroundings {
      let folder: TemporaryFolder
      let socket: String
      var environment: [String: String?]

      init() throws {
        folder = try TemporaryFolder()
        socket = StartedService.socket(in: folder.path)
        environment = StartedService.environment(in: folder.path)
        environment["DEPOT_DAEMON"] = Programs.daemon
      }

      deinit { StartedService.end(at: socket) }

      func connect() throws -> BlockingConnection {
        try BlockingConnection(socket: SocketPath(socket))
      }

      /// The number of the service's process.
      func service() throws -> Int32 {
        Int32(try #require(try connect().stats()["server"]?["pid"]?.int64))
      }

      /// Kills the service without warning and waits until it is gone.
      func killService() throws {
        let process = try service()
        kill(process, SIGKILL)
        try expectSoon { kill(process, 0) != 0 || Self.isZombie(process) }
      }

      private static func isZombie(_ process: Int32) -> Bool {
        let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return text?.split(separator: ")").last?.hasPrefix(" Z") ?? true
      }
    }

    let around: Surroundings
    let path: String

    init() throws {
      around = try Surroundings()
      path = around.folder.path + "/notes.store"
    }

    @Test func `the service is started if there is none, and has the file`() throws {
      let (first, second) = try (StoreUser(around.environment), StoreUser(around.environment))
      #expect(try first.ask("open \(path)") == "ok service")
      #expect(try second.ask("open \(path)") == "ok service")
      try first.ask("insert a")
      #expect(try second.ask("names") == "ok a")
      #expect(!FileManager.default.fileExists(atPath: path + ".socket"))
      let containers = try around.connect().containers()
      #expect(containers.contains { $0.stores.first?.path == path && $0.users == 2 })
    }

    @Test(.enabled(if: TemporaryCluster.isAvailable))
    func `a database is reached through services, and by them alone`() throws {
      let cluster = try TemporaryCluster()
      let address = "postgresql://depot@/postgres?host=\(cluster.path)"
      let other = try Surroundings()
      for place in [around, other] {
        place.environment["XDG_CACHE_HOME"] = place.folder.path + "/cache"
      }
      let (first, second) = try (StoreUser(around.environment), StoreUser(other.environment))
      #expect(try first.ask("open-database \(address)") == "ok service")
      #expect(try second.ask("open-database \(address)") == "ok service")
      try first.ask("insert a")
      try expectSoon { try second.ask("names") == "ok a" }
      // The container is found again by a program that comes later.
      let third = try StoreUser(around.environment)
      #expect(try third.ask("open-database \(address)") == "ok service")
      #expect(try around.connect().containers().count == 2)
      let alone = try StoreUser()
      #expect(
        try alone.ask("open-database \(address)").hasPrefix("error unavailable.service")
      )
    }

    @Test func `a service that was killed is started again, and nothing saved is lost`() throws {
      let program = try StoreUser(around.environment)
      #expect(try program.ask("open \(path)") == "ok service")
      try program.ask("insert a")
      try around.killService()
      #expect(try program.ask("insert b") == "ok")
      #expect(try program.ask("names") == "ok a b")
      #expect(try program.ask("kind") == "ok service")
    }

    @Test func `a service that was stopped isn't started again, and the file gets an owner`() throws
    {
      let program = try StoreUser(around.environment)
      #expect(try program.ask("open \(path)") == "ok service")
      try program.ask("insert a")
      let process = try around.service()
      try around.connect().shutdown()
      try expectSoon { !DepotLinux.Process.exists(process) }
      #expect(try program.ask("insert b") == "ok")
      #expect(try program.ask("kind") == "ok owner")
      #expect(try program.ask("names") == "ok a b")
      #expect(throws: DepotError.self) { try around.connect() }
    }

    @Test(arguments: ["DEPOT_SOCKET", "DEPOT_NO_START"])
    func `no service is started where the environment speaks against it`(name: String) throws {
      var environment = around.environment
      environment[name] = name == "DEPOT_SOCKET" ? around.socket : "1"
      let program = try StoreUser(environment)
      #expect(try program.ask("open \(path)") == "ok owner")
      #expect(!FileManager.default.fileExists(atPath: around.socket + ".lock"))
    }

    @Test func `eight programs that start at once share one service`() throws {
      let programs = try (0..<8).map { _ in try StoreUser(around.environment) }
      for program in programs { try program.send("open \(path)") }
      #expect(programs.allSatisfy { $0.receive() == "ok service" })
    }

    @Test func `a program that owns the file keeps it when a service appears`() throws {
      let owner = try StoreUser()
      #expect(try owner.ask("open \(path)") == "ok owner")
      try owner.ask("insert a")
      let guest = try StoreUser(around.environment)
      #expect(try guest.ask("open \(path)") == "ok guest")
      #expect(try guest.ask("names") == "ok a")
      // When it ends, the service has the file.
      owner.kill()
      #expect(try guest.ask("insert b") == "ok")
      #expect(try guest.ask("kind") == "ok service")
      #expect(try guest.ask("names") == "ok a b")
    }

    @Test func `a program that leaves out the service can't have what the service has`() throws {
      let first = try StoreUser(around.environment)
      #expect(try first.ask("open \(path)") == "ok service")
      let second = try StoreUser()
      let answer = try second.ask("open \(path)")
      #expect(answer.hasPrefix("error unavailable.busy"), "\(answer)")
    }

    @Test func `a container of another name with the file is joined`() throws {
      let starter = try StoreUser(around.environment)
      try starter.ask("open \(around.folder.path)/other.store")
      let request = ContainerRequest("mine", stores: [ContainerStore(.path(path))])
      let connection = try around.connect()
      try connection.openContainer(request)
      let program = try StoreUser(around.environment)
      #expect(try program.ask("open \(path)") == "ok service")
      try program.ask("insert a")
      let other = try BlockingConnection(socket: SocketPath(around.socket), container: "mine")
      #expect(try other.names() == ["a"])
    }

    @Test func `without a program to start, the file has an owner`() throws {
      var environment = around.environment
      environment["DEPOT_DAEMON"] = "/nowhere/depotd"
      let program = try StoreUser(environment)
      #expect(try program.ask("open \(path)") == "ok owner")
    }

    @Test func `a file that was removed is made anew`() throws {
      let first = try StoreUser(around.environment)
      try first.ask("open \(path)")
      try first.ask("insert a")
      try first.ask("close")
      // There is no "-shm", which programs written for SQLite remove too.
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
      #expect(try first.ask("open \(path)") == "ok service")
      #expect(try first.ask("names") == "ok")
      #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `who may only read a file sees it in the service, and makes none`() throws {
      let (writer, reader) = try (StoreUser(around.environment), StoreUser(around.environment))
      #expect(try reader.ask("read \(path)").hasPrefix("error notfound.file"))
      try writer.ask("open \(path)")
      try writer.ask("insert a")
      #expect(try reader.ask("read \(path)") == "ok service")
      #expect(try reader.ask("names") == "ok a")
      #expect(try reader.ask("insert b").hasPrefix("error unavailable.readonly"))
    }
  }
}
