import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Signals, the service manager, and the orderly end.
  @Suite(.serialized) struct LifeTests {
    /// An insert of so many rows, whose names begin with `prefix`.
    private func insertion(_ count: Int, prefix: String = "r") -> String {
      let rows = (0..<count).map { "[\"\(prefix) \($0)\"]" }.joined(separator: ",")
      return #"{"entity":"Item","columns":["name"],"rows":[\#(rows)]}"#
    }

    /// Returns a connection that takes none of the rows that it asked for, which keeps the service from
    /// ending before the time for draining is over or the connection is gone.
    private func holdUp(_ daemon: TestDaemon) throws -> RawConnection {
      // More than the buffers of a socket take.
      try daemon.connect().fill(5000, textBytes: 1000)
      let holder = try RawConnection(daemon.socket)
      try holder.call(1, "fetch", #"{"entity":"Item"}"#)
      let isStreaming: Bool? = try poll {
        let list = try daemon.stats()["connections", "list"]?.array ?? []
        return list.contains { ($0["outboundBytes"]?.int64 ?? 0) > 0 } ? true : nil
      }
      try #require(isStreaming == true)
      return holder
    }

    @Test func `at its end the service finishes a write, refuses calls, and tells its clients`()
      throws
    {
      let daemon = try TestDaemon(["--drain-ms", "60000"])
      let holder = try holdUp(daemon)
      let writer = try RawConnection(daemon.socket)
      let idle = try RawConnection(daemon.socket)
      try idle.call(1, "fetch", #"{"entity":"Item"}"#, #","credit":1"#)
      #expect(try idle.receive()["next"] != nil)
      try writer.call(1, "insert", insertion(10_000))
      try writer.send(#"{"ping":1}"#)
      #expect(try writer.receive()["pong"]?.int64 == 1)
      daemon.send(SIGTERM)
      #expect(try idle.receive()["event"]?.string == "draining")
      try idle.call(2, "ping")
      // A stream that waits for its client to ask for more would never end, so the service ends it.
      let answers = try [idle.receive(), idle.receive()]
      #expect(Set(answers.map { $0["id"]?.int64 }) == [1, 2])
      #expect(answers.allSatisfy { $0.errorCode == "unavailable.draining" })
      #expect(answers.allSatisfy { $0["err", "effect"]?.string == "none" })
      let frames = try [writer.receive(), writer.receive()]
      #expect(frames.contains { $0["ok", "inserted"]?.int64 == 10_000 }, "\(frames.map(\.text))")
      #expect(frames.contains { $0["event"]?.string == "draining" })
      #expect(throws: SystemError.self) { try UnixSocket.connect(path: daemon.socket) }
      #expect(try holder.receiveAll().contains { $0["ok"] != nil })
      #expect(try daemon.wait() == 0)
      let log = daemon.store + "-wal"
      let size = try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
      #expect(size ?? 0 == 0, "the log is not empty")
      try daemon.start()
      #expect(try daemon.connect().count(Item.self) == 15_000)
    }

    @Test func `a second signal ends a service that still waits`() throws {
      let daemon = try TestDaemon(["--drain-ms", "60000"])
      let holder = try holdUp(daemon)
      let idle = try RawConnection(daemon.socket)
      daemon.send(SIGTERM)
      #expect(try idle.receive()["event"]?.string == "draining")
      #expect(daemon.process.isRunning)
      daemon.send(SIGINT)
      #expect(try daemon.wait() == 0)
      #expect(try !holder.receiveAll().contains { $0["ok"] != nil })
    }

    @Test func `a watch that waits for a write doesn't hold up the end`() throws {
      let daemon = try TestDaemon(["--drain-ms", "60000"])
      let client = try RawConnection(daemon.socket)
      try client.call(1, "insert", insertion(10_000))
      try client.call(2, "watch", #"{"fetch":{"entity":"Item"}}"#)
      try client.send(#"{"ping":1}"#)
      #expect(try client.receive()["pong"]?.int64 == 1)
      daemon.send(SIGTERM)
      let frames = try client.receiveAll()
      #expect(frames.contains { $0["ok", "inserted"]?.int64 == 10_000 }, "\(frames.map(\.text))")
      #expect(frames.contains { $0["id"]?.int64 == 2 && $0.errorCode == "unavailable.draining" })
      #expect(try daemon.wait() == 0)
    }

    @Test func `the time for draining ends a service whose client doesn't take its rows`() throws {
      let daemon = try TestDaemon(["--drain-ms", "200"])
      let holder = try holdUp(daemon)
      daemon.send(SIGTERM)
      #expect(try daemon.wait() == 0)
      #expect(try !holder.receiveAll().contains { $0["ok"] != nil })
    }

    @Test func `a client may end the service`() throws {
      let daemon = try TestDaemon()
      try daemon.connect().shutdown()
      #expect(try daemon.wait() == 0)
      #expect(!FileManager.default.fileExists(atPath: daemon.socket))
    }

    @Test func `signals that a socket or a full disk raise are ignored`() throws {
      let daemon = try TestDaemon()
      daemon.send(SIGPIPE)
      daemon.send(SIGXFSZ)
      let connection = try daemon.connect()
      try connection.ping()
      let text = try String(contentsOfFile: "/proc/\(daemon.identifier)/status", encoding: .utf8)
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("SigIgn:") })
      let ignored = try #require(UInt64(line.split(separator: "\t")[1], radix: 16))
      for signal in [SIGPIPE, SIGXFSZ] { #expect(ignored & 1 << UInt64(signal - 1) != 0) }
      #expect(try daemon.terminate() == 0)
    }

    @Test func `signals that mean nothing to the service don't end it`() throws {
      let daemon = try TestDaemon()
      for signal in [SIGUSR1, SIGUSR2, SIGALRM] {
        daemon.send(signal)
        try daemon.connect().ping()
      }
      #expect(try daemon.terminate() == 0)
    }

    @Test func `the service manager hears when the service is ready, reloads, and stops`() throws {
      let folder = try TemporaryFolder()
      let path = folder.path + "/notify"
      let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      let descriptor = Descriptor(number)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      let bound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(bound == 0)
      let daemon = try TestDaemon(environment: ["NOTIFY_SOCKET": path], schema: "")
      daemon.send(SIGHUP)
      try expectSoon("no reload") { daemon.log.contains("reloaded") }
      #expect(try daemon.terminate() == 0)
      try descriptor.setNonblocking()
      var messages: [String] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while case let count = recv(number, &buffer, buffer.count, 0), count > 0 {
        messages.append(String(decoding: buffer[..<count], as: UTF8.self))
      }
      #expect(messages.count == 4, "\(messages)")
      #expect(messages.first?.hasPrefix("READY=1\n") == true)
      #expect(messages.dropFirst().first?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
      #expect(messages.last == "STOPPING=1")
    }

    @Test func `the service manager's socket is used and left in place`() throws {
      let folder = try TemporaryFolder()
      let path = folder.path + "/activated"
      let script = """
        import os, socket, sys
        s = socket.socket(socket.AF_UNIX)
        s.bind(sys.argv[1])
        s.listen(10)
        if s.fileno() != 3: os.dup2(s.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
        os.execv(sys.argv[2], sys.argv[2:])
        """
      let service = try Program([
        "python3", "-c", script, path, Programs.daemon, "--store", folder.path + "/x.sqlite",
      ])
      let connection = try #require(poll { try? RawConnection(path) })
      try connection.call(1, "ping")
      #expect(try connection.receive()["ok"] != nil)
      service.process.signal(SIGTERM)
      #expect(try service.wait().status == 0)
      #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `a reload reads the threshold of slow calls again, and survives a wrong file`()
      throws
    {
      let folder = try TemporaryFolder()
      let file = try folder.write("slow-ms 60000\n", to: "config")
      let daemon = try TestDaemon(["--config", file])
      try daemon.connect().fill(2000)
      #expect(!daemon.log.contains("slow call"))
      _ = try folder.write("slow-ms 0\n", to: "config")
      daemon.send(SIGHUP)
      try expectSoon("no reload") { daemon.log.contains("msg=reloaded") }
      try daemon.connect().ping()
      try expectSoon("no slow call") { daemon.log.contains("slow call") }
      _ = try folder.write("slow-ms\n", to: "config")
      daemon.send(SIGHUP)
      try expectSoon("no message") { daemon.log.contains("not reloaded") }
      try daemon.connect().ping()
    }
  }
}
