internal import DepotProtocol

/// The table with the values that are stored outside the rows of one table, in chunks.
///
/// Each value has a number, and one row at most refers to it. A new value gets a new number, so it can
/// be written in parts before a row refers to it.
struct BlobTable: Sendable {
  /// The size of all chunks except the last, in bytes.
  static let chunkBytes = 64 << 10

  /// The quoted name.
  let name: String

  init(_ root: String) {
    name = "\"x_\(root)\""
  }

  /// The table with a different name, for a migration.
  init(quoted name: String) {
    self.name = name
  }

  /// The table of unfinished uploads; it is emptied when the store is opened.
  static let uploads = SpecialTable(
    name: "depot_upload",
    definition: [
      """
      CREATE TABLE depot_upload (connection INTEGER NOT NULL, name TEXT NOT NULL, \
      blobs TEXT NOT NULL, target TEXT NOT NULL, reference TEXT NOT NULL, \
      PRIMARY KEY (connection, name)) STRICT
      """
    ]
  )

  /// Returns the query for the values that the rows of a table refer to.
  static func references(in root: EntityLayout) -> String {
    root.stored.filter(\.isExternal).map {
      "SELECT CAST(\($0.quoted) AS INTEGER) FROM \(root.table) WHERE \($0.hasReference)"
    }.joined(separator: " UNION ALL ")
  }

  /// Returns the table with the triggers that delete values when no row refers to them any more.
  ///
  /// With `keepsOld` the triggers leave them to ``KeptValues``.
  static func table(of root: EntityLayout, keepsOld: Bool = false) -> SpecialTable? {
    let columns = root.stored.filter(\.isExternal)
    guard !columns.isEmpty else { return nil }
    let (bare, blobs) = ("x_\(root.name)", BlobTable(root.name))
    let table = blobs.name
    let numbers = columns.map { $0.number(in: "old") }
    let keeping = zip(numbers, columns).map { KeptValues.keeping($0, $1, of: blobs) }
    let updates = columns.enumerated().map { index, column in
      SpecialTable.Trigger(
        "\(bare):update\(index)",
        """
        AFTER UPDATE OF \(column.quoted) ON \(root.table) \
        WHEN \(numbers[index]) IS NOT \(column.number(in: "new"))
        """,
        keepsOld ? keeping[index] : "DELETE FROM \(table) WHERE blob = \(numbers[index]);"
      )
    }
    return SpecialTable(
      name: bare,
      definition: [
        """
        CREATE TABLE IF NOT EXISTS \(table) (blob INTEGER NOT NULL, chunk INTEGER NOT NULL, \
        data BLOB NOT NULL, PRIMARY KEY (blob, chunk)) STRICT
        """
      ],
      triggers: [
        SpecialTable.Trigger(
          "\(bare):delete",
          "AFTER DELETE ON \(root.table)",
          keepsOld
            ? keeping.joined(separator: " ")
            : "DELETE FROM \(table) WHERE blob IN (\(numbers.joined(separator: ", ")));"
        )
      ] + updates
    )
  }

  /// The most bytes of a value that predicates and sort keys read.
  static let comparedBytes = 64 << 20

  /// Returns the SQL for the first bytes of a value in a column.
  func start(of column: Fragment, isText: Bool, limit: Int) -> Fragment {
    "depot_start('\(name)', " + column + ", \(isText ? 1 : 0), \(limit))"
  }

  /// Returns the forms of a value in a column that may have large ones; else `nil`.
  func large(_ column: StoredColumn, _ value: Fragment) -> LargeValue? {
    guard column.isExternal else { return nil }
    let isText = column.externalType == .string
    let isReference = "typeof(" + value + ") = '\(column.referenceType)'"
    return LargeValue(
      characters: "depot_characters('\(name)', " + value + ")",
      length: "iif(" + isReference + ", " + Self.length(of: value) + ", length(" + value + "))",
      key: start(of: value, isText: isText, limit: ValueStart.sortedBytes),
      identity: "depot_identity('\(name)', " + value + ", \(isText ? 1 : 0))"
    )
  }

  /// Returns the SQL for the length of the value of a reference.
  static func length(of reference: Fragment) -> Fragment {
    "CAST(substr(" + reference + ", instr(" + reference + ", ':') + 1) AS INTEGER)"
  }
}

/// The SQL for the forms of a value that may be large.
struct LargeValue: Sendable {
  /// The number of characters of a text.
  var characters: Fragment
  /// The number of bytes of data.
  var length: Fragment
  /// The start of the value, by which rows are sorted.
  var key: Fragment
  /// A short value that is the same for equal values.
  var identity: Fragment
}

extension StoredColumn {
  /// The condition that the column of a row has a reference.
  var hasReference: String { isWidened ? isReference(quoted) : "\(quoted) IS NOT NULL" }

  /// Returns the SQL for the number of the value outside a trigger's row; null if there is none.
  fileprivate func number(in row: String) -> String {
    let number = "CAST(\(row).\(quoted) AS INTEGER)"
    return isWidened ? "iif(\(isReference("\(row).\(quoted)")), \(number), NULL)" : number
  }
}

extension BlobReference {
  /// The number of chunks; at least one, so that the value's number counts as used.
  var chunkCount: Int { max(1, (length + BlobTable.chunkBytes - 1) / BlobTable.chunkBytes) }
}
