internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite

/// A folder of tables, to and from which SQLite files are converted.
@Memberwise("path")
package struct TablesFolder {
  let path: String

  private static let pieceBytes = 1 << 18

  /// Reads all tables of an SQLite file that isn't a store into the folder, which must be empty.
  ///
  /// The file isn't changed: it is read directly if it has no log, and otherwise a copy of it is
  /// read, where the log can be applied.
  ///
  /// - Throws: ``DepotError`` `notfound.file` if the file doesn't exist, `storage.corrupt` if it
  ///   isn't an SQLite file or is damaged, and others of class `storage`.
  package func read(_ file: String) throws(DepotError) {
    do {
      let connection = try open(file)
      let names = try connection.texts(
        """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite#_%' ESCAPE '#' \
        AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name
        """
      )
      var tables: [PlainTable] = []
      for (number, name) in names.enumerated() {
        let table = try description(of: name, file: "\(number).ndjson", connection)
        try copyRows(of: table, connection)
        tables.append(table)
      }
      let list = JSONValue.array(tables.map(\.json))
      try Descriptor.create(path: "\(path)/\(PlainTable.list)").write(Array(list.text.utf8))
    } catch {
      throw Self.error(error, file)
    }
  }

  private func open(_ file: String) throws -> Connection {
    let head = try StoredFile(path: file).read(16, at: 0)
    guard head.elementsEqual("SQLite format 3\0".utf8) else {
      throw DepotError(.corrupt, "\(file) is no SQLite file.")
    }
    guard (FileSystem.size(of: file + "-wal") ?? 0) > 0 else {
      return try Connection(path: file, access: .unchanging)
    }
    let copy = path + "/copy.sqlite"
    for suffix in ["", "-wal"] {
      let (from, to) = try (
        StoredFile(path: file + suffix), Descriptor.create(path: copy + suffix)
      )
      var offset = 0
      while case let piece = try from.read(Self.pieceBytes, at: offset), !piece.isEmpty {
        try to.write(piece)
        offset += piece.count
      }
    }
    return try Connection(path: copy, access: .plain)
  }

  private func description(
    of name: String,
    file: String,
    _ connection: Connection
  ) throws -> PlainTable {
    var columns: [PlainTable.Column] = []
    try connection.statement("SELECT name, type, pk, \"notnull\" FROM pragma_table_info(?1)")
      .run([.text(name)]) { row in
        columns.append(
          PlainTable.Column(
            name: row.text(0),
            type: row.text(1),
            isKey: row.integer(2) > 0,
            isRequired: row.integer(3) != 0
          )
        )
      }
    return PlainTable(name: name, columns: columns, file: file)
  }

  private func copyRows(of table: PlainTable, _ connection: Connection) throws {
    let output = try Descriptor.create(path: "\(path)/\(table.file)")
    var writer = JSONWriter(capacity: Self.pieceBytes)
    try connection.statement("SELECT * FROM \(Self.quoted(table.name))").run { row in
      writer.raw("[")
      for column in 0..<row.columnCount {
        if column > 0 { writer.raw(",") }
        PlainValue(row[column]).write(to: &writer)
      }
      writer.raw("]\n")
      guard writer.bytes.count > Self.pieceBytes else { return }
      try output.write(writer.bytes)
      writer.bytes.removeAll(keepingCapacity: true)
    }
    try output.write(writer.bytes)
  }

  /// Returns a name, with any characters, quoted for SQL.
  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  static func error(_ error: any Error, _ file: String) -> DepotError {
    switch error {
    case let error as DepotError: error
    case let error as SystemError where error.isMissingFile:
      DepotError(.fileNotFound, "There is no file \(file).")
    case let error as SystemError:
      DepotError(
        error.isWantOfRoom ? .full : error.isPermission ? .filePermission : .io,
        "\(file) can't be read or written (\(error))."
      )
    case let error as SQLiteError where error.kind == .full:
      DepotError(.full, "There is no room for \(file).")
    default: DepotError(.corrupt, "\(file) can't be read or written: \(error).")
    }
  }
}

extension PlainValue {
  fileprivate init(_ value: SQLiteValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let number): .integer(number)
      case .real(let number): .real(number)
      case .text(let text): .text(text)
      case .blob(let bytes): .data(bytes)
      }
  }
}
