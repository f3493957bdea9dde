import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

extension ServiceTests {
  /// A service that gets no more threads or descriptors.
  @Suite(.serialized) struct ThreadLimitTests {
    private static let user: UInt32 = 54_321

    /// Starts a service whose user may have so many threads.
    private func serve(threads: Int, in folder: TemporaryFolder) throws -> TestProcess {
      chown(folder.path, Self.user, Self.user)
      let process = try TestProcess(
        [
          "setpriv", "--reuid", "\(Self.user)", "--regid", "\(Self.user)", "--clear-groups",
          "prlimit", "--nproc=\(threads):\(threads)", Programs.daemon,
          "--socket", folder.path + "/s", "--data", folder.path,
        ],
        output: .file(folder.path + "/log"),
        errors: .file(folder.path + "/log")
      )
      _ = try #require(poll { try? RawConnection(folder.path + "/s") })
      return process
    }

    @Test(.enabled(if: Programs.isRoot, "root has no limit, and only root can become others"))
    func `a long read for which there is no thread is refused at once, and the service can end`()
      throws
    {
      let folder = try TemporaryFolder()
      // The loop's and the store's.
      let process = try serve(threads: 2, in: folder)
      let connection = try RawConnection(folder.path + "/s")
      try connection.call(1, "schema.define", #"{"schema":\#(TestDaemon.schema)}"#)
      #expect(try connection.receive()["ok"] != nil)
      let text = String(repeating: "x", count: 500)
      let rows = (0..<8000).map { "[\"row \($0)\",\"\(text)\"]" }.joined(separator: ",")
      let insertion = #"{"entity":"Item","columns":["name","text"],"rows":[\#(rows)]}"#
      try connection.call(2, "insert", insertion)
      #expect(try connection.receive()["ok"] != nil)
      try connection.call(3, "check")
      #expect(try connection.receive().errorCode == "unavailable.busy")
      try connection.call(
        4,
        "fetch",
        #"{"entity":"Item","sort":[{"attribute":"text"}],"select":["name"]}"#
      )
      #expect(try connection.receive().errorCode == "unavailable.busy")
      try connection.call(5, "pin")
      #expect(try connection.receive().errorCode == "unavailable.busy")
      // Many at once, of which none waits for another.
      for id in 10..<40 { try connection.call(id, "check") }
      for _ in 10..<40 { #expect(try connection.receive().errorCode == "unavailable.busy") }
      // A deadline and a cancel are heard as ever: each call has one end.
      for id in 40..<45 { try connection.call(id, "check", "{}", #","deadlineMs":1"#) }
      for id in 45..<50 {
        try connection.call(id, "check")
        try connection.send(#"{"cancel":true,"id":\#(id)}"#)
      }
      for _ in 40..<50 {
        let code = try connection.receive().errorCode ?? ""
        let codes = ["unavailable.busy", "deadline.passed", "cancelled.by_client"]
        #expect(codes.contains(code), "\(code)")
      }
      try connection.call(50, "count", #"{"entity":"Item"}"#)
      #expect(try connection.receive()["ok"] != nil)
      // A short answer needs no thread, with credit or without.
      for (id, credit) in [(51, ""), (52, #","credit":1"#)] {
        try connection.call(id, "fetch", #"{"entity":"Item","where":"$id < 4"}"#, credit)
        #expect(try connection.receive()["next"] != nil)
        #expect(try connection.receive()["ok"] != nil)
      }
      process.signal(SIGTERM)
      #expect(process.wait(within: patience) == 0)
    }

    @Test(.enabled(if: Programs.isRoot, "root has no limit, and only root can become others"))
    func `with one thread for reads, each is answered or refused`() throws {
      let folder = try TemporaryFolder()
      let process = try serve(threads: 3, in: folder)
      let connection = try RawConnection(folder.path + "/s")
      try connection.call(1, "check")
      #expect(try connection.receive()["ok"] != nil)
      for id in 10..<40 { try connection.call(id, "check") }
      for _ in 10..<40 {
        let answer = try connection.receive()
        #expect(answer["ok"] != nil || answer.errorCode == "unavailable.busy", "\(answer.text)")
      }
      process.signal(SIGTERM)
      #expect(process.wait(within: patience) == 0)
    }

    @Test func `what needs a descriptor that there isn't is busy, and to be tried again`() throws {
      let daemon = try TestDaemon()
      let first = try RawConnection(daemon.socket)
      func limit(_ number: Int) throws {
        let limit = ["prlimit", "--pid", "\(daemon.identifier)", "--nofile=\(number):1024"]
        #expect(try Program.run(limit).status == 0)
      }
      // Fewer than it has open.
      try limit(4)
      let calls = [
        ("container.open", #"{"name":"x","stores":[{"file":"x.store"}]}"#), ("check", "{}"),
        ("backup", "{}"), ("pin", "{}"),
      ]
      var refusals = 0
      for (id, call) in calls.enumerated() {
        try first.call(id + 1, call.0, call.1)
        let answer = try first.receiveAnswer(of: id + 1).terminal
        guard let code = answer.errorCode else { continue }
        refusals += 1
        #expect(["unavailable.busy", "limit.stores"].contains(code), "\(call.0): \(answer.text)")
        #expect(answer["err", "retry"]?.string == "later", "\(call.0): \(answer.text)")
      }
      #expect(refusals > 0)
      try limit(1024)
      var id = 100
      try expectSoon("it stays so") {
        id += 1
        try first.call(id, "check")
        return try first.receiveAnswer(of: id).terminal["ok"] != nil
      }
    }

    @Test func `a start for which there are too few descriptors is busy, and to be tried again`()
      throws
    {
      let folder = try TemporaryFolder()
      var failures = 0
      for limit in 6...22 {
        let process = try TestProcess(
          [
            "prlimit", "--nofile=\(limit):\(limit)", Programs.daemon, "--socket",
            folder.path + "/s", "--data", folder.path + "/data",
          ],
          output: .file(folder.path + "/log\(limit)"),
          errors: .file(folder.path + "/log\(limit)")
        )
        try expectSoon("it does nothing") {
          !process.isRunning || (try? RawConnection(folder.path + "/s")) != nil
        }
        guard let status = process.status else { continue }
        failures += 1
        let log = try String(contentsOfFile: folder.path + "/log\(limit)", encoding: .utf8)
        #expect(status == 75, "\(limit): \(log)")
      }
      #expect(failures > 5)
    }
  }
}
