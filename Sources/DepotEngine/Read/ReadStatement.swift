internal import DepotProtocol
internal import DepotSQLite

/// The SQL of a fetch or count, with the values of its parameters.
struct ReadStatement {
  var sql: String
  var parameters: [SQLiteValue] = []
  /// Whether it can take long even for one row.
  var isSlow = false

  /// - Throws: ``DepotError`` if the predicate or a sort key doesn't fit the entity.
  init(
    fetch request: FetchRequest,
    columns: String,
    of layout: EntityLayout,
    in catalog: Catalog
  ) throws(DepotError) {
    sql = "SELECT \(columns) FROM "
    try restrict(request.predicate, layout, catalog)
    sql += " ORDER BY " + (try Self.order(request.sort, layout))
    if request.limit != nil || request.offset > 0 {
      sql += " LIMIT ? OFFSET ?"
      parameters += [
        .integer(Int64(request.limit ?? -1)), .integer(Int64(request.offset)),
      ]
    }
  }

  init(
    count request: CountRequest,
    of layout: EntityLayout,
    in catalog: Catalog
  ) throws(DepotError) {
    sql = "SELECT count(*) FROM "
    try restrict(request.predicate, layout, catalog)
  }

  /// Fetches one row by its identifier.
  init(get shape: RowShape) {
    sql = "SELECT \(shape.columns) FROM \(shape.layout.table) AS t0 WHERE t0.id = ?"
  }

  private mutating func restrict(
    _ predicate: QueryExpression?,
    _ layout: EntityLayout,
    _ catalog: Catalog
  ) throws(DepotError) {
    guard let predicate else {
      sql += "\(layout.table) AS t0"
      return
    }
    do {
      let compiled = try PredicateSQL.compile(predicate, for: layout, in: catalog)
      sql += compiled.source + " WHERE " + compiled.sql
      parameters += compiled.parameters
      isSlow = compiled.isSlow
    } catch {
      throw error.at("/args/where")
    }
  }

  /// The sort keys, ending with the identifier, so that the order is total.
  ///
  /// Ascending, null is first and NaN last. Text sorts by code point, false before true.
  private static func order(
    _ keys: [SortKey],
    _ layout: EntityLayout
  ) throws(DepotError) -> String {
    var terms: [String] = []
    for (index, key) in keys.enumerated() {
      guard case .attribute(let path) = key.expression else {
        throw DepotError(.usage, "Rows can't be sorted by this.").at("/args/sort/\(index)")
      }
      let column: String
      if path == "$id" {
        terms.append(key.isDescending ? "t0.id DESC" : "t0.id")
        return terms.joined(separator: ", ")
      } else if path == "$version" {
        column = "t0.version"
      } else if let position = layout.position(of: path) {
        column = layout.sql(ofField: position, in: "t0")
      } else {
        throw layout.entity.unknownAttribute(path).at("/args/sort/\(index)")
      }
      terms.append(key.isDescending ? column + " DESC" : column)
    }
    return (terms + ["t0.id"]).joined(separator: ", ")
  }
}

extension ReadStatement {
  /// Runs a count.
  func count(on connection: Connection) throws(ReadEnd) -> Int64 {
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
}
