import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// What a store makes known of its transactions.
@Suite struct CommittedChangesTests {
  private func run(
    _ body: (_ store: StoreFixture, _ path: String) async throws -> Void
  ) async throws {
    try await withStore(.recorded) { store, path in try await body(store, path) }
  }

  private func place(_ column: String, of root: String) throws -> Int {
    let layout = try Catalog(.recorded, generation: 1).layout(of: root)
    return try #require(layout.stored.firstIndex { $0.name == column })
  }

  @Test func `nothing is made known unless somebody is interested`() async throws {
    try await run { store, _ in
      try await store.insert("Tag", ["label"], #"[["a"]]"#)
      #expect(store.changes.takeAll().isEmpty)
      let told = try await store.told { try await store.insert("Tag", ["label"], #"[["b"]]"#) }
      #expect(told.count == 1)
      #expect(told.first?.connection == 7)
      #expect(told.first?.tables["Tag"]?.rows.map(\.identifier) == [2])
      #expect(told.first?.tables["Tag"]?.rows.map(\.kind) == [.insert])
    }
  }

  @Test func `an update tells the columns that changed and what they led to`() async throws {
    try await run { store, _ in
      try await store.insert("Node", ["size", "parent"], "[[1,null],[2,null],[3,1]]")
      let told = try await store.told {
        try await store.update("Node", [3], ["parent", "size"], "[2,3]")
      }
      let row = try #require(told.first?.tables["Node"]?.rows.first)
      let parent = try place("r_parent", of: "Node")
      #expect(told.first?.tables["Node"]?.rows.count == 1)
      #expect(row.kind == .update)
      #expect(row.columns == ColumnSet([parent]))
      #expect(row.oldReferences == [parent: 1])
    }
  }

  @Test func `moving a row tells the place of its order`() async throws {
    try await run { store, path in
      try await store.insert("Node", ["size", "parent"], "[[1,null],[2,1],[3,1]]")
      var lines: [String] = []
      let told = try await store.told {
        lines = try await store.recorded(path) {
          try await store.update("Node", [1], ["children"], "[[3,2]]")
        }
      }
      #expect(lines == [#"links Node [{"id":1,"p":{"children":{"order":true}}}]"#])
      let rows = try #require(told.first?.tables["Node"]?.rows)
      let order = try place("o_parent", of: "Node")
      #expect(rows.contains { $0.columns == ColumnSet([order]) })
    }
  }

  @Test func `a deletion tells what rows led to`() async throws {
    try await run { store, _ in
      try await store.insert("Node", ["size", "parent"], "[[1,null],[2,1]]")
      let told = try await store.told { _ = try await store.delete("Node", [1]) }
      let rows = try #require(told.first?.tables["Node"]?.rows)
      let parent = try place("r_parent", of: "Node")
      #expect(rows.map(\.identifier).sorted() == [1, 2])
      #expect(rows.allSatisfy { $0.kind == .delete })
      #expect(rows.first { $0.identifier == 2 }?.oldReferences == [parent: 1])
    }
  }

  @Test func `links are told`() async throws {
    try await run { store, _ in
      try await store.insert("Node", ["size"], "[[1]]")
      try await store.insert("Tag", ["label"], #"[["a"],["b"]]"#)
      let told = try await store.told {
        try await store.update("Node", [1], ["tags"], "[[1,2]]")
      }
      let pairs = told.first?.links["j_Node.tags"]?.pairs.map { [$0.source, $0.target] }
      #expect(pairs == [[1, 1], [1, 2]])
    }
  }

  @Test func `what the history doesn't keep is told all the same`() async throws {
    try await run { store, _ in
      let told = try await store.told {
        try await store.insert("Quiet", ["a"], "[[1],[2]]")
        try await store.update("Quiet", [1], ["a"], "[5]")
        _ = try await store.delete("Quiet", [2])
        try await store.insert("Named", ["a"], "[[1]]")
        try await store.update("Named", [1], ["a"], "[5]")
      }
      #expect(
        told.map { $0.tables.values.flatMap(\.rows).map(\.kind) }
          == [[.insert, .insert], [.update], [.delete], [.insert], [.update]]
      )
      #expect(told.allSatisfy { $0.tables.values.allSatisfy { !$0.isMany } })
      #expect(told[4].tables["Named"]?.rows.first?.columns == ColumnSet([0]))
    }
  }

  @Test func `a large change is told as one of the whole table`() async throws {
    try await withStore { store, path in
      for start in [0, 10_000] {
        try await store.insert(
          (start..<start + 10_000).map { [.string("n\($0)"), .int64(Int64($0))] }
        )
      }
      let all = #"{"entity":"Item","where":{"value":true},"set":{"size":1}}"#
      let told = try await store.told { try await store.call("update", all) }
      #expect(told.first?.tables["Item"]?.isMany == true)
      let deleted = try await store.told {
        try await store.call("delete", #"{"entity":"Item","where":{"value":true}}"#)
      }
      #expect(deleted.first?.tables["Item"]?.isMany == true)
      let last = try HistoryFixture(path: path).records(
        after: deleted.first.map { $0.token - 1 } ?? 0
      )
      #expect(last.allSatisfy { $0.kind == .delete && $0.entity == "Item" })
      #expect(last.count > 1)
      #expect(
        try rows("SELECT max(length(changes)) < 300000 FROM depot_history", in: path)
          == [[.integer(1)]]
      )
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a transaction beyond memory goes into the history in parts`() async throws {
    try await withStore { store, path in
      let text = String(repeating: "x", count: 2000)
      for start in stride(from: 0, to: 6000, by: 2000) {
        try await store.insert(
          (start..<start + 2000).map { [.string("\($0)\(text)"), .int64(Int64($0))] }
        )
      }
      let told = try await store.told {
        try await store.call("delete", #"{"entity":"Item","where":{"value":true}}"#)
      }
      #expect(told.count == 1)
      #expect(told.first?.tables["Item"]?.isMany == true)
      let lines = try HistoryFixture(path: path).lines(after: told.first.map { $0.token - 1 } ?? 0)
      var count = 0
      for line in lines {
        let text = try #require(line.hasPrefix("delete Item ") ? line.dropFirst(12) : nil)
        count += try JSONValue(parsing: text.utf8).array?.count ?? 0
      }
      #expect(count == 6000)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a failed request is told neither in the history nor to anybody`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .int64(1)]])
      var lines: [String] = []
      let told = try await store.told {
        lines = try await store.recorded(path) {
          let error = await store.code {
            try await store.insert([[.string("b"), .int64(1)], [.string("a"), .int64(1)]])
          }
          #expect(error?.code == .unique)
        }
      }
      #expect(told.isEmpty)
      #expect(lines.isEmpty)
    }
  }
}

@Suite struct ColumnSetTests {
  @Test func `places beyond a word are kept`() {
    let set = ColumnSet([0, 63, 64, 200])
    #expect(set.indices == [0, 63, 64, 200])
    #expect(set.count == 4)
    #expect(set.contains(64) && set.contains(200) && !set.contains(65) && !set.contains(300))
    #expect(set.isDisjoint(with: ColumnSet([1, 65, 199])))
    #expect(!set.isDisjoint(with: ColumnSet([1, 200])))
    #expect(set.union(ColumnSet([300])).indices == [0, 63, 64, 200, 300])
    #expect(ColumnSet().isEmpty)
  }
}
