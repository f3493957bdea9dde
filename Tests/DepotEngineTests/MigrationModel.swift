import DepotProtocol
import DepotSQLite
import Foundation

@testable import DepotEngine

/// What a store holds, kept in memory, so that a migration can be carried out on it by simple means.
struct MigrationModel: Equatable {
  struct Row: Equatable {
    /// The concrete entity.
    var entity: String
    var values: [String: Value] = [:]
    /// What each relationship leads to, in its order if it has one, else by identifier.
    var links: [String: [Int64]] = [:]

    static func == (left: Row, right: Row) -> Bool {
      left.entity == right.entity && left.links == right.links
        && left.values.keys == right.values.keys
        && left.values.allSatisfy { $1.isIdentical(to: right.values[$0] ?? .null) }
    }
  }

  /// The rows of each hierarchy by identifier, by its root entity.
  var tables: [String: [Int64: Row]] = [:]

  /// Reads a store that is closed or not being written to.
  init(of catalog: Catalog, in path: String) throws {
    let connection = try Connection(path: path, access: .reader)
    for layout in catalog.allLayouts where !layout.entity.isAbstract {
      let kind = layout.kindCondition(in: layout.table, includingDescendants: false)
      let filter = kind.map { " WHERE \($0)" } ?? ""
      tables[layout.root] = tables[layout.root] ?? [:]
      var rows: [Int64: Row] = [:]
      try connection.statement("SELECT \(layout.fullRow) FROM \(layout.table)\(filter)").run {
        row in
        var found = Row(entity: layout.name)
        for (position, field) in layout.fields.enumerated() where field.relationship == nil {
          guard let place = layout.storedPositions[position] else { continue }
          let attribute = field.attribute
          let value = StoredValue.decode(Cell(row, place + 2), of: attribute)
          found.values[field.path] = value ?? .string("unreadable")
        }
        rows[row.integer(0)] = found
      }
      for link in layout.relationships {
        for identifier in rows.keys {
          rows[identifier]?.links[link.name] = try Self.targets(
            link,
            of: identifier,
            layout,
            connection
          )
        }
      }
      tables[layout.root]?.merge(rows) { $1 }
    }
  }

  private static func targets(
    _ link: RelationshipLayout,
    of identifier: Int64,
    _ layout: EntityLayout,
    _ connection: Connection
  ) throws -> [Int64] {
    let sql: String
    switch link.storage {
    case .column(let column):
      sql = "SELECT \(column) FROM \(layout.table) WHERE id = ?1 AND \(column) IS NOT NULL"
    case .foreignColumn(let table, let column, let order):
      sql =
        "SELECT id FROM \(table) WHERE \(column) = ?1 ORDER BY \(order.map { "\($0), " } ?? "")id"
    case .join(let table, let near, let far, let order):
      sql =
        "SELECT \(far) FROM \(table) WHERE \(near) = ?1 ORDER BY \(order.map { "\($0), " } ?? "")\(far)"
    }
    var result: [Int64] = []
    try connection.statement(sql).run([.integer(identifier)]) { result.append($0.integer(0)) }
    return result
  }

  /// Changes all rows of an entity and those that descend from it.
  mutating func update(
    _ entity: String,
    in schema: Schema,
    _ body: (inout Row) -> Void
  ) {
    guard let found = schema[entity] else { return }
    let family = Set(([found] + schema.descendants(of: entity)).map(\.name))
    for root in tables.keys {
      for (identifier, row) in tables[root] ?? [:] where family.contains(row.entity) {
        var row = row
        body(&row)
        tables[root]?[identifier] = row
      }
    }
  }
}
