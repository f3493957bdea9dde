internal import DepotProtocol
internal import DepotSQLite

/// The state of one request across its rows.
final class ChangeSession {
  let entities: EntityWriters
  let control: CallControl
  /// The number of the request's connection.
  let client: Int64
  var violations = ViolationList()
  /// The rows that a save inserts, by their temporary identifiers.
  var temporaries: [String: (layout: EntityLayout, identifier: Int64)] = [:]
  /// The uploads that rows of the request use, with their target attributes, by name.
  var takenUploads: [String: (target: String, reference: BlobReference)] = [:]
  /// The used uploads whose values belong into rows, with their places, by name.
  var uploadsForRows: [String: (table: BlobTable, number: Int64)] = [:]
  /// Whether the request is executed in chunks, each in its own transaction.
  var isChunk = false
  /// Whether only rows named by the request may be deleted.
  var isUndo = false
  /// The temporarily displaced unique values; `nil` if the request isn't a save.
  ///
  /// They let a save move unique values between rows in any order.
  var deferredValues: DeferredUniqueValues?
  /// The rows that may release unique values, if conflicts were searched for.
  var moving: MovingRows?
  /// The deleted rows that a save inserts again, by table.
  var recreated: [String: [Int64: EntityLayout]] = [:]
  /// The deleted rows that an undo inserts again in parts.
  var returning = ReturningRows()
  /// The new destinations of relationships stored in other rows or join tables.
  var linkChanges: [RelationshipChange] = []
  /// The rows whose number of destinations must be checked at the end.
  private var pending: [ObjectIdentifier: Pending] = [:]
  /// The rows whose version was increased: the first one, and the others.
  private var firstRaised: RaisedRow?
  private var raisedRows: Set<RaisedRow> = []
  /// The number of the session.
  private let number: UInt64
  /// The greatest order in each row's list, cached after its first reading.
  private var lastOrders: [OrderKey: Int64] = [:]

  var connection: Connection { entities.connection }

  /// The initial difference of the orders of neighbors.
  static let orderGap: Int64 = 1024

  /// The reason why a row's destinations must be checked.
  enum Cause {
    /// The row was inserted or changed, at this pointer of the request.
    case request(pointer: String)
    /// Another row was changed.
    case change
    /// The row's destination was deleted.
    case deletion(of: String)
  }

  private struct Pending {
    var link: RelationshipLink
    var rows: [Int64: Cause] = [:]
  }

  private struct RaisedRow: Hashable {
    /// The writer of the table.
    var root: ObjectIdentifier
    var row: Int64
  }

  private struct OrderKey: Hashable {
    var list: String
    var row: Int64
  }

  init(_ entities: EntityWriters, _ control: CallControl, client: Int64 = 0) {
    self.client = client
    self.entities = entities
    self.control = control
    number = entities.nextSession()
    for counter in entities.counters.values { counter.beginRequest() }
  }

  /// Returns how much to increase a row's version: 1 once per request, and 0 for a new row.
  func versionStep(_ root: EntityWriter, _ identifier: Int64) -> Int64 {
    if root.counter.isNew(identifier) { return 0 }
    let row = RaisedRow(root: ObjectIdentifier(root), row: identifier)
    if row == firstRaised { return 0 }
    // Most requests change one row.
    if firstRaised == nil, raisedRows.isEmpty {
      firstRaised = row
      return 1
    }
    return raisedRows.insert(row).inserted ? 1 : 0
  }

  /// Records that a row's version wasn't increased, because nothing changed.
  func keepVersion(_ root: EntityWriter, _ identifier: Int64) {
    let row = RaisedRow(root: ObjectIdentifier(root), row: identifier)
    if row == firstRaised { firstRaised = nil } else { raisedRows.remove(row) }
  }

  /// Schedules a check of a row's number of destinations for the end of the request.
  func look(at link: RelationshipLink, of row: Int64, because cause: @autoclosure () -> Cause) {
    guard link.isLimited else { return }
    let key = ObjectIdentifier(link)
    if case .change? = pending[key]?.rows[row] {
      pending[key]?.rows[row] = cause()
    } else if pending[key]?.rows[row] == nil {
      pending[key, default: Pending(link: link)].rows[row] = cause()
    }
  }

  /// Cancels the check of a row's number of destinations.
  func overlook(_ link: RelationshipLink, of row: Int64) {
    pending[ObjectIdentifier(link)]?.rows[row] = nil
  }

  /// Adds a violation.
  func violate(_ error: DepotError) throws(DepotError) { try violations.add(error) }

  /// Discards everything scheduled since the last check, because it was undone.
  func forgetPending() {
    pending = [:]
    linkChanges = []
    firstRaised = nil
    raisedRows = []
    lastOrders = [:]
  }

