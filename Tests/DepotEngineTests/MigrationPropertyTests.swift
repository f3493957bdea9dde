import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotEngine

/// Holds what migrations do to rows against a model that changes with the schema.
@Suite struct MigrationPropertyTests {
  private static let seeds: Range<UInt64> = TestSupport.seeds(25)

  @Test func `rows are what the model says after each of several versions`() async throws {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let schema = MigrationScenario.schema(&random)
      try await withStore(schema) { store, path in
        try await Self.fill(store, schema, &random)
        let model = try MigrationModel(of: store.store.catalog, in: path)
        var scenario = MigrationScenario(schema, model, random)
        for version in 2...4 {
          scenario.advance()
          let plan = MigrationPlan.infer(
            from: store.store.catalog.schema,
            to: scenario.schema
          )
          try #require(plan.problems == [], "seed \(seed): \(scenario.log)")
          do {
            try await store.write(
              .defineSchema(
                scenario.schema,
                isDryRun: false,
                MigrationOptions(takesBackup: version == 2)
              )
            )
          } catch {
            Issue.record("seed \(seed), version \(version): \(error), \(scenario.log)")
            return
          }
          let found = try MigrationModel(of: store.store.catalog, in: path)
          #expect(
            Bool(found == scenario.model),
            "seed \(seed), version \(version): \(scenario.log) \(difference(found, scenario.model))"
          )
          #expect(store.store.catalog.schema == scenario.schema)
        }
        // The store is as good as one that was made so.
        try await Self.fill(store, scenario.schema, &random)
        await store.close()
        #expect(try Store.check(path: path) == [], "seed \(seed)")
      }
    }
  }

  private func difference(_ found: MigrationModel, _ wanted: MigrationModel) -> String {
    var lines: [String] = ["\(found.tables.keys.sorted()) \(wanted.tables.keys.sorted())"]
    for (root, rows) in wanted.tables {
      for (identifier, row) in rows.sorted(by: { $0.key < $1.key }) {
        let other = found.tables[root]?[identifier]
        guard other != row, lines.count < 4 else { continue }
        lines.append("\(root)/\(identifier): \(String(describing: other)) is not \(row)")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// Inserts rows of all entities that lead to each other.
  private static func fill(
    _ store: StoreFixture,
    _ schema: Schema,
    _ random: inout SeededGenerator
  ) async throws {
    var identifiers: [String: [Int64]] = [:]
    for entity in schema.entities where !entity.isAbstract {
      let fields = schema.fields(of: entity).filter { $0.relationship == nil && !$0.isPresence }
      let rows = (0..<12).map { _ in
        let isAbsent = random.once(in: 2)
        return fields.map { field in
          var attribute = field.attribute
          // A composite is there with all of its parts, or with none.
          if field.path.contains(".") {
            if isAbsent, attribute.isOptional { return Value.null }
            attribute.isOptional = false
          }
          return value(of: attribute, &random)
        }
      }
      let result = try await store.write(
        .insert(
          InsertRequest(entity: entity.name, columns: fields.map(\.path), rows: RowBatch(rows))
        )
      )
      identifiers[entity.name] = result["ids"]?.array?.compactMap(\.int64) ?? []
    }
    for entity in schema.entities {
      for link in entity.relationships {
        let family = [link.destination] + schema.descendants(of: link.destination).map(\.name)
        let targets = family.flatMap { identifiers[$0] ?? [] }
        for identifier in identifiers[entity.name] ?? [] where random.once(in: 2) {
          let count = Int.random(in: 0...3, using: &random)
          let list = (0..<count).map { _ in random.pick(targets) }
          let value: Value =
            link.isToMany ? .list(Array(Set(list)).map(Value.int64)) : .int64(random.pick(targets))
          try await store.write(
            .update(
              UpdateRequest(
                entity: entity.name,
                rows: .identifiers([identifier]),
                columns: [link.name],
                values: RowBatch([[value]])
              )
            )
          )
        }
      }
    }
  }

  private static func value(of attribute: Attribute, _ random: inout SeededGenerator) -> Value {
    if attribute.isOptional, random.once(in: 3) { return .null }
    guard attribute.collection == nil else {
      return .list(
        (0..<Int.random(in: 0...3, using: &random)).map { _ in scalar(attribute, &random) }
      )
    }
    return scalar(attribute, &random)
  }

  private static func scalar(_ attribute: Attribute, _ random: inout SeededGenerator) -> Value {
    let number = Int64.random(in: 0...100, using: &random)
    return switch attribute.type {
    case .int64: .int64(number)
    case .bool: .bool(number % 2 == 0)
    case .double: .double(Double(number) + 0.5)
    case .string: .string("t\(number)")
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number * 86400)))
    case .uuid: .uuid(UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
    case .data: .data(Data([UInt8(number), 1]))
    case .decimal: .decimal(Decimal(number))
    case .url: URL(string: "http://x/\(number)").map(Value.url) ?? .null
    case .json, .composite: .null
    }
  }
}
