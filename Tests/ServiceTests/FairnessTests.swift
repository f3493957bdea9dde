import DepotClient
import DepotLinux
import DepotProtocol
import TestSupport
import Testing

extension ServiceTests {
  /// Short calls beside clients that ask for much within their limits.
  ///
  /// Their deadline is many times what the service is built for, as tests run with debug programs beside others.
  @Suite(.serialized) struct FairnessTests {
    private static let rows = 20_000
    private static let deadline = #","deadlineMs":30000"#
    private static let all = #"{"entity":"Item"}"#

    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon(["--stall-ms", "120000"])
      try daemon.connect().fill(Self.rows, textBytes: 200)
    }

    /// A count that takes a minute or more; different numbers make different statements.
    private static func heavyCount(_ number: Int) -> String {
      let part = "text LIKE '*x*\(number)*z*' OR text MATCHES '(a|b|x)*y\(number)'"
      let predicate = Array(repeating: "NOT (\(part))", count: 100).joined(separator: " AND ")
      return #"{"entity":"Item","where":"\#(predicate)"}"#
    }

    /// The update of all items, which takes some tenths of a second.
    private static func update(_ text: String) -> String {
      #"{"entity":"Item","where":"n >= 0","set":{"text":"\#(text)"}}"#
    }

    /// Makes short calls of each kind, none of which may be kept waiting.
    private func expectService(_ connection: RawConnection, from first: Int = 1) throws {
      let calls = [
        ("get", #"{"entity":"Item","ids":[7]}"#),
        ("fetch", #"{"entity":"Item","sort":[{"key":"$id"}],"limit":10}"#),
        ("fetch", #"{"entity":"Item","where":"n == 19999"}"#),
        ("count", #"{"entity":"Item","where":"n > 5"}"#),
        ("aggregate", #"{"entity":"Item","values":[{"name":"m","aggregate":"max","of":"n"}]}"#),
        ("history.status", "{}"),
        ("insert", #"{"entity":"Item","columns":["name"],"rows":[["new \#(first)"]]}"#),
        ("update", #"{"entity":"Item","ids":[7],"set":{"text":"y"}}"#),
        ("pin", "{}"),
      ]
      for (index, (operation, arguments)) in calls.enumerated() {
        let id = first + index
        try connection.call(id, operation, arguments, Self.deadline)
        let answer = try connection.receiveAnswer(of: id).terminal
        #expect(answer["ok"] != nil, "\(operation): \(answer.text)")
      }
    }

    @Test func `streams that nobody reads hold nobody up, and those of the greediest end`() throws {
      let greedy = try (0..<3).map { _ in try RawConnection(daemon.socket) }
      let modest = try RawConnection(daemon.socket)
      try modest.call(1, "fetch", Self.all, #","credit":1"#)
      #expect(try modest.receive()["next"] != nil)
      for connection in greedy {
        for id in 1...32 { try connection.call(id, "fetch", Self.all, #","credit":1"#) }
      }
      try expectService(RawConnection(daemon.socket))
      var expired = 0
      for connection in greedy {
        while let frame = try connection.receiveIfAny(within: .milliseconds(200)) {
          if frame["err", "code"]?.string == "stream.expired" { expired += 1 }
        }
      }
      #expect(expired >= 3 * 32 + 1 - 40)
      try modest.send(#"{"id":1,"more":100000}"#)
      let (_, end) = try modest.receiveAnswer(of: 1)
      #expect(end["ok", "rows"]?.int64 == Int64(Self.rows), "\(end.text)")
    }

    @Test func `reads that compute for long hold nobody up, and hear their cancel`() throws {
      let busy = try (0..<3).map { _ in try RawConnection(daemon.socket) }
      for (index, connection) in busy.enumerated() {
        for id in 1...15 {
          try connection.call(id, "count", Self.heavyCount(100 * index + id))
        }
      }
      let other = try RawConnection(daemon.socket)
      for round in 0..<3 { try expectService(other, from: 1 + 100 * round) }
      for connection in busy {
        #expect(try connection.receiveIfAny(within: .zero) == nil, "it was over too soon")
        for id in 1...15 { try connection.send(#"{"id":\#(id),"cancel":true}"#) }
        for _ in 1...15 { #expect(try connection.receive().errorCode == "cancelled.by_client") }
      }
      try expectService(other, from: 1001)
      #expect(try daemon.stats()["readers", "active"]?.int64 ?? 0 == 0)
    }

    @Test func `a watched question that takes long to answer again holds no other up`() throws {
      let watcher = try RawConnection(daemon.socket)
      let heavy = (0..<100).map { "NOT (text LIKE '*x*\($0)*z*' OR text MATCHES '(a|b|x)*y\($0)')" }
        .joined(separator: " AND ")
      let predicate = "text BEGINSWITH 'x' OR (\(heavy))"
      try watcher.call(
        1,
        "watch",
        #"{"fetch":{"entity":"Item","where":"\#(predicate)","sort":[{"attribute":"n"}],"limit":10}}"#
      )
      while try watcher.receive()["kind"]?.string != "live" {}
      let other = try RawConnection(daemon.socket)
      try other.call(1, "watch", #"{"count":{"entity":"Item"}}"#)
      while try other.receive()["kind"]?.string != "live" {}
      let writer = try RawConnection(daemon.socket)
      try writer.call(1, "update", Self.update(String(repeating: "a", count: 200)))
      #expect(try writer.receive()["ok"] != nil)
      for id in 2...4 {
        try writer.call(id, "insert", #"{"entity":"Item","columns":["name"],"rows":[["\#(id)"]]}"#)
        #expect(try writer.receive()["ok"] != nil)
        try other.call(id, "barrier", "{}", Self.deadline)
        let answer = try other.receiveAnswer(of: id).terminal
        #expect(answer["ok"] != nil, "\(answer.text)")
      }
      try watcher.send(#"{"id":1,"cancel":true}"#)
      while try watcher.receive().errorCode != "cancelled.by_client" {}
    }

    @Test func `a long read of one beside those of another is answered in the end`() throws {
      let busy = try RawConnection(daemon.socket)
      for id in 1...60 { try busy.call(id, "count", Self.heavyCount(id)) }
      let other = try RawConnection(daemon.socket)
      let pattern = Array(repeating: "NOT (text LIKE '*x*z*')", count: 2).joined(separator: " AND ")
      try other.call(1, "count", #"{"entity":"Item","where":"\#(pattern)"}"#)
      #expect(try other.receive()["ok", "count"]?.int64 == Int64(Self.rows))
      #expect(try busy.receiveIfAny(within: .zero) == nil, "it was over too soon")
    }

    @Test func `one write waits for one write of another connection, not for all of them`() throws {
      let busy = try RawConnection(daemon.socket)
      for id in 1...8 {
        let text = String(repeating: "\(id)", count: 200)
        try busy.call(id, "update", Self.update(text))
      }
      let other = try RawConnection(daemon.socket)
      try other.call(1, "insert", #"{"entity":"Item","columns":["name"],"rows":[["new"]]}"#)
      #expect(try other.receive()["ok"] != nil)
      var answered = 0
      while try busy.receiveIfAny(within: .zero) != nil { answered += 1 }
      #expect(answered < 6)
      for _ in answered..<8 { #expect(try busy.receive()["ok"] != nil) }
    }

    @Test func `a write that waits hears its deadline and its cancel while another runs`() throws {
      let busy = try RawConnection(daemon.socket)
      let text = String(repeating: "u", count: 200)
      for id in 1...2 {
        try busy.call(id, "update", Self.update(text))
      }
      let insert = #"{"entity":"Item","columns":["name"],"rows":[["late"]]}"#
      let other = try RawConnection(daemon.socket)
      // What waits behind the connection's own write hears it too.
      try busy.call(3, "count", #"{"entity":"Item","where":"name == 'late'"}"#, #","deadlineMs":1"#)
      try other.call(1, "insert", insert, #","deadlineMs":1"#)
      try other.call(2, "insert", insert)
      try other.send(#"{"id":2,"cancel":true}"#)
      let answers = try [other.receive(), other.receive()]
      #expect(Set(answers.map(\.errorCode)) == ["deadline.passed", "cancelled.by_client"])
      #expect(answers.allSatisfy { $0["err", "effect"]?.string == "none" })
      let own = try [busy.receive(), busy.receive(), busy.receive()]
      let early = own.prefix(2).first { $0["id"]?.int64 == 3 }
      #expect(early?.errorCode == "deadline.passed", "\(own.map(\.text))")
      #expect(own.count { $0["ok"] != nil } == 2)
      try other.call(3, "count", #"{"entity":"Item","where":"name == 'late'"}"#)
      #expect(try other.receive()["ok", "count"]?.int64 == 0)
    }

    @Test func `as many counts may wait as calls, since they aren't streams`() throws {
      let connection = try RawConnection(daemon.socket)
      for id in 1...60 {
        try connection.call(id, "count", #"{"entity":"Item","where":"text CONTAINS 'q\#(id)'"}"#)
      }
      for _ in 1...60 { #expect(try connection.receive()["ok", "count"]?.int64 == 0) }
    }
  }
}
