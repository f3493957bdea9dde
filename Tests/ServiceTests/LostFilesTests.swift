import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Files that are taken away from a service that has them.
  @Suite(.serialized) struct LostFilesTests {
    /// Takes something away from a service with a client, and expects that both hear of it.
    private func expectEnd(of daemon: TestDaemon, _ take: () throws -> Void) throws {
      let client = try RawConnection(daemon.socket)
      try client.call(1, "insert", #"{"entity":"Item","columns":["name"],"rows":[["a"]]}"#)
      #expect(try client.receive()["ok"] != nil)
      try client.call(2, "watch", #"{"fetch":{"entity":"Item"}}"#)
      while try client.receive()["kind"]?.string != "live" {}
      try take()
      #expect(try daemon.wait() == 70)
      let ends = try client.receiveAll().filter { $0["err"] != nil }
      #expect(ends.map(\.errorCode) == ["storage.gone", "storage.gone"])
      // The watch gets it as its answer, and the connection as its last frame.
      #expect(ends.map { $0["id"]?.int64 } == [2, nil])
      #expect(ends.map { $0["err", "effect"]?.string } == ["none", "unknown"])
      #expect(daemon.log.contains("while the service had it"), "\(daemon.log)")
    }

    @Test(arguments: [
      "store.sqlite", "store.sqlite-wal", "store.sqlite.state", "store.sqlite.lock",
    ])
    func `a service ends when a file of its store is removed, and its clients hear why`(
      _ name: String
    ) throws {
      let daemon = try TestDaemon()
      let path = daemon.folder.path + "/" + name
      try expectEnd(of: daemon) { try FileManager.default.removeItem(atPath: path) }
    }

    @Test func `a service ends when its store is moved, or replaced by another file`() throws {
      let moved = try TestDaemon()
      try expectEnd(of: moved) {
        try FileManager.default.moveItem(atPath: moved.store, toPath: moved.store + ".old")
      }
      let replaced = try TestDaemon()
      try expectEnd(of: replaced) {
        let copy = replaced.store + ".copy"
        try FileManager.default.copyItem(atPath: replaced.store, toPath: copy)
        try FileSystem.rename(copy, to: replaced.store)
      }
      #expect(replaced.log.contains("was replaced by another"), "\(replaced.log)")
    }

    @Test func `a service whose folder is moved away ends, with clients and without`() throws {
      let folder = try TemporaryFolder()
      for hasClient in [true, false] {
        let place = folder.path + "/\(hasClient)/deep"
        let daemon = try TestDaemon(["--data", place])
        let move = {
          try FileManager.default.moveItem(
            atPath: folder.path + "/\(hasClient)",
            toPath: folder.path + "/\(hasClient)-moved"
          )
        }
        if hasClient {
          try expectEnd(of: daemon, move)
        } else {
          try move()
          #expect(try daemon.wait() == 70)
        }
      }
    }

    @Test func `a service ends when the lock beside its socket is gone, or another file is there`()
      throws
    {
      let lost = try TestDaemon()
      try expectEnd(of: lost) {
        try FileManager.default.removeItem(atPath: lost.socket + ".lock")
      }
      let replaced = try TestDaemon()
      try expectEnd(of: replaced) {
        try Data().write(to: URL(fileURLWithPath: replaced.socket), options: .atomic)
      }
    }

    @Test func `a socket that was removed is there again, and nobody is disconnected`() throws {
      let daemon = try TestDaemon()
      for attempt in 1...3 {
        let client = try RawConnection(daemon.socket)
        try FileManager.default.removeItem(atPath: daemon.socket)
        let other = try #require(poll { try? RawConnection(daemon.socket) })
        for connection in [client, other] {
          try connection.call(1, "ping")
          #expect(try connection.receive()["ok"] != nil, "attempt \(attempt)")
        }
      }
      // Without a client too.
      try FileManager.default.removeItem(atPath: daemon.socket)
      _ = try #require(poll { try? RawConnection(daemon.socket) })
      #expect(try daemon.terminate() == 0)
      #expect(!FileManager.default.fileExists(atPath: daemon.socket))
    }

    /// Runs a program for which the kernel makes no inotify instance.
    private static let withoutNotices = [
      "unshare", "-Ur", "sh", "-c",
      #"echo 0 > /proc/sys/user/max_inotify_instances && exec "$0" "$@""#,
    ]

    @Test(
      .enabled(
        if: (try? Program.run(withoutNotices + ["true"]))?.status == 0,
        "this system allows no user namespaces"
      )
    )
    func `files are checked twice a second where the system gives no notices of them`() throws {
      let daemon = try TestDaemon(prefix: Self.withoutNotices)
      #expect(daemon.log.contains("files are checked twice a second"), "\(daemon.log)")
      try expectEnd(of: daemon) { try FileManager.default.removeItem(atPath: daemon.store) }
    }

    @Test func `a store that is compacted or migrated isn't taken for another one`() throws {
      let daemon = try TestDaemon()
      let connection = try daemon.connect()
      try connection.fill(500)
      _ = try connection.compact()
      var schema = try connection.schema()
      let old = schema.version
      schema.version = SchemaVersion(7, 0, 0)
      try connection.migrate(to: schema, from: old) { _, _ in }
      for name in ["b", "c"] {
        // The files are looked at each half second.
        DepotLinux.Process.sleep(milliseconds: 600)
        let raw = try RawConnection(daemon.socket)
        try raw.call(1, "insert", #"{"entity":"Item","columns":["name"],"rows":[["\#(name)"]]}"#)
        #expect(try raw.receive()["ok"] != nil)
      }
      #expect(try daemon.terminate() == 0)
    }
  }
}
