import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Other users at the socket; the tests become them, so they must run as root.
  @Suite(
    .serialized,
    .enabled(if: Programs.isRoot, "only root can become other users")
  )
  struct AccessTests {
    /// Connects as another user, such as 1000, or 1000:20,30 with supplementary groups, sends hello and
    /// calls, and prints every frame that comes.
    private static let script = """
      import json, os, socket, struct, sys
      user, _, groups = sys.argv[2].partition(":")
      os.setgroups([int(group) for group in groups.split(",") if group])
      os.setgid(int(user)); os.setuid(int(user))
      s = socket.socket(socket.AF_UNIX)
      s.settimeout(10)
      try:
          s.connect(sys.argv[1])
      except PermissionError:
          print("EACCES"); sys.exit(0)
      for frame in [{"hello": {"protocol": [1, 1]}}] + [json.loads(a) for a in sys.argv[3:]]:
          data = json.dumps(frame).encode()
          try:
              s.sendall(struct.pack(">I", len(data)) + data)
          except BrokenPipeError:
              pass
      file = s.makefile("rb")
      for _ in sys.argv[2:]:
          head = file.read(4)
          if len(head) < 4: break
          frame = json.loads(file.read(struct.unpack(">I", head)[0]))
          body = frame.get("err", frame)
          print(body.get("code") or "ok" if "welcome" not in frame else "welcome")
      """

    private func ask(
      _ daemon: TestDaemon,
      as user: Int,
      in groups: [Int] = [],
      _ calls: String...
    ) throws -> [Substring] {
      let identity = "\(user):" + groups.map(String.init).joined(separator: ",")
      let outcome = try Program.python(Self.script, [daemon.socket, identity] + calls)
      #expect(outcome.status == 0, "\(outcome.errors)")
      return outcome.lines
    }

    private static let read = #"{"id":1,"call":"count","args":{"entity":"Item"}}"#
    private static let write = """
      {"id":2,"call":"insert","args":{"entity":"Item","columns":["name"],"rows":[["a"]]}}
      """
    private static let end = #"{"id":3,"call":"shutdown","args":{}}"#

    @Test func `another user can't even connect by default`() throws {
      let daemon = try TestDaemon()
      #expect(try ask(daemon, as: 1000, Self.read) == ["EACCES"])
      #expect(try ask(daemon, as: 0, Self.read) == ["welcome", "ok"])
    }

    @Test func `a user who isn't named is told so before anything else`() throws {
      let daemon = try TestDaemon(["--allow-uid", "1001"])
      #expect(try ask(daemon, as: 1000, Self.read) == ["permission.peer"])
      #expect(try daemon.stats()["connections", "refused"]?.int64 == 1)
    }

    @Test func `an allowed user reads and writes but doesn't end the service`() throws {
      let daemon = try TestDaemon(["--allow-uid", "1000", "--allow-gid", "1002"])
      for user in [1000, 1002] {
        let frames = try ask(daemon, as: user, Self.read, Self.end)
        #expect(frames.sorted() == ["ok", "permission.op", "welcome"])
      }
      #expect(try ask(daemon, as: 1000, Self.write) == ["welcome", "ok"])
      #expect(try daemon.connect().count(Item.self) == 1)
    }

    @Test func `a user is let in by name`() throws {
      let number = try #require(UserDatabase.user("nobody"))
      let daemon = try TestDaemon(["--allow-user", "nobody"])
      #expect(try ask(daemon, as: Int(number), Self.write) == ["welcome", "ok"])
      #expect(try ask(daemon, as: 1000, Self.read) == ["permission.peer"])
    }

    @Test func `a member of a group is let in, also if it isn't the primary one`() throws {
      let number = Int(try #require(UserDatabase.group("users")))
      let daemon = try TestDaemon(["--allow-group", "users"])
      #expect(try ask(daemon, as: 1000, Self.write) == ["permission.peer"])
      #expect(try ask(daemon, as: 1000, in: [number], Self.write) == ["welcome", "ok"])
      // More than fit into the memory that is tried first.
      let many = Array(2000..<2200) + [number]
      #expect(try ask(daemon, as: 1000, in: many, Self.read) == ["welcome", "ok"])
      #expect(try ask(daemon, as: 1000, in: Array(2000..<2200), Self.read) == ["permission.peer"])
    }

    @Test func `a group of readers reads and doesn't write`() throws {
      let daemon = try TestDaemon(["--read-only-group", "2001"])
      let frames = try ask(daemon, as: 1000, in: [2001], Self.read, Self.write)
      #expect(frames.sorted() == ["ok", "permission.op", "welcome"])
    }

    @Test func `a reader reads and doesn't write`() throws {
      let daemon = try TestDaemon(["--read-only-uid", "1000"])
      let frames = try ask(daemon, as: 1000, Self.read, Self.write, Self.end)
      #expect(frames.sorted() == ["ok", "permission.op", "permission.op", "welcome"])
      #expect(try daemon.connect().count(Item.self) == 0)
    }

    @Test func `a reload lets another user in, and out again`() throws {
      let folder = try TemporaryFolder()
      let file = try folder.write("# nobody\n", to: "config")
      let daemon = try TestDaemon(["--config", file])
      #expect(try ask(daemon, as: 1000, Self.read) == ["EACCES"])
      _ = try folder.write("allow-uid 1000\n", to: "config")
      daemon.send(SIGHUP)
      try expectSoon("not let in") { try ask(daemon, as: 1000, Self.read) == ["welcome", "ok"] }
      _ = try folder.write("allow-uid 1001\n", to: "config")
      daemon.send(SIGHUP)
      try expectSoon("not refused") { try ask(daemon, as: 1000, Self.read) == ["permission.peer"] }
    }
  }
}
