package import DepotProtocol

/// How an entity is stored: its table and columns.
///
/// A full row is selected as identifier, version, checksum, and then the attributes in the schema's
/// order.
package final class EntityLayout: Sendable {
  package let entity: Entity
  /// The quoted name of the table.
  package let table: String
  /// The quoted name of each attribute's column, in the schema's order.
  package let columns: [String]
  private let positions: [String: Int]

  package init(_ entity: Entity) {
    self.entity = entity
    // Names were checked to be letters, digits, and underscores; the prefixes keep them apart from
    // our own and from SQL's.
    table = "\"e_\(entity.name)\""
    columns = entity.attributes.map { "\"a_\($0.name)\"" }
    positions = Dictionary(
      uniqueKeysWithValues: entity.attributes.enumerated().map { ($1.name, $0) }
    )
  }

  package var name: String { entity.name }

  /// The attributes in the schema's order.
  package var attributes: [Attribute] { entity.attributes }

  /// Returns the position of an attribute in the schema's order, or `nil`.
  package func position(of attribute: String) -> Int? { positions[attribute] }

  /// The list of columns of a full row.
  package var fullRow: String { (["id", "version", "checksum"] + columns).joined(separator: ", ") }
}

/// A schema with its layouts, never changed after it was made.
package final class Catalog: Sendable {
  package let schema: Schema
  package let fingerprint: String
  /// Grows with every change of the schema; statements compiled for another one are stale.
  package let generation: Int
  private let layouts: [String: EntityLayout]

  package init(_ schema: Schema, generation: Int) {
    self.schema = schema
    self.generation = generation
    fingerprint = schema.fingerprint
    layouts = Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.name, EntityLayout($0)) })
  }

  /// Returns the layout of the entity named `name`.
  ///
  /// - Throws: ``DepotError`` `schema.unknown_entity` with the nearest name as the hint.
  package func layout(of name: String) throws(DepotError) -> EntityLayout {
    if let layout = layouts[name] { return layout }
    _ = try schema.entity(named: name)
    throw DepotError(.bug, "The entity \"\(name)\" has no layout.")
  }

  /// All layouts, in the schema's order.
  package var allLayouts: [EntityLayout] { schema.entities.compactMap { layouts[$0.name] } }
}
