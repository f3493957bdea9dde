import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Many rows, and clients that take them in their own time.
  @Suite(.serialized) struct StreamTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon(["--stall-ms", "800"])
      try daemon.connect().fill(20_000, textBytes: 200)
    }

    private static let all = #"{"entity":"Item"}"#

    @Test func `a client that leaves rows lying costs little, disturbs nobody, and gets all later`()
      throws
    {
      try daemon.connect().fillMore(60_000)
      let idle = try daemon.status("VmRSS")
      let greedy = try (0..<4).map { _ in
        let connection = try RawConnection(daemon.socket)
        try connection.call(1, "fetch", Self.all)
        return connection
      }
      let other = try daemon.connect()
      for id in 1...50 { _ = try other.get(Identifier<Item>(Int64(id))) }
      // That is longer than answers that aren't rows would wait.
      DepotLinux.Process.sleep(milliseconds: 2000)
      #expect(!daemon.log.contains("client cut off"))
      #expect(try daemon.status("VmHWM") - idle < 32 << 10, "KiB")
      for connection in greedy {
        #expect(try connection.receiveAnswer(of: 1).terminal["ok", "rows"]?.int64 == 80_000)
      }
    }

    @Test func `a client that takes no answers is cut off and told`() throws {
      let connection = try RawConnection(daemon.socket)
      let other = try daemon.connect()
      try other.update(
        Item.self,
        where: #Predicate { $0.n == 0 },
        set: [
          .set(\.text, to: String(repeating: "z", count: 1 << 20))
        ]
      )
      for id in 1...8 { try connection.call(id, "get", #"{"entity":"Item","ids":[1]}"#) }
      try expectSoon("it isn't cut off") { daemon.log.contains("client cut off") }
      let frames = try connection.receiveAll()
      #expect(frames.last?.errorCode == "limit.outbound_bytes")
      try expectSoon("their connections stay") {
        try daemon.stats()["connections", "current"]?.int64 == 2
      }
    }

    @Test func `a client that is slow but steady gets everything`() throws {
      // The age of a stream's snapshot is bounded by the same setting, so this takes the default.
      let daemon = try TestDaemon()
      try daemon.connect().fill(20_000, textBytes: 200)
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "fetch", Self.all)
      var rows = 0
      while true {
        let frame = try connection.receive()
        if let end = frame["ok"] {
          #expect(end["rows"]?.int64 == 20_000)
          break
        }
        rows += try #require(frame["next"]?.array).count
        DepotLinux.Process.sleep(milliseconds: 20)
      }
      #expect(rows == 20_000)
    }

    @Test func `no more frames come than there is credit for`() throws {
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "fetch", Self.all, #","credit":2"#)
      for _ in 0..<2 { #expect(try connection.receive()["next"] != nil) }
      #expect(try connection.receiveIfAny(within: .milliseconds(150)) == nil)
      try connection.send(#"{"id":1,"more":3}"#)
      for _ in 0..<3 { #expect(try connection.receive()["next"] != nil) }
      #expect(try connection.receiveIfAny(within: .milliseconds(150)) == nil)
      try connection.send(#"{"id":1,"more":1000}"#)
      let (_, end) = try connection.receiveAnswer(of: 1)
      #expect(end["ok", "rows"]?.int64 == 20_000)
    }

    @Test func `a cancelled stream has one terminal frame and the connection goes on`() throws {
      for credit in ["", #","credit":1"#] {
        let connection = try RawConnection(daemon.socket)
        try connection.call(1, "fetch", Self.all, credit)
        _ = try connection.receive()
        try connection.send(#"{"id":1,"cancel":true}"#)
        try connection.send(#"{"id":1,"cancel":true}"#)
        try connection.call(2, "fetch", Self.all)
        var terminals: [Int64: Int] = [:]
        while terminals[2] == nil || terminals[1] == nil {
          let frame = try connection.receive()
          let id = try #require(frame["id"]?.int64)
          if frame["next"] == nil { terminals[id, default: 0] += 1 }
          if id == 1, let code = frame.errorCode { #expect(code == "cancelled.by_client") }
        }
        #expect(try connection.receiveIfAny(within: .milliseconds(50)) == nil)
        #expect(terminals == [1: 1, 2: 1])
      }
    }

    @Test func `a deadline ends a stream in its middle`() throws {
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "fetch", Self.all, #","credit":1,"deadlineMs":100"#)
      let (next, end) = try connection.receiveAnswer(of: 1)
      #expect(next.count == 1)
      #expect(end.errorCode == "deadline.passed")
      #expect(end["err", "effect"]?.string == "none")
    }

    @Test func `a stream goes on whenever its client comes back for more`() throws {
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "fetch", Self.all, #","credit":1"#)
      #expect(try connection.receive()["next"] != nil)
      try daemon.connect().delete(Item.self, where: #Predicate { $0.n >= 0 })
      #expect(try connection.receiveIfAny(within: .milliseconds(2000)) == nil)
      #expect(try daemon.stats()["readers", "parked"]?.int64 == 1)
      try connection.send(#"{"id":1,"more":1000}"#)
      #expect(try connection.receiveAnswer(of: 1).terminal["ok", "rows"]?.int64 == 20_000)
    }

    @Test func `a stream whose snapshot keeps too much of the log expires, and says so`() throws {
      let daemon = try TestDaemon(["--log-mib", "8"])
      let writer = try daemon.connect()
      try writer.fill(20_000, textBytes: 200)
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "fetch", Self.all, #","credit":1"#)
      #expect(try connection.receive()["next"] != nil)
      var text = String(repeating: "z", count: 1 << 20)
      try expectSoon("the stream stays") {
        text += "y"
        try writer.update(Item.self, where: #Predicate { $0.n == 0 }, set: [.set(\.text, to: text)])
        return try daemon.stats()["readers", "parked"]?.int64 == 0
      }
      let end = try connection.receive()
      #expect(end.errorCode == "stream.expired")
      #expect(end["err", "hint"]?.string?.contains("after") == true)
      try connection.call(2, "ping")
      #expect(try connection.receive()["ok"] != nil)
    }

    @Test func `reading three hundred thousand rows costs neither side more than 32 MiB`() throws {
      try daemon.connect().fillMore(280_000)
      try #require(try daemon.terminate() == 0)
      try daemon.start()
      let idle = try daemon.status("VmRSS")
      let script = """
        import resource, subprocess, sys
        subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        """
      func peak(_ arguments: String...) throws -> Int {
        let command = [Programs.depot, "--socket", daemon.socket] + arguments
        let outcome = try Program.python(script, command)
        return try #require(Int(outcome.output.dropLast()), "\(outcome.errors)")
      }
      let ping = try peak("ping")
      #expect(try peak("fetch", "Item") - ping <= 32 << 10, "KiB")
      #expect(try daemon.status("VmHWM") - idle <= 32 << 10, "KiB")
    }
  }
}

extension BlockingConnection {
  /// Adds items with other names.
  func fillMore(_ count: Int) throws {
    let text = String(repeating: "y", count: 200)
    for start in stride(from: 0, to: count, by: 10_000) {
      try insert((start..<start + 10_000).map { Item(name: "more \($0)", n: $0, text: text) })
    }
  }
}
