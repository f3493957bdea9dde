import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

extension ServiceTests {
  /// Where services and clients look for files if nobody says, and which folders they refuse.
  @Suite(.serialized) struct PlaceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(
      _ program: String,
      _ arguments: [String],
      _ environment: [String: String?] = [:],
      as user: UInt32? = nil
    ) throws -> Outcome {
      let prefix = user.map { ["setpriv", "--reuid", "\($0)", "--clear-groups"] } ?? []
      var variables: [String: String?] = [
        "DEPOT_SOCKET": nil, "XDG_RUNTIME_DIR": folder.path + "/run", "XDG_DATA_HOME": nil,
      ]
      variables.merge(environment) { $1 }
      return try Program.run(prefix + [program] + arguments, environment: variables)
    }

    @Test(.enabled(if: Programs.isRoot, "only root can become a user whom nobody knows"))
    func `without a home by environment or system no store is made, and the way out is told`()
      throws
    {
      try #require(UserDatabase.name(ofUser: 54_321) == nil)
      let outcome = try run(
        Programs.daemon,
        ["--socket", folder.path + "/s"],
        ["HOME": nil],
        as: 54_321
      )
      #expect(outcome.status == 64, "\(outcome.errors)")
      #expect(outcome.errors.contains("has no home"), "\(outcome.errors)")
      #expect(outcome.errors.contains("--data"), "\(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: "/tmp/.local/share/depot/depot.sqlite"))
      let named = ["--check", "--store", folder.path + "/none.sqlite"]
      #expect(try run(Programs.daemon, named, ["HOME": nil], as: 54_321).status != 64)
    }

    @Test func `a check of a folder without a store says so, and leaves nothing there`() throws {
      let place = folder.path + "/empty"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
      let outcome = try run(Programs.daemon, ["--check", "--data", place], [:])
      #expect(outcome.status == 66, "\(outcome.errors)")
      #expect(outcome.errors.contains("There is no store at \(place)/depot.sqlite"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
    }

    @Test(arguments: [
      ["--data", ""], ["--store="], ["--socket", ""], ["--check", "--data="], ["--restore", ""],
    ])
    func `an empty text is no path`(arguments: [String]) throws {
      let outcome = try run(Programs.daemon, arguments, [:])
      #expect(outcome.status == 64, "\(outcome.errors)")
      #expect(outcome.errors.contains("needs a value"), "\(outcome.errors)")
    }

    @Test func `without HOME the home is that of the password database`() throws {
      // No store is made: the check looks where it would be.
      let outcome = try run(Programs.daemon, ["--check"], ["HOME": nil])
      let home = try #require(Glibc.getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) })
      let place = home + "/.local/share/depot/depot.sqlite"
      #expect((outcome.output + outcome.errors).contains(place), "\(outcome.errors)")
    }

    @Test func `a folder that others may write to is refused for a store and for a socket`() throws
    {
      let open = folder.path + "/open"
      try FileSystem.createPrivateFolder(open)
      chmod(open, 0o777)
      let safe = folder.path + "/safe"
      for arguments in [
        ["--socket", safe + "/s", "--data", open], ["--socket", open + "/s", "--data", safe],
      ] {
        let outcome = try run(Programs.daemon, arguments)
        #expect(outcome.status == 77, "\(arguments) \(outcome.errors)")
        #expect(outcome.errors.contains("may write to the folder \(open)"), "\(outcome.errors)")
        #expect(outcome.errors.contains("chmod go-w \(open)"), "\(outcome.errors)")
      }
      #expect(!FileManager.default.fileExists(atPath: open + "/depot.sqlite"))
      // A folder in it is as good as any.
      let daemon = try TestDaemon(["--data", open + "/own"])
      #expect(try daemon.terminate() == 0)
    }

    @Test func `a client uses and starts no service in a folder that others may write to`() throws {
      let runtime = folder.path + "/run/depot"
      try FileSystem.createPrivateFolder(runtime)
      chmod(runtime, 0o777)
      let outcome = try run(Programs.depot, ["service", "start", "--data", folder.path + "/data"])
      #expect(outcome.status == 77, "\(outcome.errors)")
      #expect(outcome.errors.contains("may write to the folder \(runtime)"), "\(outcome.errors)")
      #expect(try run(Programs.depot, ["count", "Item"]).status == 77)
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: runtime).isEmpty)
    }

    @Test func `a store of a container isn't opened in such a folder`() throws {
      let open = folder.path + "/open"
      try FileSystem.createPrivateFolder(open)
      chmod(open, 0o777)
      let daemon = try TestDaemon()
      let connection = try daemon.connect()
      let request = ContainerRequest("x", stores: [ContainerStore(.path(open + "/x.store"))])
      let error = #expect(throws: DepotError.self) { try connection.openContainer(request) }
      #expect(error?.code == .filePermission)
    }

    @Test(.enabled(if: Programs.isRoot, "only root can give files away"))
    func `folders and links of another user are refused`() throws {
      let foreign = folder.path + "/foreign"
      try FileSystem.createPrivateFolder(foreign)
      chown(foreign, 12_345, 12_345)
      let safe = folder.path + "/safe"
      try FileSystem.createPrivateFolder(safe)
      let link = folder.path + "/link"
      symlink(safe, link)
      lchown(link, 12_345, 12_345)
      for (place, named) in [(foreign, foreign), (link, link), (link + "/deeper/../x", link)] {
        let outcome = try run(Programs.daemon, ["--socket", safe + "/s", "--data", place])
        #expect(outcome.status == 77, "\(place) \(outcome.errors)")
        #expect(outcome.errors.contains("\(named) belongs to user 12345"), "\(outcome.errors)")
      }
      lchown(link, 0, 0)
      let daemon = try TestDaemon(["--data", link])
      #expect(try daemon.terminate() == 0)
    }
  }
}
