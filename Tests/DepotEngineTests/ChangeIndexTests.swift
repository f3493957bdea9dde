import DepotProtocol
import DepotSQLite
import TestSupport
import Testing

@testable import DepotEngine

/// The index of the rows that the history is about.
@Suite struct ChangeIndexTests {
  @Test func `a page about most rows of a block is found by the block, others by rows`() {
    func keys(_ rows: [Int64]) -> [Int64] { ChangeIndex.keys(of: rows) }
    #expect(keys([]) == [])
    #expect(keys([1, 5, 200]) == [1, 5, 200])
    #expect(keys(Array(64..<96)) == [-2])
    #expect(keys(Array(64..<95)) == Array(64..<95))
    #expect(keys(Array(1...200)) == [-1, -2, -3] + Array(192...200))
    #expect(keys(Array(repeating: 7, count: 40)) == Array(repeating: 7, count: 40))
    #expect(keys([3] + Array(128..<192)) == [3, -3])
  }

  @Test func `the keys of a page stand for all its rows, each of which has its block`() {
    let rows = (Int64(0)..<1000).filter { $0 % 100 < 50 }
    let keys = ChangeIndex.keys(of: rows)
    #expect(rows.allSatisfy { keys.contains($0) || keys.contains(ChangeIndex.block(of: $0)) })
    for key in keys {
      #expect(rows.contains { $0 == key || ChangeIndex.block(of: $0) == key })
    }
    #expect(keys.count < rows.count / 2)
  }

  /// Changes some of many rows in a few transactions, and gives `body` the tokens and sizes after each.
  private func withChanges(
    seed: Int,
    _ body: (StoreFixture, PastFixture, _ tokens: [String], _ sizes: [[Int?]]) async throws -> Void
  ) async throws {
    try await withStore { store, path in
      var generator = SeededGenerator(seed: UInt64(seed))
      let past = PastFixture(store: store, path: path)
      let count = 300
      let values = (1...count).map { "[\"row \($0)\",0]" }.joined(separator: ",")
      try await store.insert("Item", ["name", "size"], "[\(values)]")
      var sizes: [Int?] = Array(repeating: 0, count: count)
      var (tokens, states) = ([try past.head()], [sizes])
      for turn in 1...6 {
        let step = turn == 1 ? 1 : 1 + Int(generator.next() % 4)
        let first = 1 + Int(generator.next() % 200)
        let named = stride(from: first, through: min(count, first + 150), by: step)
          .filter { sizes[$0 - 1] != nil }
        if turn == 6 {
          try await store.call("delete", "{\"entity\":\"Item\",\"ids\":\(named)}")
          for row in named { sizes[row - 1] = nil }
        } else {
          try await store.update("Item", named.map(Int64.init), ["size"], "[\(turn)]")
          for row in named { sizes[row - 1] = turn }
        }
        tokens.append(try past.head())
        states.append(sizes)
      }
      try await body(store, past, tokens, states)
    }
  }

  private func expectPast(_ past: PastFixture, _ tokens: [String], _ sizes: [[Int?]]) throws {
    for row in stride(from: 1, through: 300, by: 7) {
      for (token, sizes) in zip(tokens, sizes) {
        let answer = try past.ask(
          "history.row",
          "{\"entity\":\"Item\",\"id\":\(row),\"at\":\"\(token)\"}"
        )
        #expect(answer["row"]?["size"]?.int64.map(Int.init) == sizes[row - 1], "\(row) \(token)")
      }
    }
  }

  @Test(arguments: seeds(6))
  func `what each row was is found by rows and blocks`(seed: Int) async throws {
    try await withChanges(seed: seed) { store, past, tokens, sizes in
      try expectPast(past, tokens, sizes)
      #expect(try past.count("SELECT count(*) FROM depot_history_row WHERE row < 0") > 0)
      try await store.call("undo", "{\"token\":\"\(tokens[6])\"}")
      try expectPast(past, tokens, sizes)
      #expect(try await store.problems(past.path) == [])
    }
  }

  @Test(arguments: seeds(3))
  func `a purge leaves nothing in the index`(seed: Int) async throws {
    try await withChanges(seed: seed) { store, past, tokens, sizes in
      await store.close()
      #expect(try Store.check(path: past.path) == [])
      let again = try StoreFixture(StoreConfiguration(path: past.path))
      let past = PastFixture(store: again, path: past.path)
      try expectPast(past, tokens, sizes)
      try await again.call("history.delete", #"{"before":"2999-01-01T00:00:00Z"}"#)
      try await expectSoon("history that was deleted is still in the index") {
        try past.count("SELECT count(*) FROM depot_history_row") == 0
      }
      #expect(try await again.problems(past.path) == [])
      await again.close()
    }
  }

  @Test(arguments: seeds(2))
  func `what each row was is found whether or not its changes have entries`(
    seed: Int
  ) async throws {
    try await withStore { store, path in
      var generator = SeededGenerator(seed: UInt64(seed))
      let past = PastFixture(store: store, path: path)
      try await store.insert("Item", ["name", "size"], #"[["a",0],["b",0],["c",0]]"#)
      var states = [(token: try past.head(), sizes: [0, 0, 0])]
      for size in 1...200 {
        var sizes = states[states.count - 1].sizes
        let row = Int(generator.next() % 3)
        sizes[row] = size
        try await store.update("Item", [Int64(row + 1)], ["size"], "[\(size)]")
        states.append((try past.head(), sizes))
      }
      let entries = try past.count("SELECT count(*) FROM depot_history_row")
      #expect(100...200 ~= entries)
      do {
        for index in stride(from: 0, to: states.count, by: 23) {
          for row in 0..<3 {
            let answer = try past.ask(
              "history.row",
              "{\"entity\":\"Item\",\"id\":\(row + 1),\"at\":\"\(states[index].token)\"}"
            )
            #expect(
              answer["row"]?["size"]?.int64 == Int64(states[index].sizes[row]),
              "\(row) \(index)"
            )
          }
        }
        let blame = try past.ask("history.row", #"{"entity":"Item","id":2}"#)
        let last = states.lastIndex { $0.sizes[1] != states[states.count - 1].sizes[1] } ?? 0
        #expect(blame["properties"]?["size"]?["token"]?.string == states[last + 1].token)
      }
      // A change of the schema gives all of them their entries.
      var schema = Schema.items
      schema.entities[0].attributes.append(
        Attribute(name: "note", type: .string, isOptional: true)
      )
      try await store.write(.defineSchema(schema, isDryRun: false))
      #expect(try past.count("SELECT count(*) FROM depot_history_row") == 200)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test(arguments: [
    "DELETE FROM depot_history_row WHERE row = -1",
    "INSERT INTO depot_history_row SELECT 'Item', -9, max(id) FROM depot_history",
    "INSERT INTO depot_history_row VALUES ('Item', -1, 1)",
  ])
  func `a check finds blocks that are missing or lead astray`(damage: String) async throws {
    try await withStore { store, path in
      let values = (1...100).map { "[\"row \($0)\",0]" }.joined(separator: ",")
      try await store.insert("Item", ["name", "size"], "[\(values)]")
      try await store.update("Item", Array(1...100), ["size"], "[1]")
      await store.close()
      #expect(try Store.check(path: path) == [])
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute(damage)
      }
      #expect(try Store.check(path: path)?.isEmpty == false)
    }
  }
}
