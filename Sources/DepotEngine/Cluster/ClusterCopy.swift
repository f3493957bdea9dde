internal import DepotLinux
internal import DepotPostgres
internal import DepotProtocol
internal import DepotSQLite

/// Makes the local file of a store in a cluster, and fills a new cluster.
struct ClusterCopy {
  let address: ClusterAddress
  /// The path of the local file.
  let path: String

  /// The size in bytes of the pages in one statement.
  private static let pieceBytes = 1 << 20

  /// Makes the local copy from the last base; makes the store first if there is none.
  ///
  /// - Parameter create: Makes a new store at a path, complete without a log.
  /// - Returns: The cluster of the copy, which has the later commits.
  /// - Throws: ``DepotError`` `unavailable.cluster`, `storage.cluster`, and others of class `storage`.
  func open(_ create: (String) throws(DepotError) -> Void) throws(DepotError) -> ClusterCommitTarget
  {
    do {
      let session = try ClusterSession(address)
      let connection = session.connection
      if try !hasTables(connection) {
        try create(path)
        _ = try fill(connection, timeline: session.timeline, replaces: false)
        StoreFiles(path).removeContent()
      }
      let head = try load(connection)
      // Once this statement has returned, everything read before it is durable.
      let service = try connection.run(
        "SELECT nextval(pg_get_serial_sequence('depot.service', 'id'))"
      ).integer(0)
      try session.begin(service)
      return ClusterCommitTarget(address, session, head, service: service)
    } catch {
      if let error = error as? SystemError { throw DepotError(error, file: path) }
      throw DepotError(error, address).atStart
    }
  }

  func hasTables(_ connection: PostgresConnection) throws -> Bool {
    // Unlike table names, rows are looked up when the lock has been acquired.
    try connection.run(
      """
      SELECT EXISTS (SELECT 1 FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = 'depot' AND c.relname = 'head')
      """
    ).boolean(0)
  }

  // MARK: From the cluster

  /// Writes the pages of the base into the file, and prevents the deletion of later commits.
  ///
  /// - Returns: The head, with the identity of the base's commit, or 0 if that is unknown.
  private func load(_ connection: PostgresConnection) throws -> ClusterHead {
    StoreFiles(path).removeContent()
    try connection.run(ClusterTables.holdCommits)
    let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    let results = try connection.run([
      PostgresStatement(begin), PostgresStatement(ClusterTables.head),
    ])
    var head = try ClusterHead(results[1])
    guard head.layout == ClusterTables.layout, CatalogTables.formats.contains(head.format) else {
      throw DepotError(
        .unfitCluster,
        "The store in the cluster is of another version of Depot: \(head.layout).\(head.format), not "
          + "\(ClusterTables.layout).\(CatalogTables.format)."
      )
      .hint("Use the same version of depotd for all services of a store.")
    }
    try StoreFiles(path).create()
    let file = try StoredFile(path: path, isWritable: true)
    let size = Int(head.pageSize)
    var piece: [UInt8] = []
    var first = 0
    var count = 0
    try connection.forEach("SELECT number, data FROM depot.page ORDER BY number") { row in
      let number = Int(row.integer(0))
      if number == count + 2, DatabaseHeader.isNeverUsed(count + 1, pageSize: size) {
        piece.append(contentsOf: repeatElement(0, count: size))
        count += 1
      }
      guard number == count + 1, row.bytes(1).count == size else {
        throw DepotError(.corrupt, "Page \(number) of the store in the cluster is damaged.")
          .hint("Restore the database from a backup.")
      }
      piece.append(contentsOf: row.bytes(1))
      count += 1
      guard piece.count >= Self.pieceBytes else { return }
      try file.write(piece, at: first * size)
      first = count
      piece.removeAll(keepingCapacity: true)
    }
    try file.write(piece, at: first * size)
    if head.base < head.sequence {
      let commit = try connection.run(ClusterTables.identity, [.integer(head.base)])
      head.identity = commit.rowCount == 1 ? commit.integer(0) : 0
    }
    try connection.run("COMMIT")
    guard count == Int(head.basePageCount) else {
      throw DepotError(
        .corrupt,
        "The store in the cluster has only \(count) of its \(head.basePageCount) pages."
      )
      .hint("Restore the database from a backup.")
    }
    return head
  }

  // MARK: To the cluster

  /// The result of filling a database.
  enum Filling {
    /// It had no store.
    case filled
    /// It had another store, which is kept in a different schema.
    case replaced(schema: String)
    /// It has another store, so nothing was done.
    case leftOther
  }

  /// Writes the pages of the file, which must be complete without a log, into the cluster.
  ///
  /// - Parameters:
  ///   - connection: The connection to the cluster.
  ///   - timeline: The timeline of the first commit.
  ///   - replaces: Whether to replace a store in the database.
  /// - Returns: The result about an existing store.
  /// - Throws: ``DepotError`` `storage.corrupt` if the file is no store, and others.
  func fill(
    _ connection: PostgresConnection,
    timeline: String,
    replaces: Bool
  ) throws -> Filling {
    let file = try StoredFile(path: path)
    let bytes = try file.size()
    guard
      let header = try file.read(DatabaseHeader.size, at: 0).withUnsafeBytes({ DatabaseHeader($0) }
      ),
      header.isSealed, bytes % header.pageSize == 0
    else { throw DepotError(.corrupt, "\(path) is no store.") }
    // If several services create the store at the same time, only one of them succeeds.
    try connection.run([
      PostgresStatement("BEGIN"),
      PostgresStatement("SELECT pg_advisory_xact_lock(hashtext('depot'))"),
    ])
    do {
      var kept: String?
      var sequence: Int64 = 0
      if try hasTables(connection) {
        guard replaces else {
          try connection.run("ROLLBACK")
          return .leftOther
        }
        (kept, sequence) = try setAside(connection)
      }
      for sql in ClusterTables.definition { try connection.run(sql) }
      let count = Int64(bytes / header.pageSize)
      var next = 0
      try connection.copyIn("COPY depot.page FROM STDIN (FORMAT binary)") { row in
        guard next < Int(count) else { return false }
        let page = try file.read(header.pageSize, at: next * header.pageSize)
        try row.append(.integer(Int64(next + 1)))
        try row.append(.bytes(page))
        next += 1
        return true
      }
      try connection.run([
        PostgresStatement(
          "INSERT INTO depot.head VALUES (true, $1, $2, $3, $6, 0, $4, $6, $4, $5)",
          [
            .integer(ClusterTables.layout), .integer(header.userVersion),
            .integer(Int64(header.pageSize)), .integer(count), .text(timeline),
            .integer(sequence),
          ]
        ),
        PostgresStatement("COMMIT"),
      ])
      return kept.map { .replaced(schema: $0) } ?? .filled
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Moves the existing store to another schema, when no service holds the write lock.
  ///
  /// - Returns: The schema, and a commit number that stops all services that still use the store.
  private func setAside(_ connection: PostgresConnection) throws -> (String, Int64) {
    try connection.run("LOCK TABLE depot.head IN ACCESS EXCLUSIVE MODE")
    let sequence = try connection.run("SELECT coalesce(max(sequence), 0) FROM depot.head")
    let names = try connection.run("SELECT nspname FROM pg_namespace")
    let taken = Set((0..<names.rowCount).map { names.text(0, row: $0) })
    var number = 1
    while taken.contains("depot_replaced_\(number)") { number += 1 }
    try connection.run("ALTER SCHEMA depot RENAME TO depot_replaced_\(number)")
    // The next commit that they would apply has the number after theirs.
    return ("depot_replaced_\(number)", sequence.integer(0) + 1)
  }
}
