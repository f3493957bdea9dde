import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotEngine

/// Histories that are watched.
@Suite struct LiveHistoryTests {
  private func withLeague(_ body: (_ live: LiveFixture) async throws -> Void) async throws {
    try await withLive(.league) { live in
      try await live.insert("Team", ["name", "city"], #"[["reds","Rome"],["blues","Bonn"]]"#)
      try await live.insert("Player", ["name", "team"], #"[["ann",1],["ben",1],["cas",2]]"#)
      try await live.insert("Tag", ["name"], #"[["fast"],["tall"]]"#)
      try await body(live)
    }
  }

  private func request(
    _ history: HistoryRequest = HistoryRequest(),
    since: HistoryToken? = nil
  ) -> WatchRequest {
    WatchRequest(.history(history), since: since)
  }

  /// The transactions of frames, each in one line.
  private func lines(_ frames: [JSONValue]) -> [String] {
    frames.flatMap { $0["next"]?.array ?? [] }.map { transaction in
      (transaction["changes"]?.array ?? []).map { change in
        "\(change["kind"]?.string ?? "") \(change["entity"]?.string ?? "")/\(change["id"]?.int64 ?? 0)"
      }.joined(separator: ", ")
    }
  }

  @Test func `first comes the moment, then each transaction as it is committed`() async throws {
    try await withLeague { live in
      let head = try await live.settle()
      let client = try await live.watch(request())
      let first = client.take()
      #expect(first.map { $0["kind"]?.string } == ["live"])
      #expect(first[0]["token"]?.string == head.description)
      try await live.update("Player", 1, ["name"], #"["anna"]"#)
      let token = try await live.settle()
      let frames = client.take()
      #expect(frames.count == 1)
      #expect(frames[0]["kind"]?.string == "change")
      #expect(frames[0]["token"]?.string == token.description)
      let change = frames[0]["next"]?.array?.first?["changes"]?.array?.first
      #expect(change?["old"]?["name"]?.string == "ann")
      #expect(change?["new"]?["name"]?.string == "anna")
      try await live.insert("Team", ["name"], #"[["greens"]]"#)
      try await live.delete("Tag", 2)
      try await live.settle()
      #expect(lines(client.take()) == ["insert Team/3", "delete Tag/2"])
    }
  }

  @Test func `what isn't asked for is neither told nor read again`() async throws {
    try await withLeague { live in
      let player = try await live.watch(request(HistoryRequest(entity: "Player")))
      let scores = try await live.watch(
        request(HistoryRequest(properties: ["score"])),
        connection: 8
      )
      try await live.settle(8)
      _ = (player.take(), scores.take())
      try await live.update("Team", 1, ["city"], #"["Riga"]"#)
      try await live.update("Player", 2, ["score"], "[3]")
      try await live.update("Player", 2, ["name"], #"["bob"]"#)
      try await live.settle()
      try await live.settle(8)
      #expect(lines(player.take()) == ["update Player/2", "update Player/2"])
      #expect(lines(scores.take()) == ["update Player/2"])
      let unknown = try await live.watch(request(HistoryRequest(entity: "Ghost")))
      #expect(unknown.take().first?["err"]?["at"]?.string == "/args/history/entity")
    }
  }

  @Test func `a client that comes back gets what it missed once`() async throws {
    try await withLeague { live in
      let token = try await live.settle()
      var expected: [String] = []
      for name in ["a", "b", "c"] {
        try await live.insert("Tag", ["name"], "[[\"\(name)\"]]")
        expected.append("insert Tag/\(expected.count + 3)")
      }
      let client = try await live.watch(request(since: token))
      var frames = client.take()
      #expect(frames.last?["kind"]?.string == "live")
      #expect(lines(frames) == expected)
      let last = try HistoryToken(frames.last?["token"]?.string ?? "")
      try await live.insert("Tag", ["name"], #"[["d"]]"#)
      try await live.settle()
      #expect(lines(client.take()) == ["insert Tag/6"])
      let again = try await live.watch(request(since: last))
      frames = again.take()
      #expect(lines(frames) == ["insert Tag/6"])
    }
  }

  @Test func `one's own transactions can be left out`() async throws {
    try await withLeague { live in
      var request = request()
      request.echoes = false
      let client = try await live.watch(request)
      _ = client.take()
      try await live.update("Player", 1, ["name"], #"["own"]"#, connection: 7)
      try await live.update("Player", 2, ["name"], #"["other"]"#, connection: 8)
      try await live.settle()
      #expect(lines(client.take()) == ["update Player/2"])
    }
  }

  @Test func `watches that want the same share what is read, and each gets its own frames`()
    async throws
  {
    try await withLeague { live in
      var quiet = request()
      quiet.echoes = false
      let wanted: [(request: WatchRequest, connection: Int64, int64: Int64Form)] = [
        (request(), 8, .number), (request(), 9, .number), (request(), 9, .string),
        (quiet, 7, .number), (quiet, 8, .number),
        (request(HistoryRequest(entity: "Team")), 8, .number),
        (request(HistoryRequest(hasValues: false)), 8, .number),
      ]
      let clients = wanted.enumerated().map { number, watch in
        let client = LiveClient()
        client.begin(
          watch.request,
          on: live.live,
          connection: watch.connection,
          allowance: nil,
          reply: ReplyWriter(id: Int64(100 + number), framing: .lines, int64: watch.int64)
        )
        return client
      }
      for connection in [7, 8, 9] as [Int64] { try await live.settle(connection) }
      for client in clients { _ = client.take() }
      for round in 0..<20 {
        try await live.update("Player", 1, ["name"], "[\"a\(round)\"]", connection: 7)
        try await live.update("Team", 2, ["city"], "[\"c\(round)\"]", connection: 8)
        if round % 3 == 0 {
          for connection in [7, 8, 9] as [Int64] { try await live.settle(connection) }
        }
      }
      for connection in [7, 8, 9] as [Int64] { try await live.settle(connection) }
      let frames = clients.map { $0.take() }
      for (number, list) in frames.enumerated() {
        #expect(list.allSatisfy { $0["id"]?.int64 == Int64(100 + number) })
      }
      let (player, team) = ("update Player/1", "update Team/2")
      let all = (0..<20).flatMap { _ in [player, team] }
      #expect(lines(frames[0]) == all)
      #expect(lines(frames[1]) == all)
      #expect(lines(frames[2]).count == 40)
      #expect(frames[2].first?["next"]?.array?[0]["changes"]?.array?[0]["id"] == .string("1"))
      #expect(lines(frames[3]) == all.filter { $0 == team })
      #expect(lines(frames[4]) == all.filter { $0 == player })
      #expect(lines(frames[5]) == all.filter { $0 == team })
      #expect(frames[6].first?["next"]?.array?[0]["changes"]?.array?[0]["new"] == nil)
    }
  }

  @Test func `a large transaction comes in parts that follow each other`() async throws {
    try await withLeague { live in
      let client = try await live.watch(request())
      _ = client.take()
      let text = String(repeating: "x", count: 400)
      let rows = (0..<6000).map { "[\"\($0)\",\"\(text)\"]" }.joined(separator: ",")
      try await live.insert("Tag", ["name", "color"], "[\(rows)]")
      try await live.insert("Tag", ["name"], #"[["last"]]"#)
      try await live.settle()
      let frames = client.take()
      #expect(frames.count > 5)
      #expect(frames.allSatisfy { $0["kind"]?.string == "change" })
      var tokens: [String] = []
      var identifiers: [Int64] = []
      for frame in frames {
        let next = frame["next"]?.array ?? []
        #expect(frame["more"] == next.last?["more"])
        for transaction in next {
          let token = transaction["token"]?.string ?? ""
          if tokens.last != token { tokens.append(token) }
          identifiers += (transaction["changes"]?.array ?? []).compactMap { $0["id"]?.int64 }
        }
      }
      #expect(tokens.count == 2)
      #expect(identifiers == Array(3...6003))
    }
  }

  @Test func `a client without room gets each transaction later, or is told of a gap`() async throws
  {
    try await withLeague { live in
      let client = try await live.watch(request(), allowance: 1)
      try await expectSoon { client.kinds == ["live"] }
      let from = client.take()[0]["token"]
      for number in 0..<5 { try await live.update("Player", 1, ["score"], "[\(number)]") }
      try await live.settle(0)
      #expect(client.take() == [])
      client.watch?.grant(10)
      try await live.settle()
      #expect(lines(client.take()).count == 5)

      let slow = try await live.watch(request(), connection: 9, allowance: 1)
      try await expectSoon { slow.kinds == ["live"] }
      let begin = slow.take()[0]["token"]
      #expect(begin != from)
      for start in stride(from: 0, through: LiveQueries.historyLimit, by: 1000) {
        let updates = (start...start + 1000).map { number in
          Operation.update(
            UpdateRequest(
              entity: "Player",
              rows: .identifiers([1]),
              columns: ["score"],
              values: .text("[[\(number + 100)]]")
            )
          )
        }
        for result in await live.fixture.write(updates, connection: 1) { _ = try result.get() }
      }
      let head = try await live.settle(0)
      slow.watch?.grant(1000)
      try await live.settle(9)
      let frames = slow.take()
      #expect(frames.map { $0["kind"]?.string } == ["gap"])
      #expect(frames[0]["from"] == begin)
      #expect(frames[0]["to"]?.string == head.description)
      try await live.delete("Tag", 1)
      try await live.settle(9)
      #expect(lines(slow.take()) == ["delete Tag/1"])
    }
  }

  @Test func `what was deleted is a gap, or an error for those who want one`() async throws {
    try await withLeague { live in
      let token = try await live.settle()
      for number in 0..<4 { try await live.update("Player", 1, ["score"], "[\(number)]") }
      let head = try await live.settle()
      _ = try await live.fixture.write(.deleteHistory(before: .token(head)))
      let client = try await live.watch(request(since: token))
      let frames = client.take()
      #expect(frames.map { $0["kind"]?.string } == ["gap", "change", "live"])
      #expect(frames[0]["from"]?.string == token.description)
      let purged = try HistoryToken(frames[0]["to"]?.string ?? "")
      #expect(token < purged && purged < head)
      #expect(frames[1]["token"]?.string == head.description)
      var strict = request(since: token)
      strict.onExpired = .error
      let refused = try await live.watch(strict)
      #expect(refused.take().first?["err"]?["code"]?.string == "history.expired")
      let current = try await live.watch(request(since: purged))
      #expect(lines(current.take()) == ["update Player/1"])
    }
  }
}
