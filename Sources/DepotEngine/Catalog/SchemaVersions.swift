internal import DepotProtocol
internal import DepotSQLite

/// The schemas that a store had and has, each from the transaction that applied it.
///
/// The first change of the schema makes the table, with the schema before it if that had entities.
/// Until then the present schema is the only one that is known. The history's expiry removes none.
struct SchemaVersions {
  /// The most schemas that are kept, and the most bytes of their texts; two are always kept.
  static let most: Int64 = 100
  static let mostBytes: Int64 = 16 << 20

  let connection: Connection

  /// A schema, without its text.
  struct Version: Equatable {
    /// The number of the schema; the first that is known has 1.
    var number: Int64
    /// The transaction that applied it, and its time in seconds since 2001, if they are known.
    var token: Int64?
    var date: Double?
    var author: String?
    var process: String?
    /// The version that the schema has itself.
    var version: String?
    var fingerprint: String
  }

  private var exists: Bool {
    get throws(SQLiteError) {
      try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'depot_schema'") != nil
    }
  }

  /// Makes the table if it is missing, with the present schema.
  func begin(with present: Catalog) throws {
    guard try !exists else { return }
    try connection.execute(
      """
      CREATE TABLE depot_schema (number INTEGER PRIMARY KEY, token INTEGER, at REAL, author TEXT, \
      process TEXT, version TEXT, fingerprint TEXT NOT NULL, schema TEXT NOT NULL) STRICT
      """
    )
    if !present.schema.entities.isEmpty { try insert(Version(1, present), present) }
  }

  /// Adds a schema in the transaction that applies it.
  func add(
    _ catalog: Catalog,
    after present: Catalog,
    _ token: Int64,
    date: Double,
    author: String?,
    process: String?
  ) throws {
    try begin(with: present)
    let last = try connection.integer("SELECT max(number) FROM depot_schema") ?? 0
    var version = Version(last + 1, catalog)
    version.token = token
    version.date = date
    version.author = author
    version.process = process
    try insert(version, catalog)
    try connection.statement(
      """
      DELETE FROM depot_schema WHERE number < ?1 AND number IN (SELECT number FROM (SELECT number, \
      sum(length(schema)) OVER (ORDER BY number DESC) AS bytes FROM depot_schema) \
      WHERE bytes > ?2 OR number <= ?1 - ?3)
      """
    ).run([.integer(last), .integer(Self.mostBytes), .integer(Self.most - 1)])
  }

  private func insert(_ version: Version, _ catalog: Catalog) throws {
    try connection.statement("INSERT INTO depot_schema VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
      .run([
        .integer(version.number), version.token.map { .integer($0) } ?? .null,
        version.date.map { .real($0) } ?? .null, version.author.map { .text($0) } ?? .null,
        version.process.map { .text($0) } ?? .null, version.version.map { .text($0) } ?? .null,
        .text(version.fingerprint), .text(catalog.schema.json),
      ])
  }

  /// Returns the schemas that are known, the present one first, or the one of a number.
  func all(_ number: Int64? = nil, present: Catalog) throws -> [Version] {
    guard try exists else {
      let isKnown = !present.schema.entities.isEmpty && number ?? 1 == 1
      return isKnown ? [Version(1, present)] : []
    }
    return try connection.statement(
      """
      SELECT number, token, at, author, process, version, fingerprint FROM depot_schema \
      WHERE ?1 IS NULL OR number = ?1 ORDER BY number DESC
      """
    ).rows([number.map { .integer($0) } ?? .null]) { row in
      Version(
        number: row.integer(0),
        token: row.isNull(1) ? nil : row.integer(1),
        date: row.isNull(2) ? nil : row.real(2),
        author: row.isNull(3) ? nil : row.text(3),
        process: row.isNull(4) ? nil : row.text(4),
        version: row.isNull(5) ? nil : row.text(5),
        fingerprint: row.text(6)
      )
    }
  }

  /// Returns the schema of a number; `nil` if it isn't known.
  func schema(_ number: Int64, present: Catalog) throws -> Schema? {
    guard try exists else {
      return try all(number, present: present).isEmpty ? nil : present.schema
    }
    return try connection.statement("SELECT schema FROM depot_schema WHERE number = ?1")
      .first([.integer(number)]) { $0.text(0) }.map { try Schema(parsing: $0.utf8) }
  }

  /// Returns messages about schemas that can't be read, and a last one that isn't the present one.
  func problems(present: Catalog) throws -> [String] {
    let versions = try all(present: present)
    var problems: [String] = []
    for version in versions where (try? schema(version.number, present: present)) == nil {
      problems.append("The version \(version.number) of the schema can't be read.")
    }
    let isLast = versions.first?.fingerprint == present.fingerprint
    if !isLast, !versions.isEmpty, try !CatalogTables(connection: connection).hasTarget() {
      problems.append("The versions of the schema don't end with the present one.")
    }
    return problems
  }
}

extension SchemaVersions.Version {
  fileprivate init(_ number: Int64, _ catalog: Catalog) {
    self.init(
      number: number,
      version: catalog.schema.version?.description,
      fingerprint: catalog.fingerprint
    )
  }
}
