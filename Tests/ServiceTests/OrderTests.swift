import DepotClient
import DepotProtocol
import Testing

extension ServiceTests {
  /// The order in which the calls of one connection take effect.
  @Suite(.serialized) struct OrderTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon()
      try daemon.connect().fill(3000)
    }

    @Test func `writes behind one in chunks take effect after its last chunk`() throws {
      let raw = try RawConnection(daemon.socket)
      try raw.call(1, "update", #"{"entity":"Item","set":{"n":1},"where":"n >= 0","chunk":10}"#)
      try raw.call(2, "update", #"{"entity":"Item","set":{"n":2},"where":"n >= 0"}"#)
      try raw.call(3, "delete", #"{"entity":"Item","where":"n == 2","chunk":10}"#)
      try raw.call(4, "insert", #"{"entity":"Item","columns":["name"],"rows":[["item 2999"]]}"#)
      try raw.call(5, "count", #"{"entity":"Item"}"#)
      let answers = try (1...5).map { _ in try raw.receive() }
      #expect(answers.map { $0["id"]?.int64 } == [1, 2, 3, 4, 5])
      #expect(answers[1]["ok", "updated"]?.int64 == 3000)
      #expect(answers[2]["ok", "deleted"]?.int64 == 3000)
      #expect(answers[3]["ok", "inserted"]?.int64 == 1, "\(answers[3].text)")
      #expect(answers[4]["ok", "count"]?.int64 == 1)
    }

    @Test func `a write that comes after another is done only if that succeeds`() throws {
      let raw = try RawConnection(daemon.socket)
      func insert(_ id: Int, _ name: String, _ more: String = "") throws {
        let arguments =
          #"{"entity":"Item","columns":["name"],"rows":[[\#(name)]],"returnIds":false}"#
        try raw.send(#"{"id":\#(id),"call":"insert","args":\#(arguments)\#(more)}"#)
      }
      try insert(1, "1")
      try insert(2, #""b""#, #","after":1"#)
      try insert(3, #""c""#, #","after":2"#)
      try insert(4, #""d""#)
      try insert(5, #""e""#, #","after":4"#)
      try insert(6, #""f""#, #","after":4"#)
      try raw.send(#"{"id":7,"call":"count","args":{"entity":"Item"},"after":6}"#)
      try raw.call(8, "count", #"{"entity":"Item"}"#)
      let answers = try (1...8).map { _ in try raw.receive() }
        .sorted { ($0["id"]?.int64 ?? 0) < ($1["id"]?.int64 ?? 0) }
      #expect(
        answers.map(\.errorCode) == [
          "request.type", "cancelled.by_client", "cancelled.by_client", nil, nil, "request.usage",
          "request.usage", nil,
        ]
      )
      #expect(answers[4]["ok", "inserted"]?.int64 == 1)
      #expect(answers[4]["ok", "ids"] == nil)
      #expect(answers[7]["ok", "count"]?.int64 == 3002)
    }

    @Test func `a write that waits for one in chunks can be cancelled`() throws {
      let raw = try RawConnection(daemon.socket)
      try raw.call(1, "update", #"{"entity":"Item","set":{"n":1},"where":"n >= 0","chunk":1}"#)
      try raw.call(2, "delete", #"{"entity":"Item","where":"n >= 0"}"#)
      try raw.send(#"{"id":2,"cancel":true}"#)
      let first = try raw.receive()
      #expect(first["id"]?.int64 == 2)
      #expect(first.errorCode == "cancelled.by_client")
      #expect(try raw.receive()["ok", "updated"]?.int64 == 3000)
      try raw.call(3, "count", #"{"entity":"Item"}"#)
      #expect(try raw.receive()["ok", "count"]?.int64 == 3000)
    }

    @Test func `writes of other connections have their turn between chunks`() throws {
      let raw = try RawConnection(daemon.socket)
      let other = try RawConnection(daemon.socket)
      try raw.call(
        1,
        "update",
        #"{"entity":"Item","set":{"n":1000000},"where":"n >= 0","chunk":1}"#
      )
      // A first chunk is in the store before the insert is sent, and the shortest of reads see it.
      var number = 0
      repeat {
        number += 1
        try other.call(number, "get", #"{"entity":"Item","ids":[1],"select":["n"]}"#)
      } while try other.receive()["ok", "rows", "0", "2"]?.int64 != 1_000_000
      try other.call(
        number + 1,
        "insert",
        #"{"entity":"Item","columns":["name"],"rows":[["new"]]}"#
      )
      #expect(try other.receive()["ok", "inserted"]?.int64 == 1)
      try raw.send(#"{"id":1,"cancel":true}"#)
      let end = try raw.receive()
      #expect(end["err", "effect"]?.string == "partial", "\(end.text)")
    }

    /// A stream is read by another thread than a `get`, and may see a commit before the thread of the
    /// latter hears of it.
    @Test func `a read never sees less than one that was answered before it`() throws {
      let (socket, isOver) = (daemon.socket, Flag())
      let problems = Shared<[String]>([])
      let row = try #require(try daemon.connect().fetch(Item.self).first?.id?.value)
      try inParallel(6) { index in
        let raw = try RawConnection(socket)
        var number = 0
        func call(
          _ operation: String,
          _ arguments: String,
          _ members: String = ""
        ) throws
          -> (next: [JSONValue], terminal: JSONValue)
        {
          number += 1
          try raw.call(number, operation, arguments, members)
          return try raw.receiveAnswer(of: number)
        }
        let get = #"{"entity":"Item","ids":[\#(row)],"select":["n"]}"#
        if index > 0 {
          while !isOver.value {
            _ =
              try index < 3
              ? call("update", #"{"entity":"Item","ids":[\#(row)],"set":{"n":\#(number)}}"#)
              : call("get", get)
          }
          return
        }
        defer { isOver.set() }
        let fetch = #"{"entity":"Item","where":"$id == \#(row)","select":["n"]}"#
        for _ in 0..<2000 {
          let fetched = try call("fetch", fetch, #","credit":4"#)
          let got = try call("get", get)
          let before = fetched.next.last?["next", "0", "1"]?.int64 ?? .max
          let after = got.terminal["ok", "rows", "0", "1"]?.int64 ?? 0
          if after < before { problems.change { $0.append("\(after) after \(before)") } }
        }
      }
      #expect(problems.value == [])
    }
  }
}
