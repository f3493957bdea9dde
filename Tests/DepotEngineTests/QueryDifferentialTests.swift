import DepotProtocol
import DepotSQLite
import Foundation
import TestSupport
import Testing

@testable import DepotEngine

/// Random queries over random data under random schemas, answered by SQL and in memory.
@Suite struct QueryDifferentialTests {
  /// The seeds of worlds, in each of which 40 queries are asked.
  private static let seeds: Range<UInt64> = TestSupport.seeds(100)
  private static let now = Date(timeIntervalSinceReferenceDate: 7e8)

  @Test func `SQL finds the rows that a query means`() async throws {
    let count = UInt64(ProcessInfo.processInfo.activeProcessorCount)
    let found = await withTaskGroup(of: Int.self) { group in
      for part in 0..<count {
        group.addTask {
          var found = 0
          for seed in Self.seeds where seed % count == part { found += Self.examine(seed) }
          return found
        }
      }
      return await group.reduce(0, +)
    }
    // That the queries find nothing at all would prove little.
    #expect(found > Self.seeds.count)
  }

  private static func examine(_ seed: UInt64) -> Int {
    var random = ValueGenerator(seed: seed)
    let world = QueryWorld(using: &random)
    var found = 0
    do {
      let store = try QueryWorldStore(world)
      for number in 0..<40 {
        let entity = random.pick(world.schema.entities).name
        var generator = ExpressionGenerator(world.schema, entity: entity, random)
        if number % 4 == 3 {
          let type = random.pick(AttributeType.scalars)
          check(generator.value(type, 3), of: entity, in: store, seed)
        } else {
          found += check(generator.predicate(3), in: entity, of: store, seed)
        }
        random = generator.random
      }
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
    return found
  }

  /// Compares the answers to a predicate; returns how many rows satisfy it.
  private static func check(
    _ predicate: QueryExpression,
    in entity: String,
    of store: QueryWorldStore,
    _ seed: UInt64
  ) -> Int {
    func expected(_ predicate: QueryExpression) -> [Int64] {
      store.world.objects(of: entity).filter {
        QueryEvaluator($0, of: entity, in: store.world.schema, now: now).isTrue(predicate)
      }.map(\.identifier)
    }
    let count = expected(predicate).count
    do {
      let matches = try store.matches(predicate, in: entity, now: now)
      guard matches != expected(predicate) else { return count }
      // What doesn't fit the schema any more isn't simpler but wrong.
      let simplest = predicate.shrunk { simpler in
        (try? store.matches(simpler, in: entity, now: now)).map { $0 != expected(simpler) } ?? false
      }
      Issue.record(
        """
        seed \(seed), \(entity): \(simplest)
        SQL: \((try? store.matches(simplest, in: entity, now: now)) ?? []), \
        expected: \(expected(simplest))
        \(store.sql(simplest, in: entity, now: now))
        """
      )
    } catch {
      Issue.record("seed \(seed), \(entity): \(predicate): \(error)")
    }
    return count
  }

  /// Compares what an operand is for each row.
  private static func check(
    _ operand: QueryExpression,
    of entity: String,
    in store: QueryWorldStore,
    _ seed: UInt64
  ) {
    func expected(_ operand: QueryExpression) -> [SQLiteValue] {
      store.world.objects(of: entity).map {
        StoredValue.encode(
          QueryEvaluator($0, of: entity, in: store.world.schema, now: now).value(operand)
        )
      }
    }
    func differs(_ operand: QueryExpression) throws -> Bool {
      let (values, expected) = (
        try store.values(operand, in: entity, now: now), expected(operand)
      )
      return values.count != expected.count
        || !zip(values, expected).allSatisfy { Self.isSame($0, $1) }
    }
    do {
      guard try differs(operand) else { return }
      let simplest = operand.shrunk { (try? differs($0)) ?? false }
      let values = (try? store.values(simplest, in: entity, now: now)) ?? []
      Issue.record(
        "seed \(seed), \(entity): \(simplest)\nSQL: \(values)\nexpected: \(expected(simplest))"
      )
    } catch {
      Issue.record("seed \(seed), \(entity): \(operand): \(error)")
    }
  }

  /// SQLite may give a whole number for a double; text is the same if its bytes are.
  private static func isSame(_ left: SQLiteValue, _ right: SQLiteValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .real(let right)): Double(left) == right
    case (.real(let left), .integer(let right)): left == Double(right)
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    default: left == right
    }
  }
}
