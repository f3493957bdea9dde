import DepotProtocol
import DepotSQLite
import TestSupport
import Testing

@testable import DepotEngine

/// How much history is kept, and what becomes of the rest.
@Suite struct HistoryRetentionTests {
  /// Waits until the rows of the history that don't count are gone.
  private func settle(_ past: PastFixture) async throws {
    try await expectSoon("history that was deleted is still there") {
      let floor = try past.count(
        "SELECT coalesce((SELECT value FROM depot_meta WHERE key = 'history_floor'), 0)"
      )
      return try past.count("SELECT count(*) FROM depot_history WHERE id <= \(floor)") == 0
    }
  }

  @Test(arguments: [2, 100, 131, 300])
  func `insertions are found after others before them were deleted`(kept: Int) async throws {
    try await withPast { store, past in
      var tokens: [String] = []
      for number in 1...400 {
        // Some transactions insert other rows, or none.
        if number % 90 == 0 {
          try await store.update("Item", [1], ["size"], "[\(number)]")
          let names = ["a", "b", "c"].map { "[\"\($0)\(number)\"]" }.joined(separator: ",")
          try await store.insert("Item", ["name"], "[\(names)]")
        }
        try await store.insert("Item", ["name"], "[[\"\(number)\"]]")
        tokens.append(try past.head())
      }
      let entries = try past.count("SELECT count(*) FROM depot_history_insert")
      #expect(entries < 40)
      let records = try rows(
        "SELECT first, last, id FROM depot_history WHERE kind = 0 ORDER BY id",
        in: past.path
      ).map { $0.map { if case .integer(let number) = $0 { number } else { Int64(0) } } }
      try await store.call("history.delete", "{\"before\":\"\(tokens[kept])\"}")
      try await settle(past)
      let first = try past.count("SELECT min(id) FROM depot_history")
      for record in records where record[2] >= first {
        #expect(try past.inserted(record[0]) == record[2])
        #expect(try past.inserted(record[1]) == record[2])
      }
      #expect(try await store.problems(past.path) == [])
    }
  }

