internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// The recorder of every row that the writing connection changes, which writes the changes into the
/// history and makes them known.
///
/// It sees what SQLite does, so whatever causes a change is recorded: cascades, triggers, replacements. Each
/// request is a transaction of the history, even if several are committed together: call ``begin(_:)``
/// before it, and then ``finish()`` inside SQLite's transaction, or ``discard()`` if it failed.
final class ChangeRecorder: ChangeObserver {
  let interest = ChangeInterest()
  let history: HistoryTable
  unowned let connection: Connection
  /// The epoch of what is recorded.
  let epoch: WriterEpoch
  private var catalog: Catalog?
  private(set) var tables: [RecordedTable] = []
  private var tablesByName: [String: RecordedTable] = [:]
  private var tablesByAddress: [UnsafePointer<CChar>: RecordedTable] = [:]
  private var lastAddress: UnsafePointer<CChar>?
  private var lastTable: RecordedTable?

  private(set) var origin = TransactionOrigin()
  var journal = ChangeJournal()
  /// The tables that the request has changed, in the order in which it did.
  private(set) var touched: [RecordedTable] = []
  private var isRecording = false
  /// The values of the rows that the request has inserted, if somebody watches.
  private var inserted = InsertedRows()
  /// Whether other services are told of what changes, whoever is interested here.
  var tellsOthers = false
  private var isHeard: Bool { tellsOthers || interest.isRaised }
  /// Whether somebody was interested when the request began.
  private(set) var isWatched = false
  private var isMarked = false
  /// The places of the only columns that updates change now; `nil` if it isn't known.
  var updatedPlaces: [Int]?
  /// Whether rows have values for a while that the history must not see.
  var isHeld = false
  /// The state of the interest in values that the tables know of.
  private var wantedVersion = -1
  /// Whether a value couldn't be read.
  private var hasFailed = false
  /// The transactions that wait for the commit.
  private var pending: [Pending] = []

  /// A transaction that isn't on disk yet.
  private struct Pending {
    var changes: CommittedChanges
    /// The tables, if it isn't known what changed in them.
    var unknown: [RecordedTable] = []
  }

  /// Creates a recorder; `floor` is the greatest identifier that a deleted row of the history ever
  /// had.
  init(
    on connection: Connection,
    store: String,
    floor: Int64,
    _ clocks: Clocks
  ) throws {
    self.connection = connection
    history = try HistoryTable(on: connection, floor: floor)
    epoch = try WriterEpoch(
      on: connection,
      store: store,
      last: history.lastIdentifier,
      time: history.lastTime,
      clocks
    )
    history.epoch = epoch
  }

  // MARK: - Requests

  /// Begins to record a request.
  func begin(_ origin: TransactionOrigin, _ catalog: Catalog) throws {
    self.origin = origin
    isWatched = isHeard
    history.keepsPages = interest.isRaised
    guard !origin.isSchemaChange else {
      // The tables themselves may change, and their rows be made anew; there is another catalog then.
      connection.observe(nil)
      return forgetAddresses()
    }
    if self.catalog !== catalog { try adopt(catalog) }
    if isWatched { adoptWantedValues() }
    isRecording = true
  }

  /// Writes what the request changed into the history, and returns the token of the transaction, or
  /// `nil` if nothing changed.
  func finish() throws -> HistoryToken? {
    guard !hasFailed else { throw DepotError(.busy, "The service is out of memory.") }
    var changes = CommittedChanges(
      token: 0,
      at: 0,
      author: origin.author,
      connection: origin.connection
    )
    let isBuilt = isHeard
    if origin.isSchemaChange {
      changes.isSchemaChange = true
    } else {
      // That something was undone is told, also if nothing had to change.
      guard !touched.isEmpty || origin.kind != nil else {
        stop()
        return nil
      }
      var writing = JournalWriting(recorder: self, isLast: true, tells: isBuilt)
      try writing.run()
      changes.tables = writing.tables
      changes.links = writing.links
    }
    if history.current == nil { try history.add(nil, origin) }
    changes.set = history.changeSet(origin, inserted)
    guard let (token, at) = history.finish() else { return nil }
    changes.token = token
    changes.at = epoch.date(at)
    pending.append(
      Pending(changes: changes, unknown: isBuilt || origin.isSchemaChange ? [] : touched)
    )
    stop()
    return epoch.chain.token(token)
  }

