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

  @Test(arguments: [
    ("size * 4611686018427387904", true), ("100 / (size - 2)", true), ("size % (size - 2)", true),
    ("TERNARY(size == 2, 5, 100 / (size - 2))", false),
    ("TERNARY(size == 2, nil, 100 / (size - 2))", false),
    ("1 + other", false), ("1 + 1 / (size - 2)", true),
    ("CAST(sqrt(0 - size), \"int64\")", true), ("TERNARY(size == 1, 1 / 0, 3)", true),
    ("CAST(ln(size - 1), \"int64\")", true), ("CAST(exp(size * 500), \"int64\")", true),
    ("CAST(COALESCE(sqrt(0 - size), 1), \"int64\")", false), ("CAST(size * 100, \"int8\")", true),
  ])
  func `what can't be computed isn't stored as null`(text: String, fails: Bool) async throws {
    let schema = Schema(entities: [
      Entity(
        name: "Item",
        attributes: [
          Attribute(name: "name", type: .string, isOptional: true),
          Attribute(name: "size", type: .int64, isOptional: true),
          Attribute(name: "other", type: .int64, isOptional: true),
        ]
      )
    ])
    try await withStore(schema) { store, path in
      try await store.insert("Item", ["size"], "[[1],[2],[3]]")
      let expression = try PredicateParser.parseExpression(text)
      let result = await store.write([update("size", expression)])[0]
      guard fails else {
        _ = try result.get()
        #expect(try await store.problems(path) == [])
        return
      }
      let error = result.error
      let first = error?.details?["violations"]?.array?.first ?? error?.details
      #expect(error?.code == .range || first?["code"] == .string("constraint.range"), "\(result)")
      #expect(error?.at == "/args/compute/size")
      #expect(error?.hint != nil)
      #expect(first?["entity"] == .string("Item"))
      #expect(first?["attribute"] == .string("size"))
      #expect(first?["id"]?.int64 != nil)
      #expect(
        try texts("SELECT a_size FROM e_Item ORDER BY id", in: path) == [["1"], ["2"], ["3"]]
      )
    }
  }

  @Test func `a value beyond a float is out of range`() async throws {
    let schema = Schema(entities: [
      Entity(
        name: "Item",
        attributes: [
          Attribute(name: "name", type: .string, isOptional: true),
          Attribute(name: "f", type: .double, width: .float, isOptional: true),
        ]
      )
    ])
    try await withStore(schema) { store, _ in
      try await store.insert("Item", ["f"], "[[1e30]]")
      let square = QueryExpression.arithmetic(.multiply, .attribute("f"), .attribute("f"))
      let error = await store.write([update("f", square)])[0].error
      #expect(error?.code == .range)
      #expect(error?.message.contains("outside") == true)
    }
  }
}
