import DepotClient
import DepotProtocol
import DepotSQLite
import Foundation

/// The rows of the benchmark: six attributes of four types.
struct Item: Sendable {
  var identifier: Int64
  var name: String
  var section: String
  var size: Int64
  var score: Double
  var isEssential: Bool
  var note: String?

  init(_ number: Int) {
    identifier = Int64(number)
    name = "package-\(number)"
    section = "section-\(number % 57)"
    size = Int64(truncatingIfNeeded: (number &* 7919) % 1_000_003)
    score = Double(number % 1000) / 8
    isEssential = number % 10 == 0
    note = number % 3 == 0 ? nil : "a short note about number \(number)"
  }

  init(from row: inout RowReader) throws(DepotError) {
    identifier = row.identifier
    name = try row.next()
    section = try row.next()
    size = try row.next()
    score = try row.next()
    isEssential = try row.next()
    note = try row.next()
  }

  static let attributes = ["name", "section", "size", "score", "isEssential", "note"]

  static let schema = Schema(entities: [
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "section", type: .string),
        Attribute(name: "size", type: .int64),
        Attribute(name: "score", type: .double),
        Attribute(name: "isEssential", type: .bool),
        Attribute(name: "note", type: .string, isOptional: true),
      ]
    )
  ])

  func write(to row: inout RowWriter) {
    row.append(name)
    row.append(section)
    row.append(size)
    row.append(score)
    row.append(isEssential)
    row.append(note)
  }

  /// Returns the request that inserts the items with these numbers.
  static func insertion(_ numbers: Range<Int>) -> InsertRequest {
    var rows = RowBatch()
    for number in numbers { rows.appendRow { Item(number).write(to: &$0) } }
    return InsertRequest(entity: "Item", columns: attributes, rows: rows)
  }

  /// Fills a service with `count` items.
  static func fill(_ connection: BlockingConnection, _ count: Int) throws {
    try connection.define(schema)
    for start in stride(from: 1, through: count, by: 10_000) {
      try connection.insert(insertion(start..<min(start + 10_000, count + 1)))
    }
  }
}

/// The same rows in SQLite, in this process.
enum PlainSQLite {
  static func open(_ path: String) throws -> Connection {
    let connection = try Connection(path: path, access: .writer)
    try connection.execute("PRAGMA journal_mode=WAL")
    try connection.execute("PRAGMA synchronous=FULL")
    // SQLite's own default, which Depot's connections leave to the store.
    try connection.execute("PRAGMA wal_autocheckpoint=1000")
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, name TEXT, section TEXT,
      size INTEGER, score REAL, essential INTEGER, note TEXT) STRICT
      """
    )
    return connection
  }

  /// Inserts items in one transaction with one prepared statement.
  static func insert(_ connection: Connection, _ items: [Item]) throws {
    let statement = try connection.statement(
      "INSERT INTO item (name, section, size, score, essential, note) VALUES (?1,?2,?3,?4,?5,?6)"
    )
    try connection.execute("BEGIN IMMEDIATE")
    for item in items {
      try statement.bind(.text(item.name), at: 1)
      try statement.bind(.text(item.section), at: 2)
      try statement.bind(.integer(item.size), at: 3)
      try statement.bind(.real(item.score), at: 4)
      try statement.bind(.integer(item.isEssential ? 1 : 0), at: 5)
      try statement.bind(item.note.map(SQLiteValue.text) ?? .null, at: 6)
      _ = try statement.step()
      statement.reset()
    }
    try connection.execute("COMMIT")
  }

  /// Reads all items sorted by size into values.
  static func fetch(_ connection: Connection) throws -> [Item] {
    let statement = try connection.statement(
      "SELECT id, name, section, size, score, essential, note FROM item ORDER BY size, id"
    )
    var items: [Item] = []
    defer { statement.reset() }
    while try statement.step() {
      let row = statement.row
      var item = Item(0)
      item.identifier = row.integer(0)
      item.name = row.text(1)
      item.section = row.text(2)
      item.size = row.integer(3)
      item.score = row.real(4)
      item.isEssential = row.integer(5) != 0
      item.note = row.isNull(6) ? nil : row.text(6)
      items.append(item)
    }
    return items
  }
}
