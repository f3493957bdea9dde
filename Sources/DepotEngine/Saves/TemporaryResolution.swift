internal import DepotProtocol
internal import DepotSQLite

/// Finds the stored rows that rows of a save replace, because their unique values are equal.
///
/// A row's unique values may refer to rows that must be found themselves, so the search repeats
/// until nothing changes.
struct TemporaryResolution {
  /// The most passes through all rows.
  ///
  /// One pass finds every row that comes after the rows it refers to, and at least one of the
  /// others.
  private static let rounds = 64
  /// The most stored rows that are compared for cycles, besides a few for each row of the save.
  private static let comparisons = 100_000

  /// A row of the request.
  struct RequestRow: Hashable {
    var insertion: Int
    var row: Int
  }

  /// The results of one pass through all rows.
  private struct Round {
    var seen: [UniqueKey: Int64] = [:]
    /// Rows without temporary identifiers.
    var nameless: [UniqueKey: RequestRow] = [:]
    var circles: CircleResolution
    var hasChanged = false
  }

  private let request: SaveRequest
  private let session: ChangeSession
  /// The tables of rows with temporary identifiers.
  private let roots: Set<String>
  /// The identifiers of rows without temporary ones that share unique values with other rows.
  private var identifiers: [RequestRow: Int64] = [:]

  init(_ request: SaveRequest, _ session: ChangeSession) {
    self.request = request
    self.session = session
    roots = Set(session.temporaries.values.map(\.layout.root))
  }

  /// Finds stored rows for temporary identifiers.
  ///
  /// It returns the identifiers of rows without temporary ones that other rows of the save
  /// determine.
  mutating func run() throws -> [RequestRow: Int64] {
    var comparisons = Self.comparisons + 8 * session.temporaries.count
    for _ in 0..<Self.rounds {
      var round = Round(circles: CircleResolution(session, comparisons))
      identifiers = [:]
      for index in request.inserts.indices { try resolve(index, &round) }
      if round.hasChanged { continue }
      let found = try round.circles.run()
      comparisons = round.circles.stepLimit
      if found.isEmpty { return identifiers }
      for (name, provisional) in session.temporaries {
        let key = CircleResolution.RowKey(
          root: provisional.layout.root,
          identifier: provisional.identifier
        )
        if let identifier = found[key] { session.temporaries[name]?.identifier = identifier }
      }
    }
    throw Self.tooFarBack
  }

  static let tooFarBack = DepotError(
    .usage,
    "Unique values that are references lead through too many rows.",
    hint: "Put rows before those that refer to them, or save fewer of them together."
  ).at("/args/insert")

  /// Values that must be unique.
  private struct UniqueKey: Hashable {
    var root: String
    var unique: UniqueLayout
    var values: [SQLiteValue]
  }

  private mutating func resolve(_ index: Int, _ round: inout Round) throws {
    let insertion = request.inserts[index]
    let pointer = "/args/insert/\(index)"
    let writer = try session.entities.writer(insertion.entity, at: "\(pointer)/entity")
    guard !writer.layout.uniques.isEmpty, roots.contains(writer.layout.root) else { return }
    let run = try writer.insertRun(
      insertion.columns,
      request.onConflict,
      at: pointer,
      identifier: true
    )
    try insertion.rows.eachRow { row, reader in
      try session.control.check()
      let count = session.violations.errors.count
      let isSound = try writer.readRow(&reader, run.plan, session, .set(base: pointer))
      // They are found again when the row is stored.
      _ = session.violations.take(since: count)
      guard isSound else { return }
      let place = RequestRow(insertion: index, row: row)
      let name = run.plan.hasLinks ? writer.links.temporary : nil
      try resolve(name, writer, place, &round)
    }
  }

  /// Looks up the stored row with the cells' unique values, for a temporary identifier.
  private mutating func resolve(
    _ name: String?,
    _ writer: EntityWriter,
    _ place: RequestRow,
    _ round: inout Round
  ) throws {
    let uniques = writer.layout.uniques.filter { unique in
      writer.layout.isDemanded(unique)
        && !unique.columnIndices.contains { writer.cells[$0].isNull }
    }
    let keys = uniques.map { unique in
      UniqueKey(
        root: writer.layout.root,
        unique: unique,
        values: unique.columnIndices.map { writer.cells[$0].value }
      )
    }
    guard let name, let provisional = session.temporaries[name] else {
      for key in keys where round.seen[key] == nil && round.nameless[key] == nil {
        round.nameless[key] = place
      }
      return
    }
    // If two stored rows conflict, that is reported when the row is stored.
    let existing = try unlessRefused { try writer.existing(session) }
    let earlier = keys.first { round.seen[$0] != nil }.flatMap { round.seen[$0] }
    let identifier = existing ?? earlier ?? provisional.identifier
    for key in keys {
      round.seen[key] = identifier
      if existing == nil, let other = round.nameless[key] { identifiers[other] = identifier }
    }
    if identifier != provisional.identifier {
      session.temporaries[name]?.identifier = identifier
      round.hasChanged = true
    } else if writer.counter.isNew(identifier) {
      round.circles.add(identifier, writer, try keys.compactMap { try open($0, writer) })
    }
  }

  /// Returns a key with references to rows that have no permanent identifier yet.
  private func open(
    _ key: UniqueKey,
    _ writer: EntityWriter
  ) throws -> CircleResolution.OpenKey? {
    var rows: [Int: CircleResolution.RowKey] = [:]
    for (index, place) in key.unique.columnIndices.enumerated() {
      let column = writer.layout.stored[place]
      guard column.storage == .reference, case .integer(let identifier) = key.values[index],
        let relationship = writer.layout.relationships.first(where: {
          $0.storage == .column(column.quoted)
        })
      else { continue }
      let root = try session.entities.catalog.layout(of: relationship.destination).root
      guard session.entities.counters[root]?.isNew(identifier) == true else { continue }
      rows[index] = CircleResolution.RowKey(root: root, identifier: identifier)
    }
    guard !rows.isEmpty else { return nil }
    return CircleResolution.OpenKey(unique: key.unique, values: key.values, rows: rows)
  }
}
