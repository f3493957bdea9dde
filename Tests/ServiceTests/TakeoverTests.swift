import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// One service in the place of another.
  @Suite(.serialized) struct TakeoverTests {
    @Test func `under load, takeovers turn nobody away and lose no write`() async throws {
      let daemon = try TestDaemon()
      let (isOver, connections, writes) = (Flag(), Counter(), Counter())
      let path = daemon.socket
      let written = try await withThrowingTaskGroup(of: Int.self) { group in
        for writer in 0..<4 {
          group.addTask {
            let client = try await Client(socket: SocketPath(path))
            var count = 0
            while !isOver.value {
              do {
                try await client.insert([Item(name: "w\(writer) \(count)", n: count)])
              } catch {
                Issue.record("writer \(error)")
                throw error
              }
              count += 1
              writes.add()
            }
            return count
          }
        }
        group.addTask {
          while !isOver.value {
            do { _ = try RawConnection(path) } catch {
              Issue.record("raw \(error)")
              throw error
            }
            connections.add()
            try await Task.sleep(for: .milliseconds(1))
          }
          return 0
        }
        for takeover in 1...6 {
          try await expectSoon { connections.value > 20 * takeover && writes.value > 20 * takeover }
          if takeover < 6 { #expect(try daemon.takeOver() == 0) }
        }
        isOver.set()
        return try await group.reduce(0, +)
      }
      #expect(connections.value > 100)
      #expect(written > 100)
      let items = try daemon.connect().fetch(Item.self)
      #expect(items.count == written)
      #expect(Set(items.map(\.name)).count == written)
      #expect(try daemon.stats()["server", "pid"]?.int64 == Int64(daemon.identifier))
      #expect(try daemon.terminate() == 0)
      #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `the first service finishes what was started, and tells its clients`() throws {
      let daemon = try TestDaemon()
      let writer = try RawConnection(daemon.socket)
      let rows = (0..<10_000).map { "[\"r \($0)\"]" }.joined(separator: ",")
      let insert = #"{"entity":"Item","columns":["name"],"rows":[\#(rows)]}"#
      try writer.call(1, "insert", insert)
      try writer.send(#"{"ping":1}"#)
      #expect(try writer.receive()["pong"]?.int64 == 1)
      #expect(try daemon.takeOver() == 0)
      let frames = try writer.receiveAll()
      #expect(frames.contains { $0["ok", "inserted"]?.int64 == 10_000 })
      #expect(frames.contains { $0["event"]?.string == "draining" })
      #expect(try daemon.connect().count(Item.self) == 10_000)
    }

    @Test func `a client that was accepted but said nothing gets its welcome from the second`()
      throws
    {
      let daemon = try TestDaemon()
      let silent = try RawConnection(daemon.socket, hello: false)
      try daemon.connect().ping()
      #expect(try daemon.takeOver() == 0)
      try silent.send(#"{"hello":{"protocol":[1,1]}}"#)
      let answer = try silent.receive()
      #expect(answer["welcome", "server", "pid"]?.int64 == Int64(daemon.identifier))
    }

    @Test func `however many clients have said nothing, none is lost`() throws {
      let daemon = try TestDaemon()
      let silent = try (0..<252).map { _ in try RawConnection(daemon.socket, hello: false) }
      try daemon.connect().ping()
      #expect(try daemon.takeOver() == 0)
      for client in silent {
        try client.send(#"{"hello":{"protocol":[1,1]}}"#)
        let answer = try client.receive()
        #expect(answer["welcome", "server", "pid"]?.int64 == Int64(daemon.identifier))
      }
    }

    @Test func `a service that fails to take over leaves the first one serving`() throws {
      let daemon = try TestDaemon()
      try daemon.connect().fill(100)
      let command = [Programs.daemon, "--takeover", "--socket", daemon.socket, "--store"]
      let other = try Program.run(command + [daemon.folder.path + "/other.sqlite"])
      #expect(other.status == 64)
      #expect(other.errors.contains("has the store"), "\(other.errors)")
      #expect(try daemon.connect().count(Item.self) == 100)

      // One that gets the socket and then ends.
      let broken = try RawConnection(daemon.socket)
      let silent = try RawConnection(daemon.socket, hello: false)
      try daemon.connect().ping()
      try broken.call(1, "takeover", #"{"store":"\#(daemon.storeName)"}"#)
      #expect(try broken.receive()["ok", "descriptors"]?.array?.count == 3)
      broken.descriptor.endSending()
      try silent.send(#"{"hello":{"protocol":[1,1]}}"#)
      #expect(try silent.receive()["welcome", "server", "pid"]?.int64 == Int64(daemon.identifier))
      #expect(try daemon.connect().count(Item.self) == 100)
      #expect(daemon.log.contains("serving again"))
      #expect(try daemon.takeOver() == 0)
      #expect(try daemon.connect().count(Item.self) == 100)
    }

    @Test func `the service manager's socket goes on from service to service`() throws {
      let folder = try TemporaryFolder()
      let (path, store) = (folder.path + "/activated", folder.path + "/x.sqlite")
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
      let first = try Program(["python3", "-c", script, path, Programs.daemon, "--store", store])
      _ = try #require(poll { try? RawConnection(path) })
      let second = try Program([
        Programs.daemon, "--takeover", "--socket", path, "--store", store,
      ])
      #expect(try first.wait().status == 0)
      let connection = try RawConnection(path)
      try connection.call(1, "stats")
      let identifier = try connection.receive()["ok", "server", "pid"]?.int64
      #expect(identifier == Int64(second.process.identifier))
      second.process.signal(SIGTERM)
      #expect(try second.wait().status == 0)
      #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `without a service there is nothing to take over`() throws {
      let daemon = try TestDaemon()
      daemon.kill()
      _ = try daemon.takeOver()
      let connection = try #require(poll { try? daemon.connect() })
      #expect(try connection.count(Item.self) == 0)
    }

    @Test func `a second service that doesn't ask to take over is still refused`() throws {
      let daemon = try TestDaemon()
      #expect(try daemon.takeOver() == 0)
      let other = try Program.run([
        Programs.daemon, "--socket", daemon.socket, "--store", daemon.store,
      ])
      #expect(other.status == 75)
      #expect(other.errors.contains("process \(daemon.identifier)"), "\(other.errors)")
    }
  }
}
