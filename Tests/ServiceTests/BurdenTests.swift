import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

extension ServiceTests {
  /// Clients that leave much undone within their limits, beside a store that is busy.
  @Suite(.serialized) struct BurdenTests {
    private static let insert = #"{"entity":"Item","columns":["name"],"rows":[["late"]]}"#
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon()
      try daemon.connect().fill(20_000, textBytes: 1000)
    }

    /// Begins a write that goes on for a minute or more, as the call 1 of a connection.
    private func occupy() throws -> RawConnection {
      let connection = try RawConnection(daemon.socket)
      let part = "text LIKE '*x*1*z*' OR text MATCHES '(a|b|x)*y1'"
      let predicate = Array(repeating: "NOT (\(part))", count: 100).joined(separator: " AND ")
      try connection.call(1, "update", #"{"entity":"Item","where":"\#(predicate)","set":{"n":-1}}"#)
      Process.sleep(milliseconds: 200)
      return connection
    }

    /// Ends that write, which must still be going on.
    private func release(_ connection: RawConnection) throws {
      #expect(try connection.receiveIfAny(within: .zero) == nil, "it was over too soon")
      try connection.send(#"{"id":1,"cancel":true}"#)
      #expect(try connection.receive().errorCode == "cancelled.by_client")
    }

    @Test
    func `requests that wait take bounded memory, and none once their connection is gone`() throws {
      let busy = try occupy()
      let text = String(repeating: "a", count: 4 << 20)
      let before = try daemon.status("VmRSS")
      for round in 1...4 {
        let connection = try RawConnection(daemon.socket)
        for id in 1...48 {
          let rows = #"{"entity":"Item","columns":["name","text"],"rows":[["\#(id)","\#(text)"]]}"#
          let frame = RawConnection.frame(#"{"id":\#(id),"call":"insert","args":\#(rows)}"#)
          guard connection.offer(frame) else { break }
        }
        #expect(try daemon.status("VmRSS") - before < 160 << 10, "KiB in round \(round)")
      }
      try release(busy)
      let other = try RawConnection(daemon.socket)
      try other.call(1, "count", #"{"entity":"Item"}"#)
      #expect(try other.receive()["ok", "count"]?.int64 == 20_000)
    }

    @Test func `many writes hear their deadlines together`() throws {
      let busy = try occupy()
      let others = try (0..<20).map { _ in try RawConnection(daemon.socket) }
      for connection in others {
        for id in 1...60 { try connection.call(id, "insert", Self.insert, #","deadlineMs":300"#) }
      }
      for connection in others {
        for _ in 1...60 { #expect(try connection.receive().errorCode == "deadline.passed") }
      }
      try release(busy)
    }

    @Test func `whatever waits for the store hears its deadline, and holds nobody up then`() throws
    {
      let busy = try occupy()
      let smaller = #"""
        {"version":"2.0.0","entities":[{"name":"Item","attributes":[\#
        {"name":"name","type":"string","unique":true},{"name":"n","type":"double","default":0}]}]}
        """#
      let calls = [
        ("insert", Self.insert), ("schema.define", #"{"schema":\#(smaller)}"#),
        ("migration.begin", #"{"schema":\#(smaller)}"#),
      ]
      for (operation, arguments) in calls {
        let connection = try RawConnection(daemon.socket)
        try connection.call(1, operation, arguments, #","deadlineMs":100"#)
        let answer = try connection.receive()
        #expect(answer.errorCode == "deadline.passed", "\(operation): \(answer.text)")
        #expect(answer["err", "effect"]?.string == "none")
        try connection.call(2, "count", #"{"entity":"Item"}"#)
        #expect(try connection.receive()["ok", "count"]?.int64 == 20_000, "\(operation)")
      }
      try release(busy)
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "insert", Self.insert)
      #expect(try connection.receive()["ok"] != nil)
    }

    @Test func `a write hears its deadline between its chunks while another runs`() throws {
      let connection = try RawConnection(daemon.socket)
      try connection.call(
        1,
        "update",
        #"{"entity":"Item","where":"n >= 0","set":{"text":"y"},"chunk":1}"#,
        #","deadlineMs":1500"#
      )
      let other = try RawConnection(daemon.socket)
      var number = 0
      repeat {
        number += 1
        try other.call(number, "get", #"{"entity":"Item","ids":[1],"select":["text"]}"#)
      } while try other.receive()["ok", "rows", "0", "2"]?.string != "y"
      let busy = try occupy()
      let answer = try connection.receive()
      #expect(answer.errorCode == "deadline.passed", "\(answer.text)")
      #expect(answer["err", "effect"]?.string == "partial")
      try release(busy)
    }

    @Test func `a barrier hears its deadline before it is reached`() throws {
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "watch", #"{"count":{"entity":"Item"}}"#, #","credit":1"#)
      #expect(try connection.receive()["next"] != nil)
      let other = try RawConnection(daemon.socket)
      try other.call(1, "insert", Self.insert)
      #expect(try other.receive()["ok"] != nil)
      try connection.call(2, "barrier", "{}", #","deadlineMs":20"#)
      #expect(try connection.receiveAnswer(of: 2).terminal.errorCode == "deadline.passed")
      try connection.send(#"{"id":1,"more":10}"#)
      try connection.call(3, "barrier", "{}")
      #expect(try connection.receiveAnswer(of: 3).terminal["ok"] != nil)
    }

    @Test func `calls that waited for writes of many connections are all answered`() throws {
      let busy = try occupy()
      let others = try (0..<16).map { _ in try RawConnection(daemon.socket) }
      for (index, connection) in others.enumerated() {
        let insert = #"{"entity":"Item","columns":["name"],"rows":[["of \#(index)"]]}"#
        try connection.call(1, "insert", insert)
        for id in 2...60 {
          try connection.call(id, "count", #"{"entity":"Item","where":"name == 'of \#(index)'"}"#)
        }
      }
      try release(busy)
      for connection in others {
        #expect(try connection.receive()["ok"] != nil)
        var answered: Set<Int64> = []
        for _ in 2...60 {
          let answer = try connection.receive()
          answered.insert(answer["id"]?.int64 ?? 0)
          #expect(answer["ok", "count"]?.int64 == 1, "\(answer.text)")
        }
        #expect(answered == Set(2...60))
      }
    }

    @Test func `the report lists some of the calls that wait, and counts all`() throws {
      let busy = try occupy()
      let connection = try RawConnection(daemon.socket)
      for id in 1...40 { try connection.call(id, "insert", Self.insert) }
      try expectSoon("the calls don't wait") {
        let list = try daemon.stats()["connections", "list"]?.array ?? []
        return list.contains { $0["inFlight"]?.int64 == 40 && $0["calls"]?.array?.count == 16 }
      }
      try release(busy)
    }
  }
}

extension RawConnection {
  /// Sends bytes as long as they are taken, and returns whether all were.
  fileprivate func offer(_ bytes: [UInt8]) -> Bool {
    var (sent, pauses) = (0, 0)
    while sent < bytes.count, pauses < 50 {
      let count = bytes[sent...].withUnsafeBytes { rest in
        Glibc.send(descriptor.number, rest.baseAddress, rest.count, Int32(MSG_DONTWAIT))
      }
      if count > 0 {
        (sent, pauses) = (sent + count, 0)
      } else {
        pauses += 1
        DepotLinux.Process.sleep(milliseconds: 10)
      }
    }
    return sent == bytes.count
  }
}
