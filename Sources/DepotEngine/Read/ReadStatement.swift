internal import DepotProtocol
internal import DepotSQLite

/// The SQL of a read, with the values of its parameters.
struct ReadStatement {
  var sql: String
  var parameters: [SQLiteValue]
  /// Whether it can take long even for one row.
  var isSlow = false

  init(_ fragment: Fragment, isSlow: Bool = false) {
    sql = fragment.sql
    parameters = fragment.parameters
    self.isSlow = isSlow
  }

  /// Counts rows.
  ///
  /// - Throws: ``DepotError`` if the predicate doesn't fit the entity.
  init(count request: CountRequest, in catalog: Catalog) throws(DepotError) {
    let query = try RowQuery(
      request.entity,
      where: request.predicate,
      includesSubentities: request.includesSubentities,
      in: catalog
    )
    self = query.statement("SELECT count(*)" + query.clauses())
  }

  /// Asks whether there are rows; the answer is 1 or 0.
  ///
  /// - Throws: ``DepotError`` if the predicate doesn't fit the entity.
  init(exists request: CountRequest, in catalog: Catalog) throws(DepotError) {
    let query = try RowQuery(
      request.entity,
      where: request.predicate,
      includesSubentities: request.includesSubentities,
      in: catalog
    )
    self = query.statement("SELECT EXISTS (SELECT 1" + query.clauses() + ")")
  }

  /// Runs a statement that has one row with one whole number.
  func integer(on connection: Connection) throws(ReadEnd) -> Int64 {
    let prepared = try connection.prepared(self)
    defer { prepared.reset() }
    return try prepared.advance() ? prepared.row.integer(0) : 0
  }
}

extension ReplyWriter {
  /// Appends the terminal frame of a count.
  func count(_ count: Int64, to writer: inout JSONWriter) {
    ok(to: &writer) { writer in
      writer.raw("{\"count\":")
      writer.integer(count)
      writer.raw("}")
    }
  }

  /// Appends the terminal frame of a question about existence.
  func exists(_ exists: Bool, to writer: inout JSONWriter) {
    ok(to: &writer) { writer in
      writer.raw("{\"exists\":")
      writer.bool(exists)
      writer.raw("}")
    }
  }
}
