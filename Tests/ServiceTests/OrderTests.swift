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
      try raw.call(1, "update", #"{"entity":"Item","set":{"n":1},"where":"n >= 0","chunk":1}"#)
      // The chunks have begun, or are about to.
      try raw.send(#"{"ping":1}"#)
      #expect(try raw.receive()["pong"]?.int64 == 1)
      try other.call(1, "insert", #"{"entity":"Item","columns":["name"],"rows":[["new"]]}"#)
      #expect(try other.receive()["ok", "inserted"]?.int64 == 1)
      try raw.send(#"{"id":1,"cancel":true}"#)
      let end = try raw.receive()
      #expect(end["err", "effect"]?.string == "partial", "\(end.text)")
    }
  }
}