  @Test func `history before a token is deleted, and tokens go on`() async throws {
    try await withStorePath { path in
      var tokens: [String] = []
      do {
        let store = try StoreFixture(StoreConfiguration(path: path))
        let past = PastFixture(store: store, path: path)
        try await store.write(.defineSchema(.items, isDryRun: false))
        try await store.insert("Item", ["name"], #"[["a"]]"#)
        for size in 1...5 {
          try await store.update("Item", [1], ["size"], "[\(size)]")
          tokens.append(try past.head())
        }
        let result = try await store.call("history.delete", "{\"before\":\"\(tokens[2])\"}")
        #expect(result["deleted"] == .int64(4))
        #expect(result["oldest"]?.string == tokens[2])
        try await settle(past)
        #expect(try past.count("SELECT count(*) FROM depot_history WHERE kind > 0") == 3)
        #expect(try past.history().compactMap { $0["token"]?.string } == Array(tokens[2...]))
        // The moment before the oldest is still known.
        let row = try past.ask(
          "history.row",
          "{\"entity\":\"Item\",\"id\":1,\"at\":\"\(tokens[1])\"}"
        )
        #expect(row["row"]?["size"] == .int64(2))
        for call in [
          ("history.row", "{\"entity\":\"Item\",\"id\":1,\"at\":\"\(tokens[0])\"}"),
          ("history", "{\"since\":\"\(tokens[0])\"}"),
        ] {
          let error = await store.code {
            _ =
              call.0 == "history" ? .array(try past.history(call.1)) : try past.ask(call.0, call.1)
          }
          #expect(error?.code == .historyExpired)
          #expect(error?.details?["oldest"]?.string == tokens[2])
          #expect(error?.details?["head"]?.string == tokens[4])
        }
        let undo = await store.code {
          try await store.call("undo", "{\"token\":\"\(tokens[1])\"}")
        }
        #expect(undo?.code == .historyExpired)
        try await store.call("history.delete", #"{"before":"2999-01-01T00:00:00Z"}"#)
        try await settle(past)
        #expect(try past.history() == [])
        #expect(try past.head() == tokens[4])
        await store.close()
      }
      let store = try StoreFixture(StoreConfiguration(path: path))
      let past = PastFixture(store: store, path: path)
      #expect(try past.head() == tokens[4])
      try await store.update("Item", [1], ["size"], "[9]")
      let head = try HistoryToken(try past.head())
      #expect(try head > HistoryToken(tokens[4]))
      #expect(try past.history("{\"since\":\"\(tokens[4])\"}").count == 1)
      await store.close()
    }
  }

  @Test func `a large transaction goes as a whole and bit by bit`() async throws {
    try await withPast { store, past in
      let rows = (1...9000).map { "[\"row \($0)\",\($0)]" }.joined(separator: ",")
      try await store.insert("Item", ["name", "size"], "[\(rows)]")
      try await store.write(
        .delete(DeleteRequest(entity: "Item", rows: .predicate(.value(.bool(true)))))
      )
      try await store.insert([[.string("x"), .null]])
      let head = try past.head()
      try await store.call("history.delete", "{\"before\":\"\(head)\"}")
      #expect(try past.history().count == 1)
      try await settle(past)
      #expect(try past.count("SELECT count(*) FROM depot_history_row") == 0)
    }
  }

  @Test func `what is too old or too much is deleted`() async throws {
    try await withStorePath { path in
      var configuration = StoreConfiguration(path: path)
      configuration.history = HistoryRetention(age: 1e9, bytes: 200 << 10)
      let store = try StoreFixture(configuration)
      let past = PastFixture(store: store, path: path)
      try await store.write(.defineSchema(.items, isDryRun: false))
      try await store.insert("Item", ["name"], #"[["a"]]"#)
      let text = String(repeating: "x", count: 20_000)
      for index in 0..<40 { try await store.update("Item", [1], ["name"], "[\"\(text)\(index)\"]") }
      store.store.purgeHistory()
      try await store.update("Item", [1], ["size"], "[1]")
      try await expectSoon { try past.history(#"{"values":false}"#).count <= 12 }
      #expect(try past.history(#"{"values":false}"#) != [])
      try await settle(past)
      await store.close()
      configuration.history = HistoryRetention(age: -1000, bytes: 1 << 30)
      let second = try StoreFixture(configuration)
      second.store.purgeHistory()
      try await expectSoon { try past.history() == [] }
      await second.close()
    }
  }

  @Test(
    arguments: [
      (10, 0, nil, 0, 10), (10, 20, nil, 0, 20), (10, 0, 5, 0, 5), (10, 0, 5, 7, 7),
      (10, 0, 15, 0, 10), (0, 20, 5, 30, 20),
    ] as [(Int64, Int64, Int64?, Int64, Int64)]
  )
  func `consumers hold back what they haven't read, for a while`(
    old: Int64,
    surplus: Int64,
    position: Int64?,
    pastWaiting: Int64,
    end: Int64
  ) {
    let facts = HistoryRetention.Facts(
      lastOld: old,
      lastSurplus: surplus,
      leastPosition: position,
      lastPastWaiting: pastWaiting
    )
    #expect(HistoryRetention.end(facts) == end)
  }

  @Test func `what a consumer hasn't read stays although it is too much`() async throws {
    try await withStorePath { path in
      var configuration = StoreConfiguration(path: path)
      configuration.history = HistoryRetention(age: 1e9, bytes: 10_000)
      let store = try StoreFixture(configuration)
      let past = PastFixture(store: store, path: path)
      try await store.write(.defineSchema(.items, isDryRun: false))
      try await store.insert("Item", ["name"], #"[["a"]]"#)
      let token = try past.head()
      try await store.call("history.acknowledge", "{\"consumer\":\"c\",\"token\":\"\(token)\"}")
      let text = String(repeating: "x", count: 20_000)
      for index in 0..<20 { try await store.update("Item", [1], ["name"], "[\"\(text)\(index)\"]") }
      store.store.purgeHistory()
      try await store.update("Item", [1], ["size"], "[1]")
      #expect(try past.history(#"{"consumer":"c","values":false}"#).count == 21)
      let head = try past.head()
      try await store.call("history.acknowledge", "{\"consumer\":\"c\",\"token\":\"\(head)\"}")
      store.store.purgeHistory()
      try await expectSoon { try past.history(#"{"values":false}"#).count <= 2 }
      await store.close()
    }
  }

  @Test func `a consumer goes on where it was`() async throws {
    try await withPast { store, past in
      try await store.insert([[.string("a"), .null]])
      let token = try past.head()
      try await store.insert([[.string("b"), .null]])
      #expect(try past.history(#"{"consumer":"c"}"#).count == 3)
      let result = try await store.call(
        "history.acknowledge",
        "{\"consumer\":\"c\",\"token\":\"\(token)\"}"
      )
      #expect(result["position"]?.string == token)
      #expect(try past.history(#"{"consumer":"c"}"#).count == 1)
      let status = try past.ask("history.status")
      #expect(status["transactions"] == .int64(3))
      #expect(status["consumers"]?.array?.first?["name"] == .string("c"))
      #expect(status["consumers"]?.array?.first?["token"]?.string == token)
      try await store.call("history.delete", #"{"before":"2999-01-01T00:00:00Z"}"#)
      let expired = await store.code { _ = try past.history(#"{"consumer":"c"}"#) }
      #expect(expired?.code == .historyExpired)
      let late = await store.code {
        try await store.call("history.acknowledge", "{\"consumer\":\"c\",\"token\":\"\(token)\"}")
      }
      #expect(late?.code == .historyExpired)
      try await store.call("history.forget", #"{"consumer":"c"}"#)
      let unknown = await store.code {
        try await store.call("history.forget", #"{"consumer":"c"}"#)
      }
      #expect(unknown?.code == .usage)
      #expect(try past.ask("history.status")["consumers"] == .array([]))
    }
  }
}
