internal import CDepotSQLite

extension Connection {
  /// Changes the declared type of a column of a STRICT table; the rows stay as they are.
  ///
  /// Call it inside a transaction, for types whose values SQLite stores alike, while no statement
  /// runs. It edits the schema table, as SQLite describes for changes that don't concern the rows
  /// (sqlite.org/lang_altertable.html).
  ///
  /// - Throws: ``SQLiteError`` if the table has no such column of this type.
  package func retype(
    _ column: String,
    of table: String,
    from old: String,
    to new: String
  ) throws(SQLiteError) {
    forgetStatements()
    depot_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
    defer { depot_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1) }
    try execute("PRAGMA writable_schema = ON")
    var failure: SQLiteError?
    do throws(SQLiteError) {
      try edit(column, of: table, from: old, to: new)
    } catch {
      failure = error
    }
    // This also reads the schema again.
    try execute("PRAGMA writable_schema = RESET")
    forgetStatements()
    if let failure { throw failure }
  }

  private func edit(
    _ column: String,
    of table: String,
    from old: String,
    to new: String
  ) throws(SQLiteError) {
    let version = try integer("PRAGMA schema_version") ?? 0
    try execute(
      """
      UPDATE sqlite_schema SET sql = replace(sql, '"\(column)" \(old)', '"\(column)" \(new)') \
      WHERE type = 'table' AND name = '\(table)' AND instr(sql, '"\(column)" \(old)') > 0
      """
    )
    guard changeCount == 1 else {
      throw SQLiteError(code: SQLITE_CORRUPT, message: "\(table) has no \(column) of type \(old)")
    }
    try execute("PRAGMA schema_version = \(version + 1)")
  }
}