  /// Forgets what a request changed, which is undone.
  func discard() {
    history.discard()
    stop()
  }

  /// Has the tables note what is wanted now, for the whole request.
  private func adoptWantedValues() {
    let version = interest.wantedVersion
    guard version != wantedVersion else { return }
    wantedVersion = version
    let wanted = interest.wanted
    for table in tables {
      guard case .rows(let rows) = table.content else { continue }
      table.wantedPlaces = wanted[rows.layout.name] ?? PlaceSet()
    }
  }

  private func stop() {
    isRecording = false
    inserted = InsertedRows()
    isMarked = false
    isHeld = false
    hasFailed = false
    for table in touched { table.reset() }
    touched.removeAll(keepingCapacity: true)
    journal.removeAll()
    if origin.isSchemaChange {
      origin = TransactionOrigin()
      connection.observe(self)
    }
  }

  /// Says what else the transaction is, besides the kind that it was given.
  func addKind(_ kind: String) throws {
    if history.current == nil { try history.add(nil, origin) }
    try history.add(nil, origin, kind: kind)
  }

  /// Says what kind of transaction the request is: `undo:` or `redo:` and a token.
  func setKind(_ kind: String) { origin.kind = kind }

  /// Says to which group the request belongs, before anything of it is in the history.
  func setGroup(_ group: String?) { origin.group = group }

  // MARK: - Transactions

  /// Forgets the requests of a transaction that is undone.
  func discardTransaction() {
    discard()
    _ = history.takeAddedBytes()
    pending.removeAll()
  }

  /// Goes on behind what others have added to the history.
  ///
  /// - Parameters:
  ///   - floor: The greatest identifier that a deleted row of the history ever had.
  ///   - isBroken: Whether the store may have lost what was told.
  /// - Throws: ``SQLiteError``.
  func goOn(floor: Int64, isBroken: Bool) throws {
    try history.goOn(floor: floor)
    try epoch.join(last: history.lastIdentifier, time: history.lastTime, isBroken: isBroken)
  }

  /// Takes out what was committed, if anybody is interested.
  func takeCommitted() -> [CommittedChanges] {
    guard !pending.isEmpty else { return [] }
    defer { pending.removeAll(keepingCapacity: true) }
    return interest.isRaised ? uncommitted : []
  }

  /// The changes of the transactions that wait for the commit.
  var uncommitted: [CommittedChanges] {
    pending.map { item in
      var changes = item.changes
      for table in item.unknown { changes.setMany(table) }
      return changes
    }
  }

  // MARK: - Savepoints

  /// The extent of a request's changes up to some moment.
  struct Mark {
    fileprivate var entries: Int
    fileprivate var bytes: Int
    fileprivate var tables: [(table: RecordedTable, inserts: [InsertRange], isDirty: Bool)]
  }

  /// Notes the moment, so that what follows can be taken back until ``release()``.
  func mark() -> Mark {
    isMarked = true
    return Mark(
      entries: journal.entries.count,
      bytes: journal.arena.count,
      tables: touched.map { ($0, $0.inserts, $0.isDirty) }
    )
  }

  /// Takes back what was changed since, as a savepoint is.
  func rollBack(to mark: Mark) {
    inserted.giveUp()
    journal.entries.removeLast(journal.entries.count - mark.entries)
    journal.arena.truncate(to: mark.bytes)
    for table in touched[mark.tables.count...] { table.reset() }
    touched.removeLast(touched.count - mark.tables.count)
    for (table, inserts, isDirty) in mark.tables {
      table.inserts = inserts
      table.isDirty = isDirty
    }
  }

