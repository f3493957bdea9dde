internal import DepotProtocol

/// Writes a request's changes to the history, and collects the changes to publish.
///
/// It is a class because the compiler copies a structure of this size.
@Memberwise
final class JournalWriting {
  let recorder: ChangeRecorder
  /// Whether these are the last changes of the request, rather than too many for memory.
  let isLast: Bool
  let notifies: Bool
  /// The changes to publish.
  private(set) var tables: [String: TableChanges] = [:]
  private(set) var links: [String: LinkRows] = [:]

  /// The most ranges of insertions in memory.
  private static let rangeLimit = 10_000

  func run() throws {
    let entries = sorted()
    for table in recorder.changedTables {
      let entries = Self.entries(of: table.number, in: entries)
      switch table.content {
      case .rows(let rows): try write(entries, table, rows)
      case .links(let links): try write(entries, table, links)
      }
    }
    for order in recorder.journal.orders { try write(order) }
  }

  private static func entries(
    of table: Int,
    in entries: [JournalEntry]
  ) -> ArraySlice<JournalEntry> {
    let start = entries.partitioningIndex { $0.table < table }
    return entries[start...].prefix { $0.table == table }
  }

  /// The changes sorted by row, and for each row in the order of the changes.
  private func sorted() -> [JournalEntry] {
    let entries = recorder.journal.entries
    let isSorted = entries.indices.dropFirst().allSatisfy {
      !Self.isBefore(entries[$0], entries[$0 - 1])
    }
    if isSorted { return entries }
    // The sort is stable.
    return entries.sorted(by: Self.isBefore)
  }

  private static func isBefore(_ first: JournalEntry, _ second: JournalEntry) -> Bool {
    (first.table, first.row, first.target) < (second.table, second.row, second.target)
  }

  // MARK: - Rows

  private func write(
    _ entries: ArraySlice<JournalEntry>,
    _ table: RecordedTable,
    _ rows: RecordedRows
  ) throws {
    let arena = recorder.journal.arena
    var collected: [CoalescedRow] = []
    collected.reserveCapacity(entries.count)
    var values: [CoalescedRow.ColumnValues] = []
    // The update of one row has some values.
    values.reserveCapacity(max(4, entries.count))
    entries.eachRun(by: \.row) { changes in
      collected.append(CoalescedRow(changes, arena, into: &values))
    }
    try write(collected, .delete, values, arena, rows)
    if isLast || table.inserts.count > Self.rangeLimit {
      try write(table.inserts, rows)
      if !isLast { table.inserts = [] }
    }
    try write(collected, .update, values, arena, rows)
    if notifies { collectNotified(collected, values, table, rows) }
  }

  /// The entity of the current page, and the page.
  private var entity: RecordedEntity?
  private lazy var page = recorder.page
  /// The pages of other entities, by the entities' numbers.
  private var pages: [Int: HistoryPage] = [:]

  private func flush() throws {
    defer { entity = nil }
    guard !pages.isEmpty else {
      if entity != nil, !page.isEmpty { try recorder.history.add(page, recorder.origin) }
      return
    }
    turn(to: nil, .insert, nil)
    for (_, page) in pages.sorted(by: { $0.key < $1.key }) where !page.isEmpty {
      try recorder.history.add(page, recorder.origin)
    }
    pages.removeAll(keepingCapacity: true)
  }

  /// Makes the page of an entity the current one.
  private func turn(
    to other: RecordedEntity?,
    _ kind: HistoryTable.Kind,
    _ rows: RecordedRows?
  ) {
    if entity === other { return }
    if let entity { pages[entity.number] = page }
    entity = other
    guard let other, let rows else { return }
    if !pages.isEmpty {
      if let known = pages.removeValue(forKey: other.number) {
        page = known
        return
      }
      page = HistoryPage(entity: other.name, root: rows.layout.name, kind: kind)
    }
    page.begin(
      entity: other.name,
      root: rows.layout.name,
      kind: kind,
      hasValues: kind != .update || other.policy != .names
    )
  }

