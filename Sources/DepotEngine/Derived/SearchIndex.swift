internal import DepotProtocol

/// A text attribute that full-text queries search.
struct SearchColumn: Hashable, Sendable {
  var path: String
  /// The name of the column, unquoted.
  var name: String
}

extension Catalog {
  /// Returns the searchable texts of an entity, including those of descendants.
  func searchColumns(of layout: EntityLayout) -> [SearchColumn] {
    let family = schema.lineage(of: layout.entity) + schema.descendants(of: layout.name)
    return family.flatMap { entity in
      entity.ownFields.filter { $0.attribute.options.contains(.spotlight) }.map {
        SearchColumn(path: $0.path, name: schema.columnName("a", $0.path, entity))
      }
    }
  }

  /// Returns the full-text index of a table, if it has one.
  ///
  /// It doesn't store the texts, but refers to those of the rows.
  func searchIndex(of root: EntityLayout) -> SpecialTable? {
    let columns = searchColumns(of: root).map { "\"\($0.name)\"" }
    guard !columns.isEmpty else { return nil }
    let (name, index) = ("f_\(root.name)", root.searchTable)
    let list = columns.joined(separator: ", ")
    let old = columns.map { "old.\($0)" }.joined(separator: ", ")
    let new = columns.map { "new.\($0)" }.joined(separator: ", ")
    let change = columns.map { "old.\($0) IS NOT new.\($0)" }.joined(separator: " OR ")
    let insert = "INSERT INTO \(index) (rowid, \(list)) VALUES (new.id, \(new));"
    let delete =
      "INSERT INTO \(index) (\(index), rowid, \(list)) VALUES ('delete', old.id, \(old));"
    return SpecialTable(
      name: name,
      definition: [
        """
        CREATE VIRTUAL TABLE \(index) USING fts5(\(list), content=\(root.table), \
        content_rowid="id", tokenize="unicode61 remove_diacritics 2")
        """
      ],
      fill: "INSERT INTO \(index) (\(index)) VALUES ('rebuild')",
      triggers: [
        SpecialTable.Trigger("\(name):insert", "AFTER INSERT ON \(root.table)", insert),
        SpecialTable.Trigger("\(name):delete", "AFTER DELETE ON \(root.table)", delete),
        SpecialTable.Trigger(
          "\(name):update",
          "AFTER UPDATE OF \(list) ON \(root.table) WHEN \(change)",
          delete + " " + insert
        ),
      ]
    )
  }
}

extension EntityLayout {
  /// The quoted name of the table's full-text index.
  var searchTable: String { "\"f_\(root)\"" }
}
