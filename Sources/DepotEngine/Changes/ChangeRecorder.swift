internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// Records every row change of the writing connection in the history, and publishes it.
///
/// It observes SQLite, so a change is recorded regardless of its cause, such as a cascade, trigger,
/// or replacement. Each request is a transaction of the history, even if several are committed
/// together: call ``begin(_:)`` before it, and then ``finish()`` inside SQLite's transaction, or
/// ``discard()`` if it failed.
final class ChangeRecorder: ChangeObserver {
  let interest = ChangeInterest()
  let history: HistoryTable
  unowned let connection: Connection
  /// The epoch of the recorded transactions.
  let epoch: WriterEpoch
  private var catalog: Catalog?
  private(set) var tables: [RecordedTable] = []
  private var tablesByName: [String: RecordedTable] = [:]
  private var tablesByAddress: [UnsafePointer<CChar>: RecordedTable] = [:]
  private var lastAddress: UnsafePointer<CChar>?
  private var lastTable: RecordedTable?
  private(set) var origin = TransactionOrigin.none
  var journal = ChangeJournal()
  /// The page that is being written, whose memory is reused.
  let page = HistoryPage(entity: "", root: "", kind: .insert)
  /// The tables changed by the request, in the order of their first changes.
  private(set) var changedTables: [RecordedTable] = []
  private var isRecording = false
  /// The values of the rows inserted by the request, if there are watchers.
  private var inserted = InsertedRows()
  /// Whether changes are sent to other services, regardless of watchers here.
  var notifiesOthers = false
  private var isObserved: Bool { notifiesOthers || interest.isRaised }
  /// Whether there were watchers when the request began.
  private(set) var isWatched = false
  private var isMarked = false
  /// The indexes of the only columns that updates now change; `nil` if they are unknown.
  var updatedColumns: [Int]?
  /// Whether rows temporarily have values that must not be recorded.
  var isHeld = false
  /// The version of the needed columns that the tables have.
  private var wantedVersion = -1
  /// Whether reading a value has failed.
  private var hasFailed = false
  /// The transactions that aren't committed yet.
  private var pending: [Pending] = []

  /// A transaction that isn't committed yet.
  private struct Pending {
    var changes: CommittedChanges
    /// The tables whose changes are unknown.
    var unknown: [RecordedTable] = []
  }

  /// Creates a recorder; `floor` is the greatest identifier of any deleted row of the history.
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

  /// Starts to record a request.
  func begin(_ origin: TransactionOrigin, _ catalog: Catalog) throws {
    self.origin = origin
    isWatched = isObserved
    history.keepsPages = interest.isRaised
    guard !origin.isSchemaChange else {
      // The tables may change and their rows be rewritten; the next request has another catalog.
      connection.observe(nil)
      return forgetAddresses()
    }
    if self.catalog !== catalog { try adopt(catalog) }
    if isWatched { adoptWantedValues() }
    isRecording = true
  }

  /// Writes the request's changes to the history.
  ///
  /// It returns the token of the transaction, or `nil` if nothing changed.
  func finish() throws -> HistoryToken? {
    guard !hasFailed else { throw DepotError(.busy, "The service is out of memory.") }
    var changes = CommittedChanges(
      token: 0,
      at: 0,
      author: origin.author,
      connection: origin.connection
    )
    let isBuilt = isObserved
    if origin.isSchemaChange {
      changes.isSchemaChange = true
    } else {
      // An undo is recorded even if nothing had to change.
      guard !changedTables.isEmpty || origin.kind != nil else {
        stop()
        return nil
      }
      let writing = JournalWriting(recorder: self, isLast: true, notifies: isBuilt)
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
      Pending(changes: changes, unknown: isBuilt || origin.isSchemaChange ? [] : changedTables)
    )
    stop()
    return epoch.chain.token(token)
  }

  /// Notifies watchers and other services that columns have changed, but no values.
  func noteWidening() {
    var changes = CommittedChanges(token: history.lastIdentifier, at: epoch.date(history.lastTime))
    changes.isSchemaChange = true
    pending.append(Pending(changes: changes))
  }

  /// Discards the changes of a request, which is rolled back.
  func discard() {
    history.discard()
    stop()
  }

  /// Sets the needed columns in the tables, for the whole request.
  private func adoptWantedValues() {
    let version = interest.wantedVersion
    guard version != wantedVersion else { return }
    wantedVersion = version
    let wanted = interest.wanted
    for table in tables {
      guard case .rows(let rows) = table.content else { continue }
      table.wantedColumns = wanted[rows.layout.name] ?? ColumnSet()
    }
  }

  private func stop() {
    isRecording = false
    inserted = InsertedRows()
    isMarked = false
    isHeld = false
    hasFailed = false
    for table in changedTables { table.reset() }
    changedTables.removeAll(keepingCapacity: true)
    journal.removeAll()
    if origin.isSchemaChange {
      origin = .none
      connection.observe(self)
    }
  }

  /// Adds a further kind to the transaction.
  func addKind(_ kind: String) throws {
    if history.current == nil { try history.add(nil, origin) }
    try history.add(nil, origin, kind: kind)
  }

