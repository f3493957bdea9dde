internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

/// The tables that hold a store's schema and metadata.
struct CatalogTables {
  /// The text "DPOT" in the file's header, by which tools such as `file` recognize a store.
  static let applicationIdentifier: Int64 = 0x4450_4F54
  /// The format of new stores: of these tables, of rows, and of pages.
  ///
  /// Format 8 has pages of 4,096 bytes, format 9 may have widened columns besides; before format 11
  /// the ``InsertionIndex`` has no runs. A store keeps its format until a column is widened.
  static let format: Int64 = 11
  /// The formats that can be used; a program refuses stores of others.
  static let formats = 8...format
  /// The first format with runs in the ``InsertionIndex``.
  static let formatWithRuns: Int64 = 11

  let connection: Connection

  /// Creates the tables of a new store: these, and those of the given definitions.
  func create(_ clocks: ClockReading, with definitions: [String]) throws {
    try connection.transaction {
      try connection.execute(
        """
        CREATE TABLE depot_meta (key TEXT PRIMARY KEY, value ANY) STRICT;
        CREATE TABLE depot_entity (name TEXT PRIMARY KEY, next_id INTEGER NOT NULL) STRICT;
        \(definitions.joined(separator: "\n"))
        PRAGMA application_id = \(Self.applicationIdentifier);
        PRAGMA user_version = \(Self.format);
        """
      )
      try EpochTable(connection: connection).create(clocks, time: 0, ahead: clocks.wall)
      try set("store", .text(UUID().uuidString.lowercased()))
      try store(Catalog(Schema(), generation: 0))
    }
  }

  /// The unique identifier of the store.
  func storeIdentifier() throws -> String {
    guard case .text(let identifier)? = try value("store") else { throw damaged }
    return identifier
  }

  /// Reads the schema.
  func load() throws -> Catalog {
    guard case .text(let json)? = try value("schema"),
      let generation = try integer("generation"),
      let schema = try? Schema(parsing: json.utf8)
    else { throw damaged }
    guard case .text(let map)? = try value("storage"), let storage = StorageMap(parsing: map)
    else { throw damaged }
    return Catalog(schema, storage, generation: Int(generation))
  }

  /// Reads the number of schema changes.
  func generation() throws -> Int {
    guard let generation = try integer("generation") else { throw damaged }
    return Int(generation)
  }

  /// Returns the schema: `known`, unless it has changed.
  func catalog(orSame known: Catalog) throws -> Catalog {
    try generation() == known.generation ? known : load()
  }

  /// Writes the schema, and the format that its columns need.
  func store(_ catalog: Catalog) throws {
    try set("schema", .text(catalog.schema.json))
    try set("storage", .text(catalog.storage.json))
    try set("generation", .integer(Int64(catalog.generation)))
    try set("version", catalog.schema.version.map { .text($0.description) } ?? .null)
    guard catalog.storage.hasWidenedColumns else { return }
    try connection.execute("PRAGMA user_version = \(Self.format)")
  }

  /// Stores the target schema of a custom migration.
  func setTarget(_ schema: Schema) throws { try set("target", .text(schema.json)) }

  /// Whether the store is the working copy of a custom migration.
  func hasTarget() throws -> Bool { try value("target") != nil }

  /// Removes and returns the target schema of a custom migration.
  func takeTarget() throws -> Schema {
    guard case .text(let json)? = try value("target") else {
      throw DepotError(.usage, "The store isn't being migrated.")
    }
    try connection.statement("DELETE FROM depot_meta WHERE key = 'target'").run()
    return try Schema(parsing: json.utf8)
  }

  /// Stores the next identifier of each entity, and removes all other entities.
  func setCeilings(_ ceilings: [String: Int64]) throws {
    try connection.statement("DELETE FROM depot_entity").run()
    for (entity, ceiling) in ceilings.sorted(by: { $0.key < $1.key }) {
      try setCeiling(ceiling, of: entity)
    }
  }

  /// Stores one of the store's numbers.
  func set(_ number: StoreNumber, _ value: Int64) throws {
    try set(number.rawValue, .integer(value))
  }

  /// Reads the next identifier of each entity.
  func ceilings() throws -> [String: Int64] {
    var result: [String: Int64] = [:]
    try connection.statement("SELECT name, next_id FROM depot_entity").run { row in
      result[row.text(0)] = row.integer(1)
    }
    return result
  }

  /// Stores the next identifier of an entity.
  func setCeiling(_ ceiling: Int64, of entity: String) throws {
    try connection.statement(
      """
      INSERT INTO depot_entity (name, next_id) VALUES (?1, ?2)
      ON CONFLICT (name) DO UPDATE SET next_id = ?2
      """
    ).run([.text(entity), .integer(ceiling)])
  }

  private func value(_ key: String) throws -> SQLiteValue? {
    try connection.statement("SELECT value FROM depot_meta WHERE key = ?1")
      .first([.text(key)]) { $0[0] }
  }

  private func integer(_ key: String) throws -> Int64? {
    if case .integer(let number)? = try value(key) { number } else { nil }
  }

  private func set(_ key: String, _ value: SQLiteValue) throws {
    try connection.statement("INSERT OR REPLACE INTO depot_meta (key, value) VALUES (?1, ?2)")
      .run([.text(key), value])
  }

  private var damaged: DepotError {
    DepotError(.corrupt, "The store's catalog can't be read.")
      .hint("Restore the store from a backup.")
  }
}

/// The numbers that a store keeps about its history, initially 0.
enum StoreNumber: String {
  /// The greatest identifier of any deleted row.
  case historyFloor = "history_floor"
  /// The token of the last deleted transaction.
  case historyPurged = "history_purged"
  /// The approximate size of the history in bytes.
  case historyBytes = "history_bytes"
  /// The last history row up to which all insertions are in the ``InsertionIndex``.
  case historyIndexed = "history_indexed"
  /// The last history row before a migration, whose identifiers may mean other rows since then.
  case historyRenamed = "history_renamed"
}

extension Connection {
  /// Reads one of the store's numbers.
  func number(_ number: StoreNumber) throws(SQLiteError) -> Int64 {
    let sql = "SELECT value FROM depot_meta WHERE key = ?1"
    return try integer(sql, [.text(number.rawValue)]) ?? 0
  }
}

extension Schema {
  /// The hash of each entity, by its name.
  package var hashes: [String: String] {
    Dictionary(entities.map { ($0.name, $0.hash(in: self)) }) { first, _ in first }
  }
}