  /// Checks the number of destinations of all scheduled rows.
  func checkTargets() throws {
    guard !pending.isEmpty else { return }
    let all = pending.values.sorted { $0.link.name < $1.link.name }
    pending = [:]
    for item in all {
      for (row, cause) in item.rows.sorted(by: { $0.key < $1.key }) {
        try control.check()
        try check(item.link, row, cause)
      }
    }
  }

  /// Removes the scheduled checks that pass already: later changes schedule theirs again.
  ///
  /// So a request in parts keeps few of them. Call it only while no unique values are displaced.
  func dropPassedChecks() throws {
    for (key, item) in pending {
      pending[key]?.rows = try item.rows.filter { row, _ in
        try control.check()
        // A row that comes back later is checked then.
        guard try exists(row, item.link.owner) else { return true }
        return try !item.link.allows(count(item.link, of: row))
      }
    }
  }

  private func check(_ link: RelationshipLink, _ row: Int64, _ cause: Cause) throws {
    guard try exists(row, link.owner) else { return }
    let count = try count(link, of: row)
    guard !link.allows(count) else { return }
    let relationship = link.relationship
    let error: DepotError
    let name = "\(link.owner.name)/\(row)"
    if !link.isToMany {
      if case .deletion(let target) = cause {
        error = DepotError(
          .denied,
          "\(target) can't be deleted: \(link.name) of \(name) must lead to a row."
        ).hint("Delete \(name) too, or let it lead to another row first.")
      } else {
        error = DepotError(.required, "\(link.name) of \(name) must lead to a row.")
          .hint("Give it a row, or make it optional in the schema.")
      }
    } else if count < relationship.minCount {
      error = Self.wrongCount(
        link,
        row,
        "at least \(relationship.minCount.pluralized("row"))",
        count
      )
    } else {
      error = Self.wrongCount(
        link,
        row,
        "at most \(relationship.maxCount.pluralized("row"))",
        count
      )
    }
    let details = error.details(entity: link.owner.name, attribute: link.layout.name)
      .detail("id", row).detail("count", Int64(count))
    guard case .request(let pointer) = cause else { return try violate(details) }
    try violate(details.at(pointer))
  }

  private static func wrongCount(
    _ link: RelationshipLink,
    _ row: Int64,
    _ demand: String,
    _ count: Int
  ) -> DepotError {
    DepotError(
      .count,
      "\(link.owner.name)/\(row).\(link.layout.name) must have \(demand), not \(count)."
    ).hint("Add rows or take some away in the same request, or change the count in the schema.")
  }

  /// Returns the number of a row's destinations.
  private func count(_ link: RelationshipLink, of row: Int64) throws -> Int {
    let (table, column): (String, String)
    switch link.storage {
    case .column(let column):
      return try connection.target(of: row, in: column) == nil ? 0 : 1
    case .foreign(let back): (table, column) = (back.root.table, back.quoted)
    case .join(let join): (table, column) = (join.name, link.side.column)
    }
    let sql = "SELECT count(*) FROM \(table) WHERE \(column) = ?1"
    return Int(try connection.integer(sql, [.integer(row)]) ?? 0)
  }

  /// Whether a row with this identifier exists in an entity or its descendants.
  func exists(_ identifier: Int64, _ layout: EntityLayout) throws -> Bool {
    try entities.writer(layout.name).isThere(identifier)
  }

  /// Whether a deleted row of an entity is made again by the request.
  func comesBack(_ identifier: Int64, _ layout: EntityLayout) -> Bool {
    recreated[layout.root]?[identifier]?.lineageNames.contains(layout.name)
      ?? returning.contains(identifier, of: layout)
  }

  /// Whether a row may be a destination; the result is cached.
  func isTarget(_ identifier: Int64, of link: RelationshipLink) throws -> Bool {
    if link.knownSession != number {
      link.knownSession = number
      link.known.removeAll(keepingCapacity: link.known.count < 100_000)
    }
    if link.known.contains(identifier) { return true }
    guard try exists(identifier, link.destination) || comesBack(identifier, link.destination)
    else { return false }
    link.known.insert(identifier)
    return true
  }

  /// Returns an order after all rows in a row's list.
  func nextOrder(_ list: String, of row: Int64, last: () throws -> Int64?) rethrows -> Int64 {
    let key = OrderKey(list: list, row: row)
    let previous = try lastOrders[key] ?? last() ?? 0
    lastOrders[key] = previous + Self.orderGap
    return previous + Self.orderGap
  }

  /// Removes the cached greatest order of a row's list after a change.
  func forgetOrder(_ list: String, of row: Int64) {
    lastOrders[OrderKey(list: list, row: row)] = nil
  }
}

extension RelationshipLink {
  /// Whether a row may have a number of destinations.
  fileprivate func allows(_ count: Int) -> Bool {
    guard isToMany else { return count > 0 }
    return count >= relationship.minCount
      && (relationship.maxCount == 0 || count <= relationship.maxCount)
  }
}
