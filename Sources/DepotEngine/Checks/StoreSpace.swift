internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// The disk space of a store, by its use.
struct StoreSpace {
  /// The space in bytes of the rows of a hierarchy of entities.
  struct Part {
    var entity: String
    var rows = 0
    var rowBytes = 0
    /// Indexes, including full-text and range indexes.
    var indexBytes = 0
    /// Values in external storage.
    var valueBytes = 0
    /// Many-to-many relationships.
    var linkBytes = 0
  }

  private(set) var parts: [Part]
  private(set) var fileBytes = 0
  private(set) var freeBytes = 0
  private(set) var historyBytes = 0
  private(set) var otherBytes = 0
  private let places: [String: Place]

  /// The kinds of tables of a hierarchy.
  private enum Kind {
    case rows
    case indexes
    case values
    case links
  }

  private struct Place {
    var part: Int
    var kind: Kind
  }

  /// Measures the snapshot of a transaction; it reads every page.
  init(_ catalog: Catalog, on connection: Connection) throws {
    parts = catalog.tables.map { Part(entity: $0.name) }
    places = Self.places(catalog)
    let size = Int(try connection.integer("PRAGMA page_size") ?? 0)
    fileBytes = Int(try connection.integer("PRAGMA page_count") ?? 0) * size
    freeBytes = Int(try connection.integer("PRAGMA freelist_count") ?? 0) * size
    try connection.statement(
      """
      SELECT coalesce(s.tbl_name, d.name), coalesce(s.type, 'table'), sum(d.pgsize), \
      sum(CASE WHEN d.pagetype = 'leaf' THEN d.ncell ELSE 0 END) \
      FROM dbstat AS d LEFT JOIN sqlite_schema AS s ON s.name = d.name GROUP BY d.name
      """
    ).run { row in
      add(row.text(0), isIndex: row.text(1) == "index", Int(row.integer(2)), Int(row.integer(3)))
    }
    otherBytes = max(0, otherBytes)
  }

  private mutating func add(_ table: String, isIndex: Bool, _ bytes: Int, _ cells: Int) {
    guard let place = places[table] else {
      if table.hasPrefix("depot_history") {
        historyBytes += bytes
      } else {
        otherBytes += bytes
      }
      return
    }
    switch place.kind {
    case .rows where isIndex: parts[place.part].indexBytes += bytes
    case .rows:
      parts[place.part].rowBytes += bytes
      parts[place.part].rows += cells
    case .indexes: parts[place.part].indexBytes += bytes
    case .values: parts[place.part].valueBytes += bytes
    case .links: parts[place.part].linkBytes += bytes
    }
  }

  /// The suffixes of the tables that SQLite creates for a virtual table.
  private static let shadows = [
    "", "_data", "_idx", "_content", "_docsize", "_config", "_node", "_rowid", "_parent",
  ]

  private static func places(_ catalog: Catalog) -> [String: Place] {
    var places: [String: Place] = [:]
    func bare(_ quoted: String) -> String { String(quoted.dropFirst().dropLast()) }
    for (part, root) in catalog.tables.enumerated() {
      places[bare(root.table)] = Place(part: part, kind: .rows)
      places["x_\(root.name)"] = Place(part: part, kind: .values)
      for suffix in shadows {
        places["f_\(root.name)\(suffix)"] = Place(part: part, kind: .indexes)
      }
      for layout in catalog.allLayouts where layout.root == root.name {
        for relationship in layout.relationships {
          guard relationship.owner == layout.name,
            case .join(let table, _, _, _) = relationship.storage
          else { continue }
          places[bare(table)] = places[bare(table)] ?? Place(part: part, kind: .links)
        }
        for number in layout.entity.rangeIndexes.indices {
          for suffix in shadows {
            places["g_\(layout.name)_\(number)\(suffix)"] = Place(part: part, kind: .indexes)
          }
        }
      }
    }
    return places
  }
}

extension StoreCopies {
  /// A kept file beside a store, to which a user may want to return.
  struct Kept: Equatable {
    var name: String
    var bytes: Int
  }

  /// Files left by migrations, restores, and accepted losses.
  ///
  /// They are copies made by migrations, stores replaced by restores, and files set aside when a
  /// loss was accepted.
  var kept: [Kept] {
    [".backup-", ".replaced-", ".lost-", "-wal.lost-", ".state.lost-"].flatMap(entries)
      .filter { !$0.hasSuffix(".unfinished") && !$0.hasSuffix(".lock") && !$0.hasSuffix("-wal") }
      .map { path in
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        return Kept(name: name, bytes: FileSystem.size(of: path) ?? 0)
      }
  }

  /// Removes some of the kept files.
  ///
  /// - Returns: The removed files.
  /// - Throws: ``DepotError`` `notfound.file` if one doesn't exist; then all stay.
  func remove(_ names: [String]) throws(DepotError) -> [Kept] {
    let known = kept
    var found: [Kept] = []
    for name in names {
      guard let copy = known.first(where: { $0.name == name }) else {
        let hint = Spelling.hint(for: name, in: known.map(\.name))
        throw DepotError(.fileNotFound, "There is no copy \"\(name)\" of the store.")
          .hint(hint ?? "The copies are in the answer of space.").at("/args/names")
      }
      found.append(copy)
    }
    for copy in found {
      for suffix in ["", "-wal", ".lock"] {
        FileSystem.remove(file: folder + copy.name + suffix)
      }
    }
    return found
  }
}
