import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// Rows sorted by what the rows come to that they lead to, by SQL and in memory.
@Suite struct AggregateOrderTests {
  @Test func `aggregates of to-many relationships sort as their values do`() throws {
    var count = 0
    for seed in UInt64(0)..<60 {
      var random = ValueGenerator(seed: seed)
      let store = try QueryWorldStore(QueryWorld(using: &random))
      for entity in store.world.schema.entities {
        for text in keys(of: entity, store.world.schema) {
          for isDescending in [false, true] {
            let expected = try sorted(by: text, isDescending, entity, store.world)
            let found = try store.sorted(by: key(text, isDescending), in: entity.name)
            #expect(found == expected, "seed \(seed), \(entity.name): \(text)")
            count += 1
          }
        }
      }
    }
    #expect(count > 500)
  }

  /// The aggregates that predicates have, as they write them.
  private func keys(of entity: Entity, _ schema: Schema) -> [String] {
    schema.relationships(of: entity).filter(\.isToMany).flatMap { relationship -> [String] in
      let attributes = schema[relationship.destination]?.attributes ?? []
      let sortable = attributes.filter {
        [.string, .int64, .date].contains($0.type) && $0.collection == nil
      }
      return ["\(relationship.name).@count"]
        + sortable.flatMap { attribute in
          ["max", "min"].map { "\(relationship.name).@\($0).\(attribute.name)" }
        }
    }
  }

  private func expression(_ text: String) throws -> QueryExpression {
    var bindings = VariableBindings([:])
    return try PredicateParser.parse(text, &bindings, as: .expression)
  }

  private func key(_ text: String, _ isDescending: Bool) throws -> SortKey {
    SortKey(try expression(text), descending: isDescending)
  }

  private func sorted(
    by text: String,
    _ isDescending: Bool,
    _ entity: Entity,
    _ world: QueryWorld
  ) throws -> [Int64] {
    let expression = try expression(text)
    let rows = world.objects(of: entity.name).map { object in
      (
        value: StoredValue.encode(
          QueryEvaluator(object, of: entity.name, in: world.schema, now: .now).value(expression)
        ),
        identifier: object.identifier
      )
    }
    return rows.sorted { left, right in
      switch order(left.value, right.value) {
      case .orderedSame: left.identifier < right.identifier
      case let order: (order == .orderedAscending) != isDescending
      }
    }.map(\.identifier)
  }

  private func order(_ left: SQLiteValue, _ right: SQLiteValue) -> ComparisonResult {
    func order<Part: Comparable>(_ left: Part, _ right: Part) -> ComparisonResult {
      left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }
    switch (left, right) {
    case (.null, .null): return .orderedSame
    case (.null, _): return .orderedAscending
    case (_, .null): return .orderedDescending
    case (.integer(let left), .integer(let right)): return order(left, right)
    case (.text(let left), .text(let right)):
      if left.utf8.elementsEqual(right.utf8) { return .orderedSame }
      return left.utf8.lexicographicallyPrecedes(right.utf8)
        ? .orderedAscending : .orderedDescending
    // NaN, which is last.
    case (.blob, .blob): return .orderedSame
    case (.blob, _): return .orderedDescending
    case (_, .blob): return .orderedAscending
    default: return order(number(left), number(right))
    }
  }

  private func number(_ value: SQLiteValue) -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .real(let number): return number
    default:
      Issue.record("\(value) has no order here.")
      return 0
    }
  }
}

extension QueryWorldStore {
  /// Returns the identifiers of the rows of an entity in an order.
  fileprivate func sorted(by key: SortKey, in entity: String) throws -> [Int64] {
    let layout = try catalog.layout(of: entity)
    var compiler = QueryCompiler(layout, in: catalog, now: .now)
    let order = try RowOrder([key], in: &compiler).sql
    let kind = layout.kindCondition(in: "t0", includingDescendants: true) ?? "1"
    let query =
      "SELECT t0.id FROM " + compiler.source + Fragment(sql: " WHERE \(kind) ORDER BY ") + order
    var identifiers: [Int64] = []
    try connection.statement(query.sql).run(query.parameters) { identifiers.append($0.integer(0)) }
    connection.forgetStatements()
    return identifiers
  }
}
