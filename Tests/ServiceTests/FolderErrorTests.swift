import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

extension ServiceTests {
  /// Folders that can't be made or written, and what killed programs have left in others.
  @Suite(.serialized) struct FolderErrorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Calls `body` with a file system of its own.
    private func withDisk(_ options: String, _ body: (_ path: String) throws -> Void) throws {
      let disk = folder.path + "/disk"
      try FileSystem.createPrivateFolder(disk)
      let mount = try Program.run(["mount", "-t", "tmpfs", "-o", options, "none", disk])
      try #require(mount.status == 0, "\(mount.errors)")
      defer { _ = try? Program.run(["umount", "-l", disk]) }
      try body(disk)
    }

    /// Opens a container whose store gets a folder of its own beside the service's store, which can't be made.
    private func refusal(_ data: String, as user: UInt32? = nil) throws -> DepotError? {
      let socket = folder.path + "/s"
      let prefix = user.map { ["setpriv", "--reuid", "\($0)", "--clear-groups"] } ?? []
      let process = try TestProcess(
        prefix + [Programs.daemon, "--socket", socket, "--data", data],
        output: .nothing,
        errors: .file(folder.path + "/log")
      )
      defer {
        process.signal(SIGTERM)
        _ = process.wait(within: patience)
      }
      _ = try #require(poll { try? RawConnection(socket) })
      // The store is there; now nothing more can be made beside it.
      try prepare(data)
      let connection = try BlockingConnection(socket: SocketPath(socket), name: "tests")
      let request = ContainerRequest("x", stores: [ContainerStore(.file("x.store"))])
      let error = #expect(throws: DepotError.self) { try connection.openContainer(request) }
      #expect(try connection.containers().map(\.name) == ["default"])
      return error
    }

    private func prepare(_ data: String) throws {
      if data.hasSuffix("/closed") { chmod(data, 0o500) }
      guard data.hasPrefix(folder.path + "/disk") else { return }
      // All names that the file system has are given away.
      for number in 0..<100_000 {
        let file = Glibc.open("\(data)/\(number)", O_CREAT | O_WRONLY, 0o600)
        guard file >= 0 else { return }
        close(file)
      }
    }

    @Test(.enabled(if: Programs.isRoot, "only root can become others"))
    func `a container whose folder may not be made is a matter of permission`() throws {
      let data = folder.path + "/closed"
      try FileSystem.createPrivateFolder(data)
      chmod(folder.path, 0o755)
      for path in [data, folder.path] { chown(path, 54_321, 54_321) }
      let error = try #require(try refusal(data, as: 54_321))
      #expect(error.code == .filePermission, "\(error)")
      #expect(error.message.contains(data + "/stores"), "\(error)")
      #expect(error.code.exitStatus == 77)
    }

    @Test(.enabled(if: Programs.isRoot, "mounting needs root"))
    func `a container whose folder finds no room for its name says that the disk is full`() throws {
      try withDisk("size=64m,nr_inodes=200") { disk in
        let error = try #require(try refusal(disk))
        #expect(error.code == .full, "\(error)")
        #expect(error.retry == .later)
      }
    }

    @Test(.enabled(if: Programs.isRoot, "mounting needs root"))
    func `a container on a disk that can't be written says so`() throws {
      try withDisk("size=4m") { disk in
        let remount = try Program.run(["mount", "-o", "remount,ro", disk])
        try #require(remount.status == 0, "\(remount.errors)")
        let daemon = try TestDaemon()
        let request = ContainerRequest("x", stores: [ContainerStore(.path(disk + "/x.store"))])
        let error = try #require(
          #expect(throws: DepotError.self) { try daemon.connect().openContainer(request) }
        )
        #expect(error.code == .readOnly, "\(error)")
        let cli = try daemon.depot(["container", "open", "x", "--path", disk + "/x.store"])
        #expect(cli.status == error.code.exitStatus, "\(cli.errors)")
      }
    }

    @Test(.enabled(if: Programs.isRoot, "mounting needs root"), arguments: [[], ["--sqlite"]])
    func `an export of everything to a full disk says that it is full`(options: [String]) throws {
      let daemon = try TestDaemon()
      try daemon.connect().fill(4000, textBytes: 1000)
      try withDisk("size=1m") { disk in
        let target = options.isEmpty ? disk + "/all" : disk + "/all.sqlite"
        let way = options.isEmpty ? "--all" : "--sqlite"
        let outcome = try daemon.depot(["export", way, target])
        #expect(outcome.errors.contains("storage.full"), "\(outcome.errors)")
        #expect(outcome.status == DepotError.Code.full.exitStatus, "\(outcome.errors)")
      }
    }

    @Test(.enabled(if: Programs.isInstalled("strace")))
    func `a backup that was killed leaves a part that doctor names and removes`() throws {
      let daemon = try TestDaemon()
      try daemon.connect().fill(300, textBytes: 500)
      let places = [folder.path + "/b.sqlite", folder.path + "/all"]
      let shop = ["container", "open", "shop", "--file", "shop.store"]
      #expect(try daemon.depot(shop).status == 0)
      for place in places {
        let outcome = try Program.run([
          "strace", "-f", "-o", "/dev/null", "-e", "trace=fsync", "-e",
          "inject=fsync:signal=SIGKILL:when=1", Programs.depot, "--socket", daemon.socket, "backup",
          place,
        ])
        #expect(outcome.status != 0)
        #expect(!FileManager.default.fileExists(atPath: place))
      }
      let left = folder.names
      #expect(left.contains("b.sqlite.part"), "\(left)")
      let found = try daemon.depot(["doctor", folder.path, "-o", "table"])
      for name in left where name.contains(".part") {
        #expect(found.output.contains(folder.path + "/" + name), "\(found.output)")
      }
      #expect(try daemon.depot(["doctor", folder.path, "--clean"]).status == 0)
      #expect(folder.names.filter { $0.contains("b.sqlite") || $0.contains("all") } == [])
    }
  }
}