  /// Forgets the mark.
  func release() { isMarked = false }

  /// Writes what is in memory into the history if it is much; call it wherever much can be changed.
  @inline(__always)
  func spill() throws {
    guard journal.isFull, !isMarked, !isHeld, isRecording else { return }
    var writing = JournalWriting(recorder: self, isLast: false, tells: false)
    try writing.run()
    for table in touched { table.wasSpilled = true }
    journal.removeAll(goesOn: true)
  }

  // MARK: - Deletions of everything

  /// Deletes all rows of a table without looking at them, if neither the history nor anybody wants
  /// them, and returns whether it did.
  func truncate(_ layout: EntityLayout) throws(SQLiteError) -> Bool {
    guard isRecording, !isWatched, let table = tablesByName["e_\(layout.root)"],
      case .rows(let rows) = table.content, rows.isUnkept
    else { return false }
    connection.observe(nil)
    defer { connection.observe(self) }
    try connection.execute("DELETE FROM \(layout.table)")
    touch(table)
    table.isDirty = true
    return true
  }

  // MARK: - Tables

  private func forgetTables() {
    catalog = nil
    tables = []
    tablesByName = [:]
    forgetAddresses()
    wantedVersion = -1
  }

  /// Forgets where SQLite has the names of the tables, which it reads anew when its schema changes.
  private func forgetAddresses() {
    tablesByAddress = [:]
    lastAddress = nil
    lastTable = nil
  }

  private func adopt(_ catalog: Catalog) throws {
    forgetTables()
    for layout in catalog.tables {
      let name = "e_\(layout.name)"
      let rows = try RecordedRows(layout, in: catalog, columns: columns(of: name))
      add(name, .rows(rows))
    }
    for layout in catalog.allLayouts {
      for relationship in layout.relationships where relationship.owner == layout.name {
        guard case .join(let table, "source", _, _) = relationship.storage else { continue }
        let name = String(table.dropFirst().dropLast())
        guard tablesByName[name] == nil else { continue }
        let names = try columns(of: name)
        add(name, .links(RecordedLinks(relationship, layout, catalog.schema, names)))
      }
    }
    self.catalog = catalog
  }

  private func add(_ name: String, _ content: RecordedTable.Content) {
    let table = RecordedTable(tables.count, name, content)
    tables.append(table)
    tablesByName[name] = table
  }

  private func columns(of table: String) throws(SQLiteError) -> [String] {
    try connection.texts("SELECT name FROM pragma_table_info('\(table)') ORDER BY cid")
  }

  /// Returns the table of a change, or `nil` if it isn't recorded.
  @inline(__always)
  private func table(_ name: UnsafePointer<CChar>) -> RecordedTable? {
    if name == lastAddress, let lastTable, lastTable.isNamed(name) { return lastTable }
    let prefix = UInt8(bitPattern: name[0])
    guard prefix == UInt8(ascii: "e") || prefix == UInt8(ascii: "j"),
      UInt8(bitPattern: name[1]) == UInt8(ascii: "_")
    else { return nil }
    return otherTable(name)
  }

  private func otherTable(_ name: UnsafePointer<CChar>) -> RecordedTable? {
    var table = tablesByAddress[name]
    if table?.isNamed(name) != true {
      table = tablesByName[String(cString: name)]
      tablesByAddress[name] = table
    }
    lastAddress = name
    lastTable = table
    return table
  }

  @inline(__always)
  private func touch(_ table: RecordedTable) {
    guard !table.isTouched else { return }
    table.isTouched = true
    touched.append(table)
  }

  // MARK: - Changes

  func willChange(_ change: borrowing RowEvent) {
    guard isRecording, let table = table(change.table) else { return }
    touch(table)
    do throws(OutOfMemory) {
      try record(change, table)
    } catch {
      hasFailed = true
    }
  }