  /// Adds an element to the page of an entity; `body` returns whether the page is then full.
  private func add(
    to entity: RecordedEntity,
    _ kind: HistoryTable.Kind,
    _ rows: RecordedRows,
    _ body: (HistoryPage) -> Bool
  ) throws {
    turn(to: entity, kind, rows)
    guard body(page) else { return }
    try recorder.history.add(page, recorder.origin)
    page.empty()
  }

  private func write(_ ranges: [InsertRange], _ rows: RecordedRows) throws {
    for range in ranges {
      guard let entity = rows.entities[range.entity], entity.policy != .none else { continue }
      try add(to: entity, .insert, rows) { $0.add(inserted: range) }
    }
    try flush()
  }

  /// Writes the rows with one kind of change.
  private func write(
    _ collected: [CoalescedRow],
    _ kind: RowChange.Kind,
    _ values: [CoalescedRow.ColumnValues],
    _ arena: borrowing PackedCells,
    _ rows: RecordedRows
  ) throws {
    try arena.bytes.withUnsafeBytes { cells in
      for row in collected where row.kind == kind {
        guard let entity = entity?.number == row.entity ? entity : rows.entities[row.entity],
          entity.policy != .none
        else { continue }
        let isUpdate = kind == .update
        let values = values[row.values]
        if isUpdate, !values.contains(where: { entity.properties[$0.column] != nil }) { continue }
        try add(to: entity, isUpdate ? .update : .delete, rows) { page in
          Self.write(row, values, cells, of: entity, to: page)
          return page.isFull
        }
      }
    }
    try flush()
  }

  private static func write(
    _ row: CoalescedRow,
    _ values: ArraySlice<CoalescedRow.ColumnValues>,
    _ cells: UnsafeRawBufferPointer,
    of entity: RecordedEntity,
    to page: HistoryPage
  ) {
    let isUpdate = row.kind == .update
    func isKept(_ value: CoalescedRow.ColumnValues) -> Bool {
      entity.properties[value.column] != nil
        && (isUpdate || entity.preserved.contains(value.column))
    }
    page.begin(
      row: row.identifier,
      version: row.version,
      columns: values.count(where: isKept)
    )
    for value in values where isKept(value) {
      page.add(
        column: value.column,
        entity.properties[value.column].map { entity.definitions[$0.definition] } ?? []
      )
      guard page.hasValues else { continue }
      page.add(UnsafeRawBufferPointer(rebasing: cells[value.old..<value.oldEnd]))
      if isUpdate { page.add(UnsafeRawBufferPointer(rebasing: cells[value.new..<value.newEnd])) }
    }
  }

  private func collectNotified(
    _ collected: [CoalescedRow],
    _ values: [CoalescedRow.ColumnValues],
    _ table: RecordedTable,
    _ rows: RecordedRows
  ) {
    let count = table.inserts.reduce(collected.count) { $0 + Int($1.last - $1.first) + 1 }
    guard !table.isDirty, !table.wasSpilled, count <= TableChanges.limit else {
      tables[rows.layout.name] = TableChanges(isMany: true)
      return
    }
    guard count > 0 else { return }
    var changes = TableChanges()
    changes.rows.reserveCapacity(count)
    var replaced: Set<Int64> = []
    let arena = recorder.journal.arena
    for row in collected {
      var change = RowChange(identifier: row.identifier, kind: .update, entityNumber: row.entity)
      for value in values[row.values] {
        if row.kind == .update { change.columns.insert(value.column) }
        if rows.references.contains(value.column), let target = arena.integer(at: value.old) {
          change.oldReferences[value.column] = target
        }
      }
      if row.kind == .delete {
        if table.isInserted(row.identifier) {
          change.columns = ColumnSet(rows.columns.indices)
          replaced.insert(row.identifier)
        } else {
          change.kind = .delete
        }
      }
      changes.rows.append(change)
    }
    for range in table.inserts {
      for identifier in range.first...range.last where !replaced.contains(identifier) {
        changes.rows.append(
          RowChange(identifier: identifier, kind: .insert, entityNumber: range.entity)
        )
      }
    }
    if recorder.isWatched, table.hasAllKeys, !table.wantedColumns.isEmpty {
      changes.keyColumns = table.wantedColumns
      for index in changes.rows.indices {
        changes.rows[index].keys = table.keys[changes.rows[index].identifier] ?? []
      }
    }
    tables[rows.layout.name] = changes
  }

