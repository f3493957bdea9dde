internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite

extension TablesFolder {
  /// The text "DPTX" in the header of exported files, by which they are recognized.
  private static let applicationIdentifier: Int64 = 0x4450_5458

  /// Writes the tables of the folder into an SQLite file, with their keys and foreign keys.
  ///
  /// The file gets its name when it is complete and on disk; an earlier export is replaced.
  ///
  /// - Throws: ``DepotError`` `request.usage` if another file has the name, and others of class
  ///   `storage`.
  package func write(_ file: String) throws(DepotError) {
    let draft = file + ".part"
    do {
      try Self.checkEarlier(file)
      FileSystem.remove(file: draft)
      try StoredFile.create(path: draft)
      try write(to: draft)
      try StoredFile(path: draft, isWritable: true).flush()
      try FileSystem.renameDurably(draft, to: file)
    } catch {
      FileSystem.remove(file: draft)
      throw Self.error(error, file)
    }
  }

  private static func checkEarlier(_ file: String) throws {
    let refusal = DepotError(.usage, "\(file) is there, and is no earlier export.")
      .hint("Choose another name, or remove the file.")
    guard !FileSystem.isOtherThanFile(file) else { throw refusal }
    guard let size = FileSystem.size(of: file), size > 0 else { return }
    let head = try StoredFile(path: file).read(72, at: 0)
    let identifier = head.suffix(4).reduce(0) { $0 << 8 | Int64($1) }
    guard head.count == 72, head.starts(with: "SQLite format 3\0".utf8),
      identifier == applicationIdentifier
    else { throw refusal }
  }

  private func write(to draft: String) throws {
    let list = try StoredFile(path: "\(path)/\(PlainTable.list)")
    let bytes = try list.read(try list.size(), at: 0)
    let tables = try (JSONValue(parsing: bytes).array ?? []).map { try PlainTable($0) }
    let connection = try Connection(path: draft, access: .plain)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      PRAGMA application_id = \(Self.applicationIdentifier); BEGIN
      """
    )
    for table in tables { try connection.execute(table.definition) }
    for table in tables { try addRows(to: table, connection) }
    var names = Set(tables.map { $0.name.lowercased() })
    for table in tables {
      // Following a foreign key in reverse needs an index.
      for column in table.columns where column.references != nil {
        var name = "\(table.name)_\(column.name)"
        while !names.insert(name.lowercased()).inserted { name += "_" }
        try connection.execute(
          """
          CREATE INDEX \(Self.quoted(name)) ON \(Self.quoted(table.name)) (\(Self.quoted(column.name)))
          """
        )
      }
    }
    try connection.execute("COMMIT")
    let astray = try connection.texts("SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1")
    guard astray.isEmpty else {
      throw DepotError(.bug, "A row of \(astray[0]) leads to a row that isn't there.")
    }
  }

  private func addRows(to table: PlainTable, _ connection: Connection) throws {
    let places = (1...max(1, table.columns.count)).map { "?\($0)" }.joined(separator: ", ")
    let statement = try connection.statement(
      "INSERT INTO \(Self.quoted(table.name)) VALUES (\(places))"
    )
    let file = try StoredFile(path: "\(path)/\(table.file)")
    var (rest, offset): ([UInt8], Int) = ([], 0)
    while case let piece = try file.read(1 << 18, at: offset), !piece.isEmpty {
      offset += piece.count
      rest += piece
      var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      rest = Array(lines.removeLast())
      for line in lines {
        let row = try JSONValue(JSONDocument(Array(line), valueLimit: .max).root)
        try statement.run(try (row.array ?? []).map { try SQLiteValue(PlainValue($0)) })
      }
    }
  }
}

extension PlainTable {
  fileprivate var definition: String {
    var parts = columns.map { column in
      var text = TablesFolder.quoted(column.name) + " " + column.type
      if column.isKey, !isJoin { text += " PRIMARY KEY" }
      if column.isRequired { text += " NOT NULL" }
      if let other = column.references {
        text += " REFERENCES \(TablesFolder.quoted(other)) DEFERRABLE INITIALLY DEFERRED"
      }
      return text
    }
    let keys = columns.filter(\.isKey).map { TablesFolder.quoted($0.name) }
    if isJoin { parts.append("PRIMARY KEY (\(keys.joined(separator: ", ")))") }
    let end = isJoin ? " WITHOUT ROWID" : ""
    return "CREATE TABLE \(TablesFolder.quoted(name)) (\(parts.joined(separator: ", ")))" + end
  }
}

extension SQLiteValue {
  fileprivate init(_ value: PlainValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let number): .integer(number)
      case .real(let number): .real(number)
      case .text(let text): .text(text)
      case .data(let bytes): .blob(bytes)
      }
  }
}
