internal import DepotProtocol

/// The SQL that makes tables and indexes for entities.
///
/// Names are pasted because SQL can't bind them; the schema has checked that they are letters, digits,
/// and underscores.
extension EntityLayout {
  /// Makes the table of an entity and its indexes.
  var definition: [String] {
    let columns = attributes.indices.map { ", " + column($0) }.joined()
    let table = """
      CREATE TABLE \(table) (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, \
      checksum INTEGER NOT NULL\(columns)) STRICT
      """
    let single = attributes.indices.compactMap(index)
    return [table] + single + entity.indexes.map(index)
  }

  /// Adds the column of an attribute to the table.
  ///
  /// SQLite wants a default for the rows that exist; they get the attribute's own right afterwards.
  func addColumn(_ position: Int) -> String {
    let attribute = attributes[position]
    let filler =
      switch attribute.type {
      case .string, .url: "''"
      case .int64, .bool, .double, .date: "0"
      case .uuid, .data, .decimal: "x''"
      }
    let suffix = attribute.isOptional ? "" : " DEFAULT \(filler)"
    return "ALTER TABLE \(table) ADD COLUMN \(column(position))\(suffix)"
  }

  private func column(_ position: Int) -> String {
    let attribute = attributes[position]
    let type =
      switch attribute.type {
      case .string, .url: "TEXT"
      case .int64, .bool: "INTEGER"
      case .double, .date: "ANY"
      case .uuid, .data, .decimal: "BLOB"
      }
    return "\(columns[position]) \(type)\(attribute.isOptional ? "" : " NOT NULL")"
  }

  /// Makes the index of one attribute, if it has one.
  func index(_ position: Int) -> String? {
    let attribute = attributes[position]
    let column = columns[position]
    if attribute.isUnique {
      return "CREATE UNIQUE INDEX \"u_\(name)_\(attribute.name)\" ON \(table) (\(column))"
    }
    guard attribute.isIndexed else { return nil }
    return "CREATE INDEX \"i_\(name)_\(attribute.name)\" ON \(table) (\(column))"
  }

  /// Makes a compound index.
  func index(_ names: [String]) -> String {
    let list = names.compactMap { position(of: $0).map { columns[$0] } }.joined(separator: ", ")
    // A full stop can't be in a name, so no two indexes share one.
    let name = "c_\(name)_\(names.joined(separator: "."))"
    return "CREATE INDEX \"\(name)\" ON \(table) (\(list))"
  }
}
