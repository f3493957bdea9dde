import DepotProtocol
import Foundation
import Testing

@testable import DepotEngine

/// Counts and groups that are kept up to date from the rows that change.
@Suite struct LiveTotalsTests {
  @Test func `a set of identifiers has what was put in and not taken out`() {
    var random = ValueGenerator(seed: 3)
    var set = IdentifierSet()
    var model: Set<Int64> = []
    for _ in 0..<20_000 {
      let identifier = Int64(random.int(0...5000)) * (random.chance(1, in: 9) ? 1 << 40 : 1)
      if random.chance(2, in: 3) {
        set.insert(identifier)
        model.insert(identifier)
      } else {
        set.remove(identifier)
        model.remove(identifier)
      }
      #expect(set.count == model.count)
      #expect(set.contains(identifier) == model.contains(identifier))
    }
  }

  private static func sums(_ limit: Int? = nil) -> WatchRequest {
    WatchRequest(
      .aggregate(
        AggregateRequest(
          entity: "Player",
          keys: [AggregateRequest.Column(name: "team", expression: .attribute("team.name"))],
          values: [
            AggregateRequest.Value(name: "rows", .count),
            AggregateRequest.Value(name: "scores", .count, of: .attribute("score")),
            AggregateRequest.Value(name: "sum", .sum, of: .attribute("score")),
            AggregateRequest.Value(name: "mean", .average, of: .attribute("score")),
          ],
          limit: limit
        )
      )
    )
  }

  private static func text(_ frame: JSONValue?) -> String? {
    frame?["next"]?.array.map { rows in
      rows.map { row in (row.array ?? []).map(\.text).joined(separator: " ") }
        .joined(separator: "; ")
    }
  }

  @Test(arguments: [nil, 100])
  func `groups follow their rows, and go with the last of them`(limit: Int?) async throws {
    try await withLive(.league) { live in
      try await live.insert("Team", ["name"], #"[["reds"],["blues"]]"#)
      try await live.insert("Player", ["name", "score", "team"], #"[["a",10,1],["b",5,1]]"#)
      let client = try await live.watch(Self.sums(limit))
      #expect(Self.text(client.take().first) == #""reds" 2 2 15 7.5"#)
      try await live.insert("Player", ["name", "score", "team"], #"[["c",null,2]]"#)
      try await live.settle()
      #expect(Self.text(client.take().last) == #""blues" 1 0 0 null; "reds" 2 2 15 7.5"#)
      try await live.update("Player", 2, ["team"], "[2]")
      try await live.settle()
      #expect(Self.text(client.take().last) == #""blues" 2 1 5 5.0; "reds" 1 1 10 10.0"#)
      try await live.update("Team", 2, ["name"], #"["reds"]"#)
      try await live.settle()
      #expect(Self.text(client.take().last) == #""reds" 3 2 15 7.5"#)
      for row in 1...3 { try await live.delete("Player", Int64(row)) }
      try await live.settle()
      #expect(Self.text(client.take().last) == "")
    }
  }

  @Test func `a sum that grows too large ends the watch, as the query would`() async throws {
    try await withLive(.league) { live in
      try await live.insert("Team", ["name"], #"[["reds"]]"#)
      try await live.insert("Player", ["name", "score", "team"], "[[\"a\",\(Int64.max),1]]")
      let client = try await live.watch(Self.sums())
      _ = client.take()
      try await live.insert("Player", ["name", "score", "team"], #"[["b",1,1]]"#)
      try await live.settle()
      #expect(client.kinds == ["err"])
    }
  }
}
