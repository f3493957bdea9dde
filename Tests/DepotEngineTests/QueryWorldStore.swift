import DepotProtocol
import DepotSQLite
import Foundation

@testable import DepotEngine

/// A world as rows of a database in memory.
struct QueryWorldStore {
  let world: QueryWorld
  let catalog: Catalog
  let connection: Connection

  init(_ world: QueryWorld) throws {
    self.world = world
    catalog = Catalog(world.schema, generation: 1)
    connection = try Connection(path: ":memory:", access: .writer)
    try TextFunctions.register(on: connection)
    for layout in catalog.tables {
      let root = layout.tableDefinition
      try connection.execute(root)
    }
    for layout in catalog.allLayouts {
      for addition in layout.additions { try connection.execute(addition.sql) }
    }
    for object in world.objects { try insert(object) }
    for layout in catalog.allLayouts { try link(layout) }
  }

  private func insert(_ object: WorldObject) throws {
    let layout = try catalog.layout(of: object.entityName)
    let values = layout.stored.indices.map { place -> SQLiteValue in
      let column = layout.stored[place]
      if column.storage == .kind { return .integer(Int64(layout.number)) }
      if column.storage == .order {
        let name = column.name.dropFirst(2).split(separator: ":").last.map(String.init) ?? ""
        return object.orders[name].map(SQLiteValue.integer) ?? .null
      }
      guard let field = layout.field(at: place) else { return .null }
      if field.relationship != nil {
        return object.toOne[field.path].map { .integer($0.identifier) } ?? .null
      }
      return StoredValue.encode(object.value(at: field.path))
    }
    let marks = repeatElement("?", count: values.count + 2).joined(separator: ", ")
    try connection.statement("INSERT INTO \(layout.table) (\(layout.fullRow)) VALUES (\(marks))")
      .run([.integer(object.identifier), .integer(object.version)] + values)
  }

  private func link(_ layout: EntityLayout) throws {
    for relationship in layout.relationships where relationship.owner == layout.name {
      guard case .join(let table, "source", _, _) = relationship.storage else { continue }
      let name = relationship.name
      for object in world.objects(of: layout.name) {
        let targets = object.toMany[name] ?? []
        for (index, target) in targets.enumerated() {
          var columns = "source, target"
          var values = [object.identifier, target.identifier]
          if relationship.relationship.isOrdered {
            columns += ", source_order"
            values.append(Int64(index * 3))
          }
          if let inverse = relationship.inverse, inverse.isOrdered, !relationship.isSelfInverse {
            columns += ", target_order"
            let place = target.toMany[inverse.name]?.firstIndex { $0 === object } ?? 0
            values.append(Int64(place * 2))
          }
          let marks = repeatElement("?", count: values.count).joined(separator: ", ")
          try connection.statement("INSERT INTO \(table) (\(columns)) VALUES (\(marks))")
            .run(values.map(SQLiteValue.integer))
        }
      }
    }
  }

  /// Returns the identifiers of the rows that satisfy a predicate.
  func matches(_ predicate: QueryExpression, in entity: String, now: Date) throws -> [Int64] {
    let layout = try catalog.layout(of: entity)
    let compiled = try PredicateSQL.compile(predicate, for: layout, in: catalog, now: now)
    let kind = layout.kindCondition(in: "t0", includingDescendants: true) ?? "1"
    let statement = try connection.statement(
      "SELECT t0.id FROM \(compiled.source) WHERE \(kind) AND (\(compiled.sql)) ORDER BY t0.id"
    )
    var identifiers: [Int64] = []
    try statement.run(compiled.parameters) { identifiers.append($0.integer(0)) }
    connection.forgetStatements()
    return identifiers
  }

  /// Returns the SQL of a predicate, to be read.
  func sql(_ predicate: QueryExpression, in entity: String, now: Date) -> String {
    guard let layout = try? catalog.layout(of: entity),
      let compiled = try? PredicateSQL.compile(predicate, for: layout, in: catalog, now: now)
    else { return "" }
    return "FROM \(compiled.source) WHERE \(compiled.sql) \(compiled.parameters)"
  }

  /// Returns what an operand is for each row.
  func values(_ operand: QueryExpression, in entity: String, now: Date) throws -> [SQLiteValue] {
    let layout = try catalog.layout(of: entity)
    var compiler = QueryCompiler(layout, in: catalog, now: now)
    let value = try compiler.operand(operand).fragment
    let kind = layout.kindCondition(in: "t0", includingDescendants: true) ?? "1"
    let query = "SELECT " + value + " FROM " + compiler.source + " WHERE \(kind) ORDER BY t0.id"
    var values: [SQLiteValue] = []
    try connection.statement(query.sql).run(query.parameters) { values.append($0[0]) }
    connection.forgetStatements()
    return values
  }
}
