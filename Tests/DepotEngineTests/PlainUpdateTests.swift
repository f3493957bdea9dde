import DepotProtocol
import DepotSQLite
import TestSupport
import Testing

@testable import DepotEngine

/// Updates of all rows that satisfy a predicate to the same values, by statements for many of them.
@Suite struct PlainUpdateTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Sample",
      attributes: [
        Attribute(name: "size", type: .int64, isOptional: true),
        Attribute(name: "score", type: .double, isOptional: true),
        Attribute(name: "label", type: .string, isOptional: true),
      ],
      history: .values
    )
  ])

  private static func values(_ generator: inout SeededGenerator) -> [DepotProtocol.Value] {
    func pick(_ values: [DepotProtocol.Value]) -> DepotProtocol.Value {
      values[Int(generator.next() % UInt64(values.count))]
    }
    return [
      pick([.null, .int64(0), .int64(7), .int64(.max)]),
      pick([.null, .double(0), .double(-0.0), .double(1.5), .double(.nan)]),
      pick([.null, .string(""), .string("a"), .string("A"), .string("a\u{301}")]),
    ]
  }

  private static func isSame(_ first: DepotProtocol.Value, _ second: DepotProtocol.Value) -> Bool {
    guard case .double(let first) = first, case .double(let second) = second else {
      return first == second
    }
    return first.bitPattern == second.bitPattern || first.isNaN && second.isNaN
  }

  @Test(arguments: seeds(6))
  func `only rows that had other values get a new version and are in the history`(
    seed: Int
  ) async throws {
    try await withStore(Self.schema) { store, path in
      var generator = SeededGenerator(seed: UInt64(seed))
      let count = 50 + Int(generator.next() % 150)
      let columns = ["size", "score", "label"]
      var model = (0..<count).map { _ in (version: 1, values: Self.values(&generator)) }
      try await store.write(
        .insert(
          InsertRequest(entity: "Sample", columns: columns, rows: RowBatch(model.map(\.values)))
        )
      )
      for _ in 0..<4 {
        let places = [[0], [1], [2], [0, 1], [1, 2], [0, 1, 2]][Int(generator.next() % 6)]
        let values = Self.values(&generator)
        let last = Int(generator.next() % UInt64(count)) + 1
        let changed = (0..<last).filter { row in
          places.contains { !Self.isSame(model[row].values[$0], values[$0]) }
        }
        let before = try rows("SELECT max(id) FROM depot_history", in: path)[0][0]
        let result = try await store.write(
          .update(
            UpdateRequest(
              entity: "Sample",
              rows: .predicate(
                .comparison(.lessOrEqual, .attribute("$id"), .value(.int64(Int64(last))))
              ),
              columns: places.map { columns[$0] },
              values: RowBatch([places.map { values[$0] }])
            )
          )
        )
        #expect(result["updated"] == .int64(Int64(last)))
        for row in changed {
          model[row].version += 1
          for place in places { model[row].values[place] = values[place] }
        }
        let versions = try rows("SELECT version FROM e_Sample ORDER BY id", in: path)
        #expect(versions == model.map { [.integer(Int64($0.version))] })
        guard case .integer(let token) = before else { throw CancellationError() }
        let told = try HistoryFixture(path: path).records(after: token)
          .flatMap { try $0.elements() }.map(\.row)
        #expect(told.sorted() == changed.map { Int64($0 + 1) })
      }
      await store.close()
      #expect(try Store.check(path: path) == [])
    }
  }

  @Test(arguments: [QueryExpression.and([]), .value(.bool(true))])
  func `every row can be updated and deleted by either condition that is always true`(
    condition: QueryExpression
  ) async throws {
    try await withStore(Self.schema) { store, path in
      let values = (0..<2500).map { [DepotProtocol.Value.int64(Int64($0)), .null, .null] }
      try await store.write(
        .insert(
          InsertRequest(
            entity: "Sample",
            columns: ["size", "score", "label"],
            rows: RowBatch(values)
          )
        )
      )
      let updated = try await store.write(
        .update(
          UpdateRequest(
            entity: "Sample",
            rows: .predicate(condition),
            columns: ["size"],
            values: RowBatch([[.int64(3)]])
          )
        )
      )
      #expect(updated["updated"] == .int64(2500))
      #expect(
        try rows(
          "SELECT size, version, count(*) FROM (SELECT a_size AS size, version FROM e_Sample) GROUP BY 1, 2 ORDER BY 2",
          in: path
        )
          == [
            [.integer(3), .integer(1), .integer(1)], [.integer(3), .integer(2), .integer(2499)],
          ]
      )
      let deleted = try await store.write(
        .delete(DeleteRequest(entity: "Sample", rows: .predicate(condition)))
      )
      #expect(deleted["deleted"] == .int64(2500))
      #expect(try rows("SELECT id FROM e_Sample", in: path).isEmpty)
      await store.close()
      #expect(try Store.check(path: path) == [])
    }
  }
}
