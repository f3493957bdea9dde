internal import DepotProtocol

/// A schema as the rows of a table.
enum SchemaTable {
  /// Returns a row with entity, name, type, and properties for each property of the schema.
  static func rows(_ schema: Schema) -> [[String]] { schema.entities.flatMap(rows) }

  private static func rows(_ entity: Entity) -> [[String]] {
    var rows: [[String]] = []
    let words =
      (entity.isAbstract ? ["abstract"] : []) + (entity.parent.map { ["is a \($0)"] } ?? [])
      + (entity.originalName.map { ["was \($0)"] } ?? [])
    if !words.isEmpty { rows.append([entity.name, "", "entity", words.joined(separator: ", ")]) }
    for attribute in entity.attributes { rows += self.rows(attribute, path: "", entity.name) }
    for relationship in entity.relationships {
      rows.append([
        entity.name, relationship.name, SchemaText.type(relationship, marksOptional: false),
        SchemaText.properties(relationship).joined(separator: ", "),
      ])
    }
    let groups = [
      ("index", entity.indexes), ("range index", entity.rangeIndexes), ("unique", entity.uniques),
    ]
    for (kind, paths) in groups {
      rows += paths.map { [entity.name, $0.joined(separator: ", "), kind, ""] }
    }
    return rows
  }

  private static func rows(_ attribute: Attribute, path: String, _ entity: String) -> [[String]] {
    let path = path + attribute.name
    let row = [
      entity, path, SchemaText.type(attribute, marksOptional: false),
      SchemaText.properties(attribute).joined(separator: ", "),
    ]
    return [row] + attribute.properties.flatMap { rows($0, path: path + ".", entity) }
  }
}
