internal import DepotProtocol

/// A range index (r-tree) over several numbers or dates of an entity.
struct RangeIndex: Hashable, Sendable {
  /// The name, unquoted.
  var name: String
  var paths: [String]
  /// The columns, quoted.
  var columns: [String]
  var types: [AttributeType]

  /// The greatest number in an r-tree's 32-bit coordinates.
  static let limit = "3.4028234663852886e38"
}

extension Catalog {
  /// Returns the range indexes for the rows of an entity: its own and inherited ones.
  func rangeIndexes(covering layout: EntityLayout) -> [RangeIndex] {
    schema.lineage(of: layout.entity).flatMap { owner -> [RangeIndex] in
      guard let layout = try? self.layout(of: owner.name) else { return [] }
      return owner.rangeIndexes.enumerated().map { number, paths in
        let fields = paths.compactMap { path -> (String, AttributeType)? in
          guard let position = layout.position(of: path),
            let place = layout.storedPositions[position]
          else { return nil }
          return (layout.stored[place].quoted, layout.fields[position].attribute.type)
        }
        return RangeIndex(
          name: "g_\(owner.name)_\(number)",
          paths: paths,
          columns: fields.map(\.0),
          types: fields.map(\.1)
        )
      }
    }
  }

  /// Returns the range indexes of a table, including those of subentities.
  func rangeIndexes(of root: EntityLayout) -> [SpecialTable] {
    var seen: Set<String> = []
    return allLayouts.filter { $0.root == root.name }.flatMap(rangeIndexes(covering:))
      .filter { seen.insert($0.name).inserted }
      .map { $0.table(of: root.table) }
  }
}

extension RangeIndex {
  /// The r-tree and the triggers that update it.
  ///
  /// A row with a missing number or NaN isn't in any range of it, so it may be stored anywhere.
  /// SQLite rounds the bounds outwards; a number beyond its coordinates is moved inside on one
  /// side, so that a row is never missed.
  fileprivate func table(of rows: String) -> SpecialTable {
    let index = "\"\(name)\""
    let dimensions = columns.indices.map { "min\($0), max\($0)" }.joined(separator: ", ")
    let insert = "INSERT INTO \(index) SELECT \(values("new.")) WHERE \(condition("new."))"
    let delete = "DELETE FROM \(index) WHERE id = old.id"
    let change = columns.map { "old.\($0) IS NOT new.\($0)" }.joined(separator: " OR ")
    return SpecialTable(
      name: name,
      definition: ["CREATE VIRTUAL TABLE \(index) USING rtree(id, \(dimensions))"],
      fill: "INSERT INTO \(index) SELECT \(values("")) FROM \(rows) WHERE \(condition(""))",
      triggers: [
        SpecialTable.Trigger("\(name):insert", "AFTER INSERT ON \(rows)", "\(insert);"),
        SpecialTable.Trigger("\(name):delete", "AFTER DELETE ON \(rows)", "\(delete);"),
        SpecialTable.Trigger(
          "\(name):update",
          "AFTER UPDATE OF \(columns.joined(separator: ", ")) ON \(rows) WHEN \(change)",
          "\(delete); \(insert);"
        ),
      ]
    )
  }

  private func values(_ prefix: String) -> String {
    var list = ["\(prefix)id"]
    for (column, type) in zip(columns, types) {
      let value = "\(prefix)\(column)"
      let number =
        type == .decimal
        ? "ifnull(depot_number(\(value)), 0)"
        : "iif(typeof(\(value)) IN ('integer', 'real'), CAST(\(value) AS REAL), 0)"
      list.append("min(\(number), \(Self.limit))")
      list.append("max(\(number), -\(Self.limit))")
    }
    return list.joined(separator: ", ")
  }

  private func condition(_ prefix: String) -> String {
    columns.map { "\(prefix)\($0) IS NOT NULL" }.joined(separator: " OR ")
  }
}
