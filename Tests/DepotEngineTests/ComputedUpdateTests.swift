import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

@Suite struct ComputedUpdateTests {
  private func update(
    _ path: String,
    _ expression: QueryExpression,
    values: RowBatch = RowBatch()
  ) -> DepotProtocol.Operation {
    .update(
      UpdateRequest(
        entity: "Item",
        rows: .predicate(.value(.bool(true))),
        columns: values.count == 0 ? [] : ["name"],
        values: values,
        computed: [UpdateRequest.Computation(path, expression)],
        returnsIdentifiers: true
      )
    )
  }

  @Test func `values are computed from each row as it was`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .int64(1)], [.string("b"), .int64(2)]])
      let sum = QueryExpression.arithmetic(.add, .attribute("size"), .value(.int64(40)))
      let result = try await store.write(update("size", sum))
      #expect(result["ids"] == .array([.int64(1), .int64(2)]))
      #expect(
        try texts("SELECT a_size, version FROM e_Item ORDER BY id", in: path)
          == [["41", "2"], ["42", "2"]]
      )
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `what doesn't fit is refused`() async throws {
    try await withStore { store, _ in
      try await store.insert([[.string("a"), .int64(1)], [.string("b"), .int64(2)]])
      let results = await store.write([
        update("size", .attribute("name")), update("nam", .attribute("name")),
        update("name", .value(.null)), update("name", .value(.string("same"))),
        update("name", .attribute("name"), values: RowBatch([[.string("x")]])),
      ])
      #expect(
        results.map { $0.error?.code }
          == [.predicate, .unknownAttribute, .violations, .unique, .usage]
      )
    }
  }
}
