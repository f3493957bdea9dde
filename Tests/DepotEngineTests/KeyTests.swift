import DepotEngine
import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@Suite struct KeyTests {
  @Test func `a write with a key is applied once, also after reopening`() async throws {
    try await withStore { store, path in
      let first = try await store.insert([[.string("a"), .null]], key: "k")
      let second = try await store.insert([[.string("a"), .null]], key: "k")
      #expect(first == second)
      #expect(store.store.statistics.repeatedWrites == 1)
      await store.close()
      let reopened = try StoreFixture(StoreConfiguration(path: path))
      let third = try await reopened.insert([[.string("a"), .null]], key: "k")
      #expect(third == first)
      #expect(try rows("SELECT id FROM e_Item", in: path) == [[.integer(1)]])
      await reopened.close()
    }
  }

  @Test func `a key with another request is refused`() async throws {
    try await withStore { store, _ in
      try await store.insert([[.string("a"), .null]], key: "k")
      let error = await #expect(throws: DepotError.self) {
        try await store.insert([[.string("b"), .null]], key: "k")
      }
      #expect(error?.code == .keyReused)
    }
  }

  @Test func `a repeated write is answered in the form that its connection wants`() async throws {
    try await withStore { store, _ in
      let request = InsertRequest(
        entity: "Item",
        columns: ["name"],
        rows: RowBatch([[.string("a")], [.string("a")], [.string("b")]]),
        reportsRejects: true
      )
      let numbers: JSONValue = .array([.int64(1), .null, .int64(3)])
      let texts: JSONValue = .array([.string("1"), .null, .string("3")])
      for (form, expected) in [
        (Int64Form.string, texts), (.number, numbers), (.string, texts),
      ] {
        let result = await store.write([.insert(request)], key: "k", int64: form)
        let identifiers = try result[0].get()["ids"]
        #expect(identifiers == expected)
      }
      #expect(store.store.statistics.repeatedWrites == 2)
    }
  }

  @Test func `a write that failed can be repeated with its key`() async throws {
    try await withStore { store, path in
      let request = InsertRequest(
        entity: "Item",
        columns: ["name"],
        rows: RowBatch([[.string("a")]])
      )
      let control = CallControl()
      control.cancel()
      let results = await store.write([.insert(request)], key: "k", control: control)
      #expect(results[0].error?.code == .cancelled)
      try await store.write(.insert(request), key: "k")
      #expect(try rows("SELECT a_name FROM e_Item", in: path) == [[.text("a")]])
    }
  }

  @Test func `old outcomes are forgotten and others kept`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .null]], key: "old")
      try await store.insert([[.string("b"), .null]], key: "new")
      await store.close()
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute("UPDATE depot_outcome SET period = period - 2 WHERE key = 'old'")
      }
      let reopened = try StoreFixture(StoreConfiguration(path: path))
      try await reopened.insert([[.string("c"), .null]])
      #expect(try rows("SELECT key FROM depot_outcome", in: path) == [[.text("new")]])
      await reopened.close()
    }
  }
}

@Suite struct IdentifierTests {
  @Test func `identifiers go on after a clean close`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .null], [.string("b"), .null]])
      let all = DeleteRequest(entity: "Item", rows: .identifiers([1, 2]))
      try await store.write(.delete(all))
      await store.close()
      let reopened = try StoreFixture(StoreConfiguration(path: path))
      #expect(try await reopened.insert([[.string("c"), .null]]) == [3])
      await reopened.close()
    }
  }

  @Test func `identifiers are never reused after a crash`() async throws {
    try await withStore { store, path in
      try await store.insert((0..<2000).map { [.string("\($0)"), .null] })
      let last = try await store.insert([[.string("x"), .null]])
      try await store.write(.delete(DeleteRequest(entity: "Item", rows: .identifiers([2001]))))
      // The files as they are now are what a crash would leave.
      let copy = path + "2"
      for suffix in ["", "-wal", ".state"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
      }
      let crashed = try StoreFixture(StoreConfiguration(path: copy))
      let next = try await crashed.insert([[.string("y"), .null]])
      #expect((next[0] ?? 0) > (last[0] ?? .max))
      await crashed.close()
    }
  }

  @Test func `identifiers aren't reused when the first of a batch fails`() async throws {
    try await withStore { store, _ in
      let request = InsertRequest(
        entity: "Item",
        columns: ["name"],
        rows: RowBatch([[.string("a")], [.string("a")]])
      )
      let results = await store.write([.insert(request)])
      #expect(results[0].error?.code == .unique)
      let identifiers = try await store.insert([[.string("b"), .null]])
      #expect((identifiers[0] ?? 0) > 2)
    }
  }
}
