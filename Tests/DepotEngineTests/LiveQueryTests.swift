import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotEngine

extension Schema {
  /// Teams with players, who have tags and an ordered list of songs.
  static let league = Schema(entities: [
    Entity(
      name: "Team",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "city", type: .string, isOptional: true),
      ],
      relationships: [
        Relationship(
          name: "players",
          destination: "Player",
          inverse: "team",
          isToMany: true,
          deleteRule: .cascade
        )
      ]
    ),
    Entity(
      name: "Player",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "score", type: .int64, isOptional: true),
        Attribute(name: "notes", type: .string, isOptional: true),
      ],
      relationships: [
        Relationship(name: "team", destination: "Team", inverse: "players"),
        Relationship(name: "tags", destination: "Tag", inverse: "players", isToMany: true),
        Relationship(
          name: "songs",
          destination: "Song",
          inverse: "player",
          isToMany: true,
          isOrdered: true
        ),
      ]
    ),
    Entity(
      name: "Tag",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "color", type: .string, isOptional: true),
      ],
      relationships: [
        Relationship(name: "players", destination: "Player", inverse: "tags", isToMany: true)
      ]
    ),
    Entity(
      name: "Song",
      attributes: [Attribute(name: "title", type: .string)],
      relationships: [Relationship(name: "player", destination: "Player", inverse: "songs")]
    ),
  ])
}

