import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// How a service comes to its socket and its store, and who else may not.
  @Suite(.serialized) struct StartTests {
    @Test func `a second service on the same store ends with 75 and names the first`() throws {
      let daemon = try TestDaemon()
      let second = try Program.run([
        Programs.daemon, "--socket", daemon.folder.path + "/other", "--store", daemon.store,
      ])
      #expect(second.status == 75)
      #expect(second.errors.contains("\(daemon.identifier)"), "\(second.errors)")
      #expect(second.errors.contains(daemon.store))
      _ = try RawConnection(daemon.socket)
    }

    @Test func `a second service on the same socket ends with 75 and names the first`() throws {
      let daemon = try TestDaemon()
      let other = daemon.folder.path + "/other.sqlite"
      let second = try Program.run([Programs.daemon, "--socket", daemon.socket, "--store", other])
      #expect(second.status == 75)
      #expect(second.errors.contains("\(daemon.identifier)"), "\(second.errors)")
      #expect(!FileManager.default.fileExists(atPath: other), "the store was touched")
      _ = try RawConnection(daemon.socket)
    }

    @Test func `a listener that has no lock isn't pushed aside`() throws {
      let folder = try TemporaryFolder()
      let path = folder.path + "/s"
      let listener = try UnixSocket.listen(path: path)
      let outcome = try Program.run([
        Programs.daemon, "--socket", path, "--store", folder.path + "/x.sqlite",
      ])
      #expect(outcome.status == 75)
      _ = try UnixSocket.connect(path: path)
      withExtendedLifetime(listener) {}
    }

    @Test func `the socket that a killed service left is replaced, and the lock file stays`() throws
    {
      let daemon = try TestDaemon()
      daemon.kill()
      #expect(FileManager.default.fileExists(atPath: daemon.socket))
      try daemon.start()
      #expect(try daemon.terminate() == 0)
      #expect(!FileManager.default.fileExists(atPath: daemon.socket))
      #expect(FileManager.default.fileExists(atPath: daemon.socket + ".lock"))
      let left = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)
      #expect(Set(left.filter { $0.hasPrefix("s.") }) == ["s.lock", "s.service"])
    }

    @Test func `a file at the socket's path is refused and stays as it was`() throws {
      let folder = try TemporaryFolder()
      let path = try folder.write("precious", to: "s")
      let outcome = try Program.run([
        Programs.daemon, "--socket", path, "--store", folder.path + "/x.sqlite",
      ])
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains(path))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    }

    @Test func `a socket's path may have 107 bytes and not one more`() throws {
      let folder = try TemporaryFolder()
      let longest = folder.path + "/" + String(repeating: "p", count: 106 - folder.path.utf8.count)
      #expect(longest.utf8.count == 107)
      let daemon = try TestProcess(
        [Programs.daemon, "--socket", longest, "--store", folder.path + "/x.sqlite"],
        errors: .nothing
      )
      let connection = try poll {
        if !daemon.isRunning { throw DepotError(.usage, "it ended") }
        return try? RawConnection(longest)
      }
      #expect(connection != nil)
      let tooLong = longest + "p"
      let outcome = try Program.run([
        Programs.daemon, "--socket", tooLong, "--store", folder.path + "/y.sqlite",
      ])
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("108"), "\(outcome.errors)")
      #expect(outcome.errors.contains("107"), "\(outcome.errors)")
      let client = try Program.run([Programs.depot, "--socket", tooLong, "--no-start", "ping"])
      #expect(client.status == 64)
      #expect(client.errors.contains("108"), "\(client.errors)")
    }

    @Test func `a client never fails to connect while the service is replaced fifty times`() throws
    {
      let daemon = try TestDaemon()
      let socket = daemon.socket
      // The socket that it leaves behind refuses, but is there.
      daemon.kill()
      let isDone = Flag()
      let attempts = Counter()
      let failures = Counter()
      try inParallel(2) { index in
        if index == 0 {
          while !isDone.value {
            do {
              _ = try UnixSocket.connect(path: socket)
              attempts.add()
            } catch let error as SystemError where error.wouldBlock {
              continue
            } catch let error as SystemError {
              // A killed service's socket refuses until the next one has taken its place.
              if error.code != ECONNREFUSED { failures.add() }
            }
          }
        } else {
          defer { isDone.set() }
          let command = [Programs.daemon, "--socket", socket, "--store", socket + ".sqlite"]
          for _ in 0..<50 {
            let service = try TestProcess(command, errors: .nothing)
            let ready = try poll {
              guard service.isRunning else { throw DepotError(.noService, "it ended") }
              return try? RawConnection(socket)
            }
            #expect(ready != nil)
            service.kill()
          }
        }
      }
      #expect(failures.value == 0, "of \(attempts.value)")
      #expect(attempts.value > 50)
    }

    @Test func `a service whose standard descriptors are closed doesn't give them to its store`()
      throws
    {
      let daemon = try TestDaemon(suffix: "<&- >&- 2>&-")
      for number in 0...2 {
        let link = "/proc/\(daemon.identifier)/fd/\(number)"
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
      }
      try daemon.connect().fill(10)
      #expect(try daemon.terminate() == 0)
    }

    @Test func `it can check a store, and refuses to while another service has it`() throws {
      let daemon = try TestDaemon()
      try daemon.connect().fill(100)
      let busy = try Program.run([Programs.daemon, "--check", "--store", daemon.store])
      #expect(busy.status == 75)
      #expect(try daemon.terminate() == 0)
      let free = try Program.run([Programs.daemon, "--check", "--store", daemon.store])
      #expect(free.status == 0, "\(free.errors)")
    }
  }
}
