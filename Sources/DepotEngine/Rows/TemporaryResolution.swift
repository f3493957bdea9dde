internal import DepotProtocol
internal import DepotSQLite

/// Finds the rows of a save that take the places of others, because their unique values are the same.
///
/// A row's unique values may lead to rows that are resolved themselves, so it goes on until nothing
/// changes.
struct TemporaryResolution {
  /// How often all rows are gone through.
  ///
  /// One time settles every row that stands behind what it refers to, and at least one of the others.
  private static let rounds = 64

  private let request: SaveRequest
  private let session: ChangeSession

  init(_ request: SaveRequest, _ session: ChangeSession) {
    self.request = request
    self.session = session
  }

  func run() throws {
    for _ in 0..<Self.rounds {
      var seen: [UniqueKey: Int64] = [:]
      var hasChanged = false
      for index in request.inserts.indices {
        hasChanged = try resolve(index, &seen) || hasChanged
      }
      if !hasChanged { return }
    }
    throw DepotError(.usage, "Rows whose unique values are references lead too far back.")
      .hint("Put rows before those that refer to them.").at("/args/insert")
  }

  /// The values that a row must have for itself.
  private struct UniqueKey: Hashable {
    var root: String
    var unique: UniqueLayout
    var values: [SQLiteValue]
  }

  private func resolve(_ index: Int, _ seen: inout [UniqueKey: Int64]) throws -> Bool {
    let insertion = request.inserts[index]
    guard insertion.columns.contains("$id") else { return false }
    let pointer = "/args/insert/\(index)"
    let writer = try session.entities.writer(insertion.entity, at: "\(pointer)/entity")
    guard !writer.layout.uniques.isEmpty else { return false }
    let run = try writer.insertRun(
      insertion.columns,
      request.onConflict,
      at: pointer,
      identifier: true
    )
    var hasChanged = false
    try insertion.rows.json.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes)
      while try reader.beginRow() {
        try session.control.check()
        let count = session.violations.errors.count
        let isSound = try writer.readRow(&reader, run.plan, session, .set(base: pointer))
        // They are found again when the row is stored.
        _ = session.violations.take(since: count)
        guard isSound, let name = writer.links.temporary else { continue }
        if try resolve(name, writer, &seen) { hasChanged = true }
      }
    }
    return hasChanged
  }

  /// Lets a temporary identifier mean the row that has the unique values in the cells.
  private func resolve(
    _ name: String,
    _ writer: EntityWriter,
    _ seen: inout [UniqueKey: Int64]
  ) throws -> Bool {
    guard let provisional = session.temporaries[name] else { return false }
    let uniques = writer.layout.uniques.filter { unique in
      writer.layout.isDemanded(unique)
        && !unique.places.contains { writer.cells[$0].isNull }
    }
    let keys = uniques.map { unique in
      UniqueKey(
        root: writer.layout.root,
        unique: unique,
        values: unique.places.map { writer.cells[$0].value }
      )
    }
    // Two rows clashing is found and told when the row is stored.
    let existing = try? writer.existing()
    let earlier = keys.first { seen[$0] != nil }.flatMap { seen[$0] }
    let identifier = existing ?? earlier ?? provisional.identifier
    for key in keys { seen[key] = identifier }
    guard identifier != provisional.identifier else { return false }
    session.temporaries[name]?.identifier = identifier
    return true
  }
}

extension Cell {
  /// A copy of the value.
  var value: SQLiteValue {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    case .blob(let bytes): .blob(Array(bytes))
    }
  }
}