  /// Sets the kind of the transaction: `undo:` or `redo:` and a token.
  func setKind(_ kind: String) { origin = origin.with(group: origin.group, kind: kind) }

  /// Sets the group of the transaction, before anything of it is written to the history.
  func setGroup(_ group: String?) { origin = origin.with(group: group, kind: origin.kind) }

  // MARK: - Transactions

  /// Discards the requests of a transaction that is rolled back.
  func discardTransaction() {
    discard()
    _ = history.takeAddedBytes()
    pending.removeAll()
  }

  /// Continues after history rows added by other services.
  ///
  /// - Parameters:
  ///   - floor: The greatest identifier of any deleted row of the history.
  ///   - isBroken: Whether the store may have lost published transactions.
  /// - Throws: ``SQLiteError``.
  func goOn(floor: Int64, isBroken: Bool) throws {
    try history.goOn(floor: floor)
    try epoch.join(last: history.lastIdentifier, time: history.lastTime, isBroken: isBroken)
  }

  /// Removes and returns the committed changes; empty if there are no watchers.
  func takeCommitted() -> [CommittedChanges] {
    guard !pending.isEmpty else { return [] }
    defer { pending.removeAll(keepingCapacity: true) }
    return interest.isRaised ? uncommitted : []
  }

  /// The changes of the transactions that aren't committed yet.
  var uncommitted: [CommittedChanges] {
    pending.map { item in
      var changes = item.changes
      for table in item.unknown { changes.setMany(table) }
      return changes
    }
  }

  // MARK: - Savepoints

  /// A point in a request's changes to return to.
  struct Mark {
    fileprivate var entries: Int
    fileprivate var bytes: Int
    fileprivate var tables: [(table: RecordedTable, inserts: [InsertRange], isDirty: Bool)]
  }

  /// Marks a point, so that later changes can be discarded until ``release()``.
  func mark() -> Mark {
    isMarked = true
    return Mark(
      entries: journal.entries.count,
      bytes: journal.arena.count,
      tables: changedTables.map { ($0, $0.inserts, $0.isDirty) }
    )
  }

  /// Discards all changes since the mark, like a savepoint.
  func rollBack(to mark: Mark) {
    inserted.giveUp()
    journal.entries.removeLast(journal.entries.count - mark.entries)
    journal.arena.truncate(to: mark.bytes)
    for table in changedTables[mark.tables.count...] { table.reset() }
    changedTables.removeLast(changedTables.count - mark.tables.count)
    for (table, inserts, isDirty) in mark.tables {
      table.inserts = inserts
      table.isDirty = isDirty
    }
  }

  /// Releases the mark.
  func release() { isMarked = false }

  /// Writes the changes in memory to the history if they are many; call it after each change.
  @inline(__always)
  func spill() throws {
    guard journal.isFull, !isMarked, !isHeld, isRecording else { return }
    let writing = JournalWriting(recorder: self, isLast: false, notifies: false)
    try writing.run()
    for table in changedTables { table.wasSpilled = true }
    journal.removeAll(goesOn: true)
  }

  // MARK: - Deletions of everything

  /// Deletes all rows of a table without reading them, if that is possible; returns whether it is.
  ///
  /// It is if neither the history nor a watcher needs the rows.
  func truncate(_ layout: EntityLayout) throws(SQLiteError) -> Bool {
    guard isRecording, !isWatched, let table = tablesByName["e_\(layout.root)"],
      case .rows(let rows) = table.content, rows.isUnkept
    else { return false }
    connection.observe(nil)
    defer { connection.observe(self) }
    try connection.execute("DELETE FROM \(layout.table)")
    noteChanged(table)
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

  /// Removes SQLite's addresses of the tables' names, which change with its schema.
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
        add(name, .links(RecordedLinks(relationship, layout, names)))
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

  /// Returns the table of a change, or `nil` if the table isn't recorded.
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
  private func noteChanged(_ table: RecordedTable) {
    guard !table.isChanged else { return }
    table.isChanged = true
    changedTables.append(table)
  }

  // MARK: - Changes

  func willChange(_ change: borrowing RowEvent) {
    guard isRecording, let table = table(change.table) else { return }
    noteChanged(table)
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
      if isWatched, !table.wantedColumns.isEmpty { try noteKeys(change, table, rows) }
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

  /// Records the values of the needed columns.
  private func noteKeys(
    _ change: borrowing RowEvent,
    _ table: RecordedTable,
    _ rows: RecordedRows
  ) throws(OutOfMemory) {
    let identifier = change.kind == .insert ? change.newIdentifier : change.oldIdentifier
    for place in table.wantedColumns.indices {
      let column = rows.columns[place]
      if change.kind != .insert {
        table.note(RowKey(column: place, Cell(try change.old(column))), of: identifier)
      }
      if change.kind != .delete {
        table.note(RowKey(column: place, Cell(try change.new(column))), of: identifier)
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
    try rows.noteUpdate(change, of: updatedColumns ?? rows.places, in: &journal.arena)
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
  /// Returns the integer in a column before or after the change.
  @inline(__always)
  fileprivate func integer(_ column: Int, isNew: Bool) throws(OutOfMemory) -> Int64 {
    try isNew ? new(column).integer : old(column).integer
  }
}
