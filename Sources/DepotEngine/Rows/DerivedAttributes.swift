internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

/// Computes derived attributes, inside a transaction.
final class DerivedAttributes {
  private static let batch = 1000

  private let formulas: [Formula]
  private let connection: Connection

  /// An attribute with the SQL that computes it.
  private struct Formula {
    var derivation: Derivation
    var value: Operand
    var source: Fragment
  }

  init(_ catalog: Catalog, on connection: Connection) throws(DepotError) {
    self.connection = connection
    formulas = try catalog.derivations().map { (derivation) throws(DepotError) in
      do throws(DepotError) {
        return try Self.formula(derivation, catalog, now: Date())
      } catch {
        throw error.inDerivation(derivation.key)
      }
    }
    self.catalog = catalog
  }

  private let catalog: Catalog

  var isEmpty: Bool { formulas.isEmpty }

  /// Computes the values that may have changed.
  ///
  /// If a row's value changes, `step` returns how much its version is increased.
  func refresh(
    _ entities: EntityWriters,
    step: (EntityWriter, Int64) -> Int64,
    violate: (DepotError) throws -> Void
  ) throws {
    guard !isEmpty, try connection.integer("SELECT 1 FROM depot_stale LIMIT 1") != nil else {
      return
    }
    let now = Date()
    for formula in formulas {
      while let last = try lastOfBatch(formula) {
        try refresh(formula, upTo: last, now, entities, step, violate)
        try connection.statement("DELETE FROM depot_stale WHERE attribute = ?1 AND id <= ?2")
          .run([.text(formula.derivation.key), .integer(last)])
      }
    }
  }

  /// Marks attributes, or all if `nil`, to be computed for all rows at the next refresh.
  func markAll(_ keys: Set<String>? = nil) throws {
    for formula in formulas where keys?.contains(formula.derivation.key) ?? true {
      let layout = formula.derivation.layout
      let kind = layout.kindCondition(in: "t", includingDescendants: true)
      try connection.statement(
        """
        INSERT OR IGNORE INTO depot_stale (attribute, id) \
        SELECT ?1, t.id FROM \(layout.table) AS t\(kind.map { " WHERE \($0)" } ?? "")
        """
      ).run([.text(formula.derivation.key)])
    }
  }

  /// Marks the values that depend on a reference to a deleted row that is inserted again.
  ///
  /// There are no triggers for that, since usually no row refers to a new one.
  func markReferrers(to identifier: Int64, in root: String) throws {
    for derivation in formulas.map(\.derivation) {
      for select in derivation.referrers(in: root) {
        try connection.statement(
          """
          INSERT OR IGNORE INTO depot_stale (attribute, id) \
          SELECT ?2, found.id FROM (\(select)) AS found WHERE found.id IS NOT NULL
          """
        ).run([.integer(identifier), .text(derivation.key)])
      }
    }
  }

  private func lastOfBatch(_ formula: Formula) throws -> Int64? {
    try connection.integer(
      """
      SELECT max(id) FROM (SELECT id FROM depot_stale WHERE attribute = ?1 \
      ORDER BY id LIMIT \(Self.batch))
      """,
      [.text(formula.derivation.key)]
    )
  }

  private func refresh(
    _ formula: Formula,
    upTo last: Int64,
    _ now: Date,
    _ entities: EntityWriters,
    _ step: (EntityWriter, Int64) -> Int64,
    _ violate: (DepotError) throws -> Void
  ) throws {
    let derivation = formula.derivation
    let layout = derivation.layout
    // The time is a parameter, so that the SQL stays the same.
    let formula = try Self.formula(derivation, catalog, now: now)
    let column = "t0.\(layout.stored[derivation.place].quoted)"
    let select =
      "SELECT t0.id, \(column), " + formula.value.fragment + " FROM " + formula.source
      + " WHERE t0.id IN (SELECT id FROM depot_stale WHERE attribute = "
      + .bound(.text(derivation.key)) + " AND id <= " + .bound(.integer(last))
      + ")\(layout.kindFilter(in: "t0"))"
    let writer = try entities.writer(layout.name)
    var changes: [(identifier: Int64, value: SQLiteValue)] = []
    try read(select, derivation) { row in
      let count = Cell(row, 2).byteCount
      guard count <= Limits.valueBytes else {
        return try violate(Self.tooLarge(derivation, row.integer(0), count, writer))
      }
      let value = row[2]
      if value == .null, !derivation.attribute.isOptional {
        try violate(Self.required(derivation, row.integer(0)))
      }
      if row[1] != value { changes.append((row.integer(0), value)) }
    }
    let root = try layout.isRoot ? writer : entities.writer(layout.root)
    let arena = CellArena()
    for (identifier, value) in changes {
      arena.removeAll()
      _ = try writer.change(
        identifier,
        [(derivation.place, Cell(stored: value, in: arena))],
        step: step(root, identifier)
      )
    }
  }

  private static func required(_ derivation: Derivation, _ identifier: Int64) -> DepotError {
    let layout = derivation.layout
    return DepotError(
      .required,
      "\(layout.name)/\(identifier) has no value for \(derivation.attribute.name), which is derived."
    )
    .hint("What it is derived from is null. Give that a value, or make \(derivation.key) optional.")
    .details(entity: layout.name, attribute: derivation.attribute.name).detail("id", identifier)
  }

  /// Reads computed values.
  private func read(
    _ select: Fragment,
    _ derivation: Derivation,
    _ body: (borrowing Row) throws -> Void
  ) throws {
    do {
      try connection.statement(select.sql).run(select.parameters, body)
    } catch let error as SQLiteError where error.kind == .tooBig {
      throw DepotError(.valueTooLarge, "\(derivation.key) can't be derived: \(error.message)")
        .hint("Shorten its sources, or leave \(derivation.key) out.")
        .details(entity: derivation.layout.name, attribute: derivation.attribute.name)
    }
  }

  private static func tooLarge(
    _ derivation: Derivation,
    _ identifier: Int64,
    _ count: Int,
    _ writer: EntityWriter
  ) throws -> DepotError {
    try writer.rule(derivation.position).tooLarge(count)
      .hint("It is derived. Shorten its sources, or leave \(derivation.key) out.")
      .detail("id", identifier)
  }

  // MARK: - Compiling

  private static func formula(
    _ derivation: Derivation,
    _ catalog: Catalog,
    now: Date
  ) throws(DepotError) -> Formula {
    var compiler = QueryCompiler(derivation.layout, in: catalog, now: now)
    let operand = try compiler.operand(derivation.expression)
    let value = try fit(operand, derivation, compiler)
    return Formula(derivation: derivation, value: value, source: compiler.source)
  }

  /// Returns the value converted to the attribute's type.
  private static func fit(
    _ operand: Operand,
    _ derivation: Derivation,
    _ compiler: QueryCompiler
  ) throws(DepotError) -> Operand {
    guard let type = operand.type else { return operand }
    let wanted = derivation.attribute.type
    let isWidening =
      switch (type, wanted) {
      case (.int64, .double), (.int64, .decimal), (.url, .string): true
      default: type == wanted
      }
    guard isWidening, operand.root == nil, type.isScalar else {
      throw DepotError(
        .invalidSchema,
        "The expression is of type \(operand.typeName), the attribute of type \(wanted.rawValue)."
      ).hint("Give the attribute that type, or convert the value: CAST(…, \"\(wanted.rawValue)\").")
    }
    return try compiler.convert(operand, to: wanted)
  }
}
