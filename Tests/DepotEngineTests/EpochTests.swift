import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// Tokens across starts and restores of a store.
@Suite struct EpochTests {
  private func open(_ path: String) throws -> (StoreFixture, PastFixture) {
    let store = try StoreFixture(StoreConfiguration(path: path))
    return (store, PastFixture(store: store, path: path))
  }

  private func epochCount(_ path: String) throws -> Int64 {
    guard case .integer(let count) = try rows("SELECT count(*) FROM depot_epoch", in: path)[0][0]
    else { return -1 }
    return count
  }

  /// Calls `body` with a store of 20 transactions that was restored as of the fifth and has made 15 others,
  /// the token of the fifth, and those that nobody has any more.
  private func withRestored(
    _ body: (StoreFixture, PastFixture, _ kept: String, _ lost: [String]) async throws -> Void
  ) async throws {
    try await withStorePath { path in
      let (first, past) = try open(path)
      try await first.write(.defineSchema(.items, isDryRun: false))
      for number in 1...5 { try await first.insert([[.string("\(number)"), .int64(1)]]) }
      let kept = try past.head()
      await first.close()
      try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
      let (second, lostPast) = try open(path)
      var lost: [String] = []
      for number in 6...15 {
        try await second.insert([[.string("\(number)"), .int64(1)]])
        lost.append(try lostPast.head())
      }
      await second.close()
      // Without its state, nobody knows that there was more.
      for suffix in ["", ".state"] { try FileManager.default.removeItem(atPath: path + suffix) }
      try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
      let (third, restored) = try open(path)
      try await body(third, restored, kept, lost)
      await third.close()
    }
  }

  @Test func `a token of what was lost in a restore is foreign, at once and for ever`() async throws
  {
    try await withRestored { store, past, kept, lost in
      #expect(try past.head() == kept)
      for round in 0...15 {
        for token in lost {
          let error = await store.code { _ = try past.history("{\"since\":\"\(token)\"}") }
          #expect(error?.code == .historyForeign)
          #expect(error?.details?["head"]?.string == (try past.head()))
        }
        #expect(try past.history("{\"since\":\"\(kept)\"}").count == round)
        try await store.insert([[.string("other \(round)"), .int64(2)]])
      }
      // The numbers were given out again.
      let numbers = try past.history().compactMap { try HistoryToken($0["token"]?.string ?? "") }
      #expect(
        try lost.allSatisfy { try numbers.map(\.sequence).contains(HistoryToken($0).sequence) }
      )
    }
  }

  @Test func `every call that takes a token refuses one of another past`() async throws {
    try await withRestored { store, past, _, lost in
      for number in 0..<15 { try await store.insert([[.string("other \(number)"), .int64(2)]]) }
      let token = lost[4]
      for args in ["{\"since\":\"\(token)\"}", "{\"until\":\"\(token)\"}"] {
        #expect(await store.code { _ = try past.history(args) }?.code == .historyForeign)
      }
      let row = await store.code {
        _ = try past.ask("history.row", "{\"entity\":\"Item\",\"id\":1,\"at\":\"\(token)\"}")
      }
      #expect(row?.code == .historyForeign)
      for (call, args) in [
        ("undo", "{\"token\":\"\(token)\"}"), ("redo", "{\"token\":\"\(token)\"}"),
        ("history.acknowledge", "{\"consumer\":\"c\",\"token\":\"\(token)\"}"),
        ("history.delete", "{\"before\":\"\(token)\"}"),
      ] {
        let error = await store.code { try await store.call(call, args) }
        #expect(error?.code == .historyForeign, "\(call)")
      }
    }
  }

  @Test func `tokens of all earlier starts stay good`() async throws {
    try await withStorePath { path in
      var tokens: [String] = []
      for start in 0..<8 {
        let (store, past) = try open(path)
        if start == 0 { try await store.write(.defineSchema(.items, isDryRun: false)) }
        for (index, token) in tokens.enumerated() {
          #expect(try past.history("{\"since\":\"\(token)\"}").count == tokens.count - 1 - index)
        }
        for number in 0..<3 {
          let result = try await store.call(
            "insert",
            #"{"entity":"Item","columns":["name"],"rows":[["\#(start) \#(number)"]]}"#
          )
          tokens.append(try #require(result["token"]?.string))
          // It is told in the same words by all who tell it.
          #expect(try past.head() == tokens.last)
        }
        #expect(
          try past.history().suffix(tokens.count).compactMap { $0["token"]?.string } == tokens
        )
        await store.close()
      }
      #expect(Set(try tokens.map { try HistoryToken($0).epoch }).count == 8)
      #expect(
        try tokens.map { try HistoryToken($0) } == tokens.map { try HistoryToken($0) }.sorted()
      )
    }
  }

  @Test func `opening a store writes no epoch, and its first transaction does`() async throws {
    try await withStore { store, path in
      await store.close()
      let count = try epochCount(path)
      let (again, past) = try open(path)
      let head = try past.head()
      #expect(try epochCount(path) == count)
      #expect(try past.history("{\"since\":\"\(head)\"}") == [])
      await again.close()
      #expect(try epochCount(path) == count)
      let (third, _) = try open(path)
      // A failed call is undone with the epoch that it brought.
      _ = await third.code { try await third.call("undo", #"{"group":"none"}"#) }
      #expect(try epochCount(path) == count)
      try await third.insert([[.string("a"), .null]])
      #expect(try epochCount(path) == count + 1)
      try await third.insert([[.string("b"), .null]])
      #expect(try epochCount(path) == count + 1)
      await third.close()
    }
  }

  @Test func `a token of before there were epochs is foreign`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .null]])
      let past = PastFixture(store: store, path: path)
      let old = HistoryToken(store: store.store.storeIdentifier, sequence: 1)
      let error = await store.code { _ = try past.history("{\"since\":\"\(old)\"}") }
      #expect(error?.code == .historyForeign)
    }
  }

  @Test func `epochs of which nothing is kept are expired, and forgotten at last`() async throws {
    try await withStore { store, path in
      await store.close()
      var tokens: [String] = []
      for start in 0..<130 {
        let (store, past) = try open(path)
        try await store.insert([[.string("\(start)"), .null]])
        tokens.append(try past.head())
        if start > 0 { try await store.call("history.delete", "{\"before\":\"\(tokens[start])\"}") }
        await store.close()
      }
      #expect(try 100...103 ~= epochCount(path))
      let (store, past) = try open(path)
      func code(_ token: String) async -> DepotError.Code? {
        await store.code { _ = try past.history("{\"since\":\"\(token)\"}") }?.code
      }
      #expect(await code(tokens[129]) == nil)
      #expect(await code(tokens[128]) == nil)
      #expect(await code(tokens[127]) == .historyExpired)
      #expect(await code(tokens[40]) == .historyExpired)
      #expect(await code(tokens[10]) == .historyForeign)
      await store.close()
    }
  }
}
