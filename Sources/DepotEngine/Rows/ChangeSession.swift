internal import DepotProtocol
internal import DepotSQLite

/// The knowledge across the rows of one request, until all of it is done.
final class ChangeSession {
  let entities: EntityWriters
  let control: CallControl
  /// The number of the connection that the request came from.
  let client: Int64
  var violations = ViolationList()
  /// The rows that inserts of a save bring, by their temporary identifiers.
  var temporaries: [String: (layout: EntityLayout, identifier: Int64)] = [:]
  /// The identifiers that rows get which had them before, by their temporary ones.
  var formerIdentifiers: [String: Int64] = [:]
  /// The uploads that rows of the request have taken up, and the attributes they are for, by their names.
  var takenUploads: [String: (target: String, reference: BlobReference)] = [:]
  /// Whether the request is done in chunks, each a transaction of its own.
  var isChunk = false
  /// Whether only rows may be deleted that are named.
  var isUndo = false
  /// The values taken from rows of a save so that they can change their unique ones in any order;
  /// `nil` if it isn't one.
  var displaced: DisplacedValues?
  /// The rows that leave their unique values to others, if conflicts were looked for.
  var moving: MovingRows?
  /// The deleted rows that a save makes again, by their tables.
  var recreated: [String: [Int64: EntityLayout]] = [:]
  /// The new destinations of to-many relationships, and of to-one ones that others store.
  var linkChanges: [LinkChange] = []
  /// Rows whose number of targets has to be looked at in the end.
  private var pending: [ObjectIdentifier: Pending] = [:]
  /// The rows whose version grew, by their tables.
  private var touched: [String: Set<Int64>] = [:]
  /// The number that tells the session from others.
  private let number: UInt64
  /// The greatest order in each row's list, cached so that it is read once.
  private var lastOrders: [OrderKey: Int64] = [:]

  var connection: Connection { entities.connection }

  /// How far apart the orders of neighbours are at first.
  static let orderGap: Int64 = 1024

  /// Why a row's targets have to be looked at.
  enum Cause {
    /// It was inserted, or got another value, at this place of the request.
    case request(pointer: String)
    /// Something else that was changed.
    case change
    /// The row that it led to was deleted.
    case deletion(of: String)
  }

  private struct Pending {
    var link: Link
    var rows: [Int64: Cause] = [:]
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

  /// How much a row's version grows: once for each request, and not if the row is new.
  func versionStep(_ root: EntityWriter, _ identifier: Int64) -> Int64 {
    if root.counter.isNew(identifier) { return 0 }
    return touched[root.layout.root, default: []].insert(identifier).inserted ? 1 : 0
  }

  /// Notes that a row's version didn't grow after all, because nothing changed.
  func keepVersion(_ root: EntityWriter, _ identifier: Int64) {
    touched[root.layout.root]?.remove(identifier)
  }

  /// Has a row's number of targets looked at when the request is done.
  func look(at link: Link, of row: Int64, because cause: @autoclosure () -> Cause) {
    guard link.isLimited else { return }
    let key = ObjectIdentifier(link)
    if case .change? = pending[key]?.rows[row] {
      pending[key]?.rows[row] = cause()
    } else if pending[key]?.rows[row] == nil {
      pending[key, default: Pending(link: link)].rows[row] = cause()
    }
  }

  /// Has a row's number of targets not looked at.
  func overlook(_ link: Link, of row: Int64) {
    pending[ObjectIdentifier(link)]?.rows[row] = nil
  }

  /// Notes a violation.
  func violate(_ error: DepotError) throws(DepotError) { try violations.add(error) }

  /// Drops everything noted since the last check, because it was undone.
  func forgetPending() {
    pending = [:]
    linkChanges = []
    touched = [:]
    lastOrders = [:]
  }

  /// Looks at the number of targets of all rows that were noted, and forgets them.
  func checkTargets() throws {
    let all = pending.values.sorted { $0.link.name < $1.link.name }
    pending = [:]
    for item in all {
      for (row, cause) in item.rows.sorted(by: { $0.key < $1.key }) {
        try control.check()
        try check(item.link, row, cause)
      }
    }
  }

  private func check(_ link: Link, _ row: Int64, _ cause: Cause) throws {
    guard try exists(row, link.owner) else { return }
    let count = try count(link, of: row)
    let relationship = link.relationship
    let error: DepotError
    let name = "\(link.owner.name)/\(row)"
    if !link.isToMany {
      guard count == 0 else { return }
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
      error = Self.wrongCount(link, row, "at least \(relationship.minCount.counting("row"))", count)
    } else if relationship.maxCount > 0, count > relationship.maxCount {
      error = Self.wrongCount(link, row, "at most \(relationship.maxCount.counting("row"))", count)
    } else {
      return
    }
    let details = error.details([
      "entity": .string(link.owner.name), "attribute": .string(link.layout.name),
      "id": .int64(row), "count": .int64(Int64(count)),
    ])
    guard case .request(let pointer) = cause else { return try violate(details) }
    try violate(details.at(pointer))
  }

  private static func wrongCount(
    _ link: Link,
    _ row: Int64,
    _ demand: String,
    _ count: Int
  ) -> DepotError {
    DepotError(
      .count,
      "\(link.owner.name)/\(row).\(link.layout.name) must have \(demand), not \(count)."
    ).hint("Add rows or take some away in the same request, or change the count in the schema.")
  }

  /// Returns how many rows a row leads to.
  private func count(_ link: Link, of row: Int64) throws -> Int {
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

  /// Whether there is such a row of an entity or of one that descends from it.
  func exists(_ identifier: Int64, _ layout: EntityLayout) throws -> Bool {
    try entities.writer(layout.name).isThere(identifier)
  }

  /// Whether a deleted row of an entity is made again by the request.
  private func comesBack(_ identifier: Int64, _ layout: EntityLayout) -> Bool {
    recreated[layout.root]?[identifier]?.lineageNames.contains(layout.name) ?? false
  }

  /// Whether a row may be led to; asks the store once for each.
  func isTarget(_ identifier: Int64, of link: Link) throws -> Bool {
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

  /// Returns an order behind those of all that belongs to a row.
  func nextOrder(_ list: String, of row: Int64, last: () throws -> Int64?) rethrows -> Int64 {
    let key = OrderKey(list: list, row: row)
    let previous = try lastOrders[key] ?? last() ?? 0
    lastOrders[key] = previous + Self.orderGap
    return previous + Self.orderGap
  }

  /// Drops the cached greatest order of a row's list, which was changed.
  func forgetOrder(_ list: String, of row: Int64) {
    lastOrders[OrderKey(list: list, row: row)] = nil
  }
}
