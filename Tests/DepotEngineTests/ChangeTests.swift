import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

@Suite struct ChangeTests {
  private func update(
    _ rows: RowSelection,
    _ values: [DepotProtocol.Value],
    _ columns: [String]
  ) -> DepotProtocol.Operation {
    .update(
      UpdateRequest(entity: "Item", rows: rows, columns: columns, values: RowBatch([values]))
    )
  }

  @Test func `an update changes what it names and the version`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .int64(1)], [.string("b"), .int64(2)]])
      let result = try await store.write(update(.identifiers([2, 2]), [.int64(9)], ["size"]))
      #expect(result["updated"] == .int64(1))
      #expect(
        try rows("SELECT version, a_name, a_size FROM e_Item", in: path) == [
          [.integer(1), .text("a"), .integer(1)], [.integer(2), .text("b"), .integer(9)],
        ]
      )
      let all = try await store.write(update(.predicate(.value(.bool(true))), [.null], ["size"]))
      #expect(all["updated"] == .int64(2))
      #expect(try rows("SELECT version FROM e_Item", in: path) == [[.integer(2)], [.integer(3)]])
      await store.close()
      #expect(try Store.check(path: path) == [])
    }
  }

  @Test func `an update of a missing row changes nothing`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .int64(1)]])
      let results = await store.write([
        update(.identifiers([1, 7, 8]), [.int64(9)], ["size"]),
        .delete(DeleteRequest(entity: "Item", rows: .identifiers([1, 7]))),
      ])
      #expect(results.map { $0.error?.code } == [.objectNotFound, .objectNotFound])
      #expect(results[0].error?.details?["missing"] == .array([.int64(7), .int64(8)]))
      #expect(try rows("SELECT a_size FROM e_Item", in: path) == [[.integer(1)]])
    }
  }

  @Test func `an update to a value that another row has is refused`() async throws {
    try await withStore { store, _ in
      try await store.insert([[.string("a"), .null], [.string("b"), .null]])
      let results = await store.write([update(.identifiers([2]), [.string("a")], ["name"])])
      #expect(results[0].error?.code == .unique)
      #expect(results[0].error?.details?["existing"] == .string("Item/1"))
      let same = await store.write([update(.identifiers([1]), [.string("a")], ["name"])])
      #expect(same[0].error == nil)
    }
  }

  @Test func `rows are deleted by identifier and by predicate`() async throws {
    try await withStore { store, path in
      try await store.insert((0..<5).map { [.string("\($0)"), .null] })
      let some = DeleteRequest(entity: "Item", rows: .identifiers([2, 4]))
      #expect(try await store.write(.delete(some))["deleted"] == .int64(2))
      let rest = DeleteRequest(entity: "Item", rows: .predicate(.value(.bool(true))))
      #expect(try await store.write(.delete(rest))["deleted"] == .int64(3))
      #expect(try rows("SELECT id FROM e_Item", in: path).isEmpty)
    }
  }
}