  @inline(__always)
  private func record(
    _ change: borrowing RowEvent,
    _ table: RecordedTable
  ) throws(OutOfMemory) {
    switch table.content {
    case .rows(let rows):
      if rows.isUnkept, !isWatched {
        table.isDirty = true
        return
      }
      if isWatched, !table.wantedPlaces.isEmpty { try noteKeys(change, table, rows) }
      switch change.kind {
      case .insert:
        let entity = try entity(of: change, rows, isNew: true)
        table.insert(change.newIdentifier, entity: entity)
        if history.keepsPages, let entity = rows.entities[entity], entity.policy == .values {
          try inserted.note(change, entity, rows)
        }
      case .update: try update(change, table, rows)
      case .delete: try delete(change, table, rows)
      }
    case .links(let links):
      if links.policy == .none, !isWatched {
        table.isDirty = true
        return
      }
      try self.change(change, table, links)
    }
  }

  @inline(__always)
  private func entity(
    of change: borrowing RowEvent,
    _ rows: RecordedRows,
    isNew: Bool
  ) throws(OutOfMemory) -> Int {
    guard let column = rows.kindColumn else { return rows.layout.number }
    return Int(try change.integer(column, isNew: isNew))
  }

  /// Notes the values that are wanted.
  private func noteKeys(
    _ change: borrowing RowEvent,
    _ table: RecordedTable,
    _ rows: RecordedRows
  ) throws(OutOfMemory) {
    let identifier = change.kind == .insert ? change.newIdentifier : change.oldIdentifier
    for place in table.wantedPlaces.places {
      let column = rows.columns[place]
      if change.kind != .insert {
        table.note(RowKey(place: place, Cell(try change.old(column))), of: identifier)
      }
      if change.kind != .delete {
        table.note(RowKey(place: place, Cell(try change.new(column))), of: identifier)
      }
    }
  }

  private func update(
    _ change: borrowing RowEvent,
    _ table: RecordedTable,
    _ rows: RecordedRows
  ) throws(OutOfMemory) {
    let identifier = change.oldIdentifier
    if table.isInserted(identifier) { return inserted.giveUp() }
    let (old, new) = (try change.old(rows.versionColumn), try change.new(rows.versionColumn))
    let start = journal.arena.count
    try rows.noteUpdate(change, of: updatedPlaces ?? rows.places, in: &journal.arena)
    journal.entries.append(
      JournalEntry(
        table: table.number,
        kind: .update,
        entity: try entity(of: change, rows, isNew: false),
        row: identifier,
        versions: (old.integer, new.integer),
        values: start
      )
    )
  }

  private func delete(
    _ change: borrowing RowEvent,
    _ table: RecordedTable,
    _ rows: RecordedRows
  ) throws(OutOfMemory) {
    let identifier = change.oldIdentifier
    if table.revoke(identifier) { return inserted.giveUp() }
    let version = try change.old(rows.versionColumn).integer
    let entity = try entity(of: change, rows, isNew: false)
    let start = journal.arena.count
    try rows.noteDeletion(change, of: entity, in: &journal.arena)
    journal.entries.append(
      JournalEntry(
        table: table.number,
        kind: .delete,
        entity: entity,
        row: identifier,
        versions: (version, version),
        values: start
      )
    )
  }

  private func change(
    _ change: borrowing RowEvent,
    _ table: RecordedTable,
    _ links: RecordedLinks
  ) throws(OutOfMemory) {
    let isNew = change.kind == .insert
    let kind: JournalEntry.Kind =
      switch change.kind {
      case .insert: .link
      case .delete: .unlink
      case .update: .reorder
      }
    journal.entries.append(
      JournalEntry(
        table: table.number,
        kind: kind,
        row: try change.integer(links.sourceColumn, isNew: isNew),
        target: try change.integer(links.targetColumn, isNew: isNew)
      )
    )
  }
}

extension RowEvent {
  /// Returns the whole number that a column has after or before the change.
  @inline(__always)
  fileprivate func integer(_ column: Int, isNew: Bool) throws(OutOfMemory) -> Int64 {
    try isNew ? new(column).integer : old(column).integer
  }
}