  // MARK: - Links

  private func write(
    _ entries: ArraySlice<JournalEntry>,
    _ table: RecordedTable,
    _ links: RecordedLinks
  ) throws {
    var collected: [JournalEntry] = []
    entries.eachRun(by: \.joinRow) { changes in
      var link = changes[changes.startIndex]
      let wasThere = link.kind != .link
      let isThere = changes[changes.endIndex - 1].kind != .unlink
      // Otherwise the link is unchanged.
      guard wasThere != isThere || wasThere && links.isOrdered else { return }
      link.kind = wasThere ? (isThere ? .reorder : .unlink) : .link
      collected.append(link)
    }
    if links.policy != .none { try write(collected, links) }
    guard notifies else { return }
    if table.isDirty || table.wasSpilled || collected.count > TableChanges.limit {
      self.links[table.name] = LinkRows(isMany: true)
    } else if !collected.isEmpty {
      self.links[table.name] = LinkRows(pairs: collected.map { ($0.row, $0.target) })
    }
  }

  /// Writes a list's new order: a change of links without new or lost ones.
  private func write(_ order: ListOrder) throws {
    let page = recorder.page
    page.begin(
      entity: order.owner.name,
      root: order.owner.root,
      kind: .links,
      hasValues: order.owner.historyPolicy == .values
    )
    page.add(
      links: order.row,
      HistoryPage.definition(order.relationship, .identifiers),
      added: [],
      removed: []
    )
    try recorder.history.add(page, recorder.origin)
    page.empty()
    // Readers of the history for one entity are notified of links, whichever these are.
    let name = "j_\(order.owner.name).\(order.relationship)"
    if notifies, links[name] == nil { links[name] = LinkRows() }
  }

  private func write(_ collected: [JournalEntry], _ links: RecordedLinks) throws {
    let hasValues = links.policy == .values
    let page = recorder.page
    page.begin(entity: links.owner, root: links.root, kind: .links, hasValues: hasValues)
    // The limit keeps the history's rows small.
    try collected[...].eachRun(by: \.row, limit: 10_000) { targets in
      func rows(_ kind: JournalEntry.Kind) -> [Int64] {
        hasValues ? targets.filter { $0.kind == kind }.map(\.target) : []
      }
      page.add(
        links: targets[targets.startIndex].row,
        links.definition,
        added: rows(.link),
        removed: rows(.unlink)
      )
      if page.isFull {
        try recorder.history.add(page, recorder.origin)
        page.empty()
      }
    }
    if !page.isEmpty { try recorder.history.add(page, recorder.origin) }
  }
}

extension JournalEntry {
  /// The rows of a link.
  fileprivate var joinRow: JoinRow { JoinRow(source: row, target: target) }

  fileprivate struct JoinRow: Equatable {
    var source: Int64
    var target: Int64
  }
}

extension ArraySlice {
  /// Calls `body` with each run of elements with equal keys, in pieces of at most `limit`.
  @inline(__always)
  fileprivate func eachRun(
    by key: (Element) -> some Equatable,
    limit: Int = .max,
    _ body: (ArraySlice<Element>) throws -> Void
  ) rethrows {
    var start = startIndex
    while start < endIndex {
      let first = key(self[start])
      var end = start + 1
      while end < endIndex, end - start < limit, key(self[end]) == first { end += 1 }
      try body(self[start..<end])
      start = end
    }
  }
}