@Suite struct LiveQueryTests {
  /// Runs `body` with two teams, five players, two tags, and three songs.
  private func withLeague(_ body: (_ live: LiveFixture) async throws -> Void) async throws {
    try await withLive(.league) { live in
      try await live.insert("Team", ["name", "city"], #"[["reds","Rome"],["blues","Bonn"]]"#)
      try await live.insert(
        "Player",
        ["name", "score", "team"],
        #"[["ann",10,1],["ben",20,1],["cas",30,2],["dan",40,2],["eve",50,null]]"#
      )
      try await live.insert("Tag", ["name"], #"[["fast"],["tall"]]"#)
      try await live.insert("Song", ["title", "player"], #"[["x",1],["y",1],["z",2]]"#)
      try await body(live)
    }
  }

  private func fetch(
    _ entity: String = "Player",
    _ predicate: String? = nil,
    sort: [SortKey] = [],
    limit: Int? = nil,
    offset: Int = 0,
    select: [String]? = nil,
    prefetch: [String] = []
  ) throws -> WatchRequest {
    WatchRequest(
      FetchRequest(
        entity: entity,
        predicate: try predicate.map { try PredicateParser.parse($0) },
        sort: sort,
        limit: limit,
        offset: offset,
        select: select,
        prefetch: prefetch
      )
    )
  }

  @Test func `a watch begins with the rows that there are`() async throws {
    try await withLeague { live in
      let client = try await live.watch(try fetch(select: ["name"]))
      #expect(client.kinds == ["snapshot", "live"])
      let first = client.all[0]
      #expect(first["columns"]?.array?.compactMap(\.string) == ["$id", "$version", "name"])
      #expect(first["next"]?.array?.count == 5)
    }
  }

  @Test func `inserted, updated, and deleted rows are told with their places`() async throws {
    try await withLeague { live in
      let client = try await live.watch(
        try fetch(sort: [SortKey("score", descending: true)], select: ["name", "score"])
      )
      var rows = LiveRows()
      for frame in client.take() { try rows.apply(frame) }
      #expect(rows.identifiers == [5, 4, 3, 2, 1])
      try await live.insert("Player", ["name", "score"], #"[["fay",35]]"#)
      try await live.settle()
      let inserted = client.take()
      #expect(inserted.count == 1)
      #expect(inserted[0]["changes"]?.array?.first?["kind"] == .string("inserted"))
      #expect(inserted[0]["changes"]?.array?.first?["at"] == .int64(2))
      try await live.update("Player", 1, ["score"], "[45]")
      try await live.settle()
      let updated = client.take()
      let change = updated.first?["changes"]?.array?.first
      #expect(change?["at"] == .int64(1) && change?["from"] == .int64(5))
      #expect(change?["properties"] == .array([.string("score")]))
      try await live.delete("Player", 4)
      try await live.settle()
      let deleted = client.take()
      let removed = deleted.first?["removed"]?.array?.first
      #expect(removed?["id"] == .int64(4) && removed?["from"] == .int64(2))
      for frame in inserted + updated + deleted { try rows.apply(frame) }
      #expect(rows.identifiers == [5, 1, 6, 3, 2])
    }
  }

  @Test func `what a query doesn't depend on sends nothing`() async throws {
    try await withLeague { live in
      let client = try await live.watch(try fetch("Player", "score > 25", select: ["name"]))
      _ = client.take()
      // A property that isn't read, another entity, and rows outside the filter before and after.
      try await live.update("Player", 3, ["notes"], #"["n"]"#)
      try await live.update("Team", 1, ["name"], #"["greens"]"#)
      try await live.update("Player", 1, ["score"], "[12]")
      try await live.insert("Player", ["name", "score"], #"[["gus",1]]"#)
      try await live.delete("Player", 1)
      // It stays among the rows, and what is selected stays as it is.
      try await live.update("Player", 3, ["score"], "[31]")
      try await live.settle()
      #expect(client.take() == [])
      try await live.update("Player", 3, ["name"], #"["cay"]"#)
      try await live.update("Player", 2, ["score"], "[26]")
      try await live.settle()
      #expect(client.take().count == 2)
    }
  }

  @Test func `a filter through a to-one relationship follows what it leads to`() async throws {
    try await withLeague { live in
      let client = try await live.watch(
        try fetch("Player", "team.city == 'Rome'", select: ["name"])
      )
      var rows = LiveRows()
      for frame in client.take() { try rows.apply(frame) }
      #expect(rows.identifiers == [1, 2])
      try await live.update("Team", 1, ["name"], #"["whites"]"#)
      try await live.settle()
      #expect(client.kinds == [])
      try await live.update("Team", 2, ["city"], #"["Rome"]"#)
      try await live.update("Player", 2, ["team"], "[null]")
      try await live.settle()
      for frame in client.take() { try rows.apply(frame) }
      #expect(rows.identifiers == [1, 3, 4])
      try await live.delete("Team", 1)
      try await live.settle()
      for frame in client.take() { try rows.apply(frame) }
      #expect(rows.identifiers == [3, 4])
    }
  }

  @Test func `a filter through to-many relationships follows links and what they lead to`()
    async throws
  {
    try await withLeague { live in
      let teams = try await live.watch(try fetch("Team", "ANY players.score > 45"))
      let tagged = try await live.watch(try fetch("Player", "ANY tags.name == 'fast'"))
      _ = (teams.take(), tagged.take())
      try await live.update("Player", 1, ["score"], "[11]")
      try await live.update("Tag", 1, ["color"], #"["red"]"#)
      try await live.settle()
      #expect(teams.kinds == [] && tagged.kinds == [])
      try await live.update("Player", 5, ["team"], "[2]")
      try await live.update("Player", 3, ["tags"], "[[1]]")
      try await live.settle()
      #expect(teams.take().first?["next"]?.array?.first?.array?.first == .int64(2))
      #expect(tagged.take().first?["next"]?.array?.first?.array?.first == .int64(3))
      try await live.update("Tag", 1, ["name"], #"["slow"]"#)
      try await live.delete("Player", 5)
      try await live.settle()
      #expect(teams.take().first?["removed"]?.array?.count == 1)
      #expect(tagged.take().first?["removed"]?.array?.count == 1)
    }
  }

  @Test func `selected relationships and their order are followed`() async throws {
    try await withLeague { live in
      let client = try await live.watch(try fetch("Player", "score < 25", select: ["songs"]))
      _ = client.take()
      try await live.update("Song", 1, ["title"], #"["xx"]"#)
      try await live.settle()
      #expect(client.kinds == [])
      try await live.update("Player", 1, ["songs"], "[[2,1]]")
      try await live.settle()
      let moved = client.take()
      #expect(moved.first?["next"]?.array?.first?.array?.last == .array([.int64(2), .int64(1)]))
      try await live.update("Song", 2, ["player"], "[2]")
      try await live.settle()
      #expect(client.take().first?["next"]?.array?.count == 2)
    }
  }

  @Test func `rows that come along bring those that lead to them`() async throws {
    try await withLeague { live in
      let client = try await live.watch(
        try fetch("Player", "score < 35", select: ["name"], prefetch: ["team"])
      )
      #expect(client.take().first?["related"]?.array?.count == 1)
      try await live.update("Team", 1, ["city"], #"["Riga"]"#)
      try await live.settle()
      let frames = client.take()
      #expect(frames.count == 1)
      #expect(frames.first?["next"]?.array?.count == 2)
      #expect(
        frames.first?["changes"]?.array?.first?["properties"] == .array([.string("team")])
      )
      #expect(frames.first?["related"]?.array?.first?["rows"]?.array?.count == 1)
    }
  }

  @Test func `a sort key that is the same for all rows leaves them in the order of identifiers`()
    async throws
  {
    try await withLeague { live in
      let key = QueryExpression.is(.variable("SELF"), entity: "Player")
      let client = try await live.watch(
        try fetch(sort: [SortKey(key, descending: true)], select: ["name"])
      )
      var rows = LiveRows()
      for frame in client.take() { try rows.apply(frame) }
      #expect(rows.identifiers == [1, 2, 3, 4, 5])
    }
  }

  @Test func `a window is filled up again`() async throws {
    try await withLeague { live in
      let client = try await live.watch(
        try fetch(sort: [SortKey("score")], limit: 2, offset: 1, select: ["name"])
      )
      var rows = LiveRows()
      for frame in client.take() { try rows.apply(frame) }
      #expect(rows.identifiers == [2, 3])
      try await live.delete("Player", 1)
      try await live.settle()
      for frame in client.take() { try rows.apply(frame) }
      #expect(rows.identifiers == [3, 4])
      try await live.insert("Player", ["name", "score"], #"[["hal",35]]"#)
      try await live.settle()
      for frame in client.take() { try rows.apply(frame) }
      #expect(rows.identifiers == [3, 6])
      try await live.update("Player", 5, ["score"], "[60]")
      try await live.settle()
      #expect(client.take() == [])
    }
  }

  @Test func `counts and aggregates are sent when they differ`() async throws {
    try await withLeague { live in
      let count = try await live.watch(
        WatchRequest(
          .count(CountRequest(entity: "Player", predicate: try PredicateParser.parse("score > 25")))
        )
      )
      let sums = try await live.watch(
        WatchRequest(
          .aggregate(
            AggregateRequest(
              entity: "Player",
              keys: [AggregateRequest.Column(name: "team", expression: .attribute("team"))],
              values: [AggregateRequest.Value(name: "sum", .sum, of: .attribute("score"))]
            )
          )
        )
      )
      #expect(count.kinds == ["snapshot", "live"])
      #expect(count.take().first?["next"] == .array([.array([.int64(3)])]))
      #expect(sums.take().first?["next"]?.array?.count == 3)
      try await live.update("Player", 3, ["score"], "[31]")
      try await live.update("Player", 3, ["notes"], #"["n"]"#)
      try await live.settle()
      #expect(count.take() == [])
      #expect(sums.take().count == 1)
      try await live.update("Player", 1, ["score"], "[100]")
      try await live.settle()
      #expect(count.take().first?["next"] == .array([.array([.int64(4)])]))
    }
  }

  @Test func `one's own changes can be left out`() async throws {
    try await withLeague { live in
      var request = try fetch(select: ["name"])
      request.echoes = false
      let client = try await live.watch(request)
      _ = client.take()
      try await live.update("Player", 1, ["name"], #"["own"]"#, connection: 7)
      try await live.settle()
      #expect(client.take() == [])
      try await live.update("Player", 1, ["name"], #"["other"]"#, connection: 8)
      try await live.settle()
      #expect(client.take().count == 1)
    }
  }

  @Test func `a client without room gets all changes at once, or begins anew`() async throws {
    try await withLeague { live in
      let client = try await live.watch(try fetch(select: ["name"]), allowance: 2)
      try await live.settle(0)
      try await expectSoon { client.kinds == ["snapshot", "live"] }
      var rows = LiveRows()
      for frame in client.take() { try rows.apply(frame) }
      for number in 0..<5 {
        try await live.update("Player", 1, ["name"], "[\"n\(number)\"]")
        try await live.settle(0)
      }
      #expect(client.take() == [])
      client.watch?.grant(1)
      try await live.settle()
      let frames = client.take()
      #expect(frames.count == 1)
      for frame in frames { try rows.apply(frame) }
      #expect(rows.rows[0].last == .string("n4"))
      let many = (0..<10_001).map { "[\"m\($0)\"]" }
      for part in [many[..<6000], many[6000...]] {
        try await live.insert("Player", ["name"], "[" + part.joined(separator: ",") + "]")
        try await live.settle(0)
      }
      client.watch?.grant(1000)
      try await live.settle()
      #expect(client.kinds.first == "gap" && client.kinds.last == "live")
      for frame in client.take() { try rows.apply(frame) }
      #expect(rows.rows.count == 10_006)
    }
  }

  @Test func `a client that comes back gets what it has missed`() async throws {
    try await withLeague { live in
      var request = try fetch(
        "Player",
        "score > 15",
        sort: [SortKey("name")],
        select: ["name", "score"]
      )
      let client = try await live.watch(request)
      var rows = LiveRows()
      for frame in client.take() { try rows.apply(frame) }
      client.watch?.control.cancel()
      client.watch?.wake()
      try await live.update("Player", 3, ["name"], #"["zoe"]"#)
      try await live.update("Player", 1, ["score"], "[100]")
      try await live.delete("Player", 4)
      try await live.insert("Player", ["name", "score"], #"[["bob",99]]"#)
      request.since = try HistoryToken(rows.token ?? "")
      let again = try await live.watch(request)
      #expect(again.kinds == ["resume", "live"])
      #expect(again.all[0]["next"]?.array?.count == 3)
      for frame in again.take() { try rows.apply(frame) }
      #expect(rows.identifiers == [1, 2, 6, 5, 3])
    }
  }

  @Test func `a token of another store, or of the future, is an error`() async throws {
    try await withLeague { live in
      var request = try fetch()
      request.onExpired = .error
      request.since = HistoryToken(store: "00000000", sequence: 1)
      let foreign = try await live.watch(request)
      #expect(foreign.all.first?["err"]?["code"] == .string("history.foreign"))
      #expect(foreign.all.first?["err"]?["details"]?["head"]?.string?.isEmpty == false)
      #expect(foreign.all.first?["err"]?["details"]?["oldest"] != nil)
      request.since = HistoryToken(store: live.fixture.store.storeIdentifier, sequence: 1 << 40)
      let future = try await live.watch(request)
      #expect(future.all.first?["err"]?["code"] == .string("history.foreign"))
    }
  }

  @Test func `a query that doesn't fit is an error that names its place`() async throws {
    try await withLeague { live in
      let client = try await live.watch(try fetch("Player", "scor > 1"))
      #expect(client.all.first?["err"]?["at"] == .string("/args/fetch/where"))
      #expect(client.all.first?["err"]?["code"] == .string("schema.unknown_attribute"))
    }
  }

  @Test func `a change of the schema goes on, with an error, or with new columns`() async throws {
    try await withLeague { live in
      let narrow = try await live.watch(try fetch(select: ["name"]))
      let wide = try await live.watch(try fetch())
      _ = (narrow.take(), wide.take())
      var schema = Schema.league
      schema.entities[1].attributes.append(
        Attribute(name: "rank", type: .int64, isOptional: true)
      )
      try await live.fixture.write(.defineSchema(schema, isDryRun: false))
      try await live.settle()
      #expect(narrow.take() == [])
      #expect(wide.kinds == ["gap", "snapshot", "live"])
      try await live.update("Player", 1, ["rank"], "[3]")
      try await live.settle()
      #expect(wide.kinds.last == "change")
      #expect(narrow.take() == [])
    }
  }
}

extension LiveFixture {
  func insert(_ entity: String, _ columns: [String], _ rows: String) async throws {
    let request = InsertRequest(
      entity: entity,
      columns: columns,
      rows: .text(rows)
    )
    try await fixture.write(.insert(request))
  }

  func update(
    _ entity: String,
    _ row: Int64,
    _ columns: [String],
    _ values: String,
    connection: Int64 = 1
  ) async throws {
    let request = UpdateRequest(
      entity: entity,
      rows: .identifiers([row]),
      columns: columns,
      values: .text("[" + values + "]")
    )
    _ = try await fixture.write([.update(request)], connection: connection)[0].get()
  }

  func delete(_ entity: String, _ row: Int64) async throws {
    try await fixture.write(.delete(DeleteRequest(entity: entity, rows: .identifiers([row]))))
  }
}
