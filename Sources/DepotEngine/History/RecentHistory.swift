internal import DepotProtocol

/// The transactions in memory, in order, each with its changes.
struct RecentHistory {
  /// The most items.
  private static let itemLimit = 4096

  private var items: [HistorySource.Item] = []
  /// The index of the next item.
  private var position = 0

  /// Selects changes; `nil` if some values must be read from the store, such as those of inserted
  /// rows, of the unchanged parts of composites, and the entities of linked rows.
  init?(
    _ sets: ArraySlice<ChangeSet>,
    _ selection: HistorySelection,
    _ catalog: Catalog
  ) throws {
    let request = selection.request
    guard request.identifiers == nil, request.limit == nil, !request.isDescending,
      !selection.joinsGroups
    else { return nil }
    var items: [HistorySource.Item] = []
    // Most transactions change one row.
    items.reserveCapacity(3 * sets.count)
    for set in sets where selection.includes(set) {
      let start = items.count
      var kinds = set.kinds
      if let kind = set.origin.kind { kinds.insert(kind, at: 0) }
      items.append(.begin(HistorySource.Transaction(origin: HistoryOrigin(set), origins: kinds)))
      for record in try set.records() where selection.includes(record) {
        if let entity = record.entity, let kind = record.kind, selection.isMixed(entity, kind) {
          return nil
        }
        var rows: [Int64: RecordedChange] = [:]
        // An entity that is gone keeps nothing.
        let known = record.entity.flatMap { try? catalog.layout(of: $0) }
        let layout = request.hasValues && known?.historyPolicy == .values ? known : nil
        let needsRows = record.kind == .insert && layout != nil
        if needsRows {
          guard let known = try set.insertedRows(of: record.entity) else { return nil }
          rows = known
        }
        for range in try record.ranges() {
          // A small page can describe many insertions.
          guard items.count + range.count <= Self.itemLimit else { return nil }
          for identifier in range {
            var row: RowState?
            if needsRows {
              guard let values = rows[identifier] else { return nil }
              row = RowState.none
              row?.undo(values)
            }
            items.append(.change(record.insertion(of: identifier), row))
          }
        }
        for change in try record.changes() where selection.includes(change) {
          if layout?.hasUnchangedParts(change) == true { return nil }
          items.append(.change(change))
        }
      }
      if selection.isFiltered, items.count == start + 1 {
        items.removeLast()
      } else {
        items.append(.end)
      }
    }
    self.items = items
  }

  /// Returns the next item; `nil` at the end.
  mutating func next() -> HistorySource.Item? {
    guard position < items.count else { return nil }
    defer { position += 1 }
    return items[position]
  }
}
