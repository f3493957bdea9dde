internal import DepotSQLite

/// The values of the rows that a request inserts, for watched histories.
struct InsertedRows {
  /// The most rows to keep; the values of more rows are read from the store.
  private static let limit = 64

  private var pages: [HistoryPage] = []
  private var count = 0
  private var isComplete = true

  /// The pages with the values; `nil` if some are unknown.
  var all: [ChangeSet.Page]? {
    guard isComplete else { return nil }
    return pages.map { page in
      ChangeSet.Page(identifier: 0, entity: page.entity, kind: page.kind, bytes: page.bytes)
    }
  }

  /// Discards all values, because rows are changed again or are too many.
  mutating func giveUp() {
    isComplete = false
    pages = []
  }

  /// Adds a row that is being inserted.
  mutating func note(
    _ change: borrowing RowEvent,
    _ entity: RecordedEntity,
    _ rows: RecordedRows
  ) throws(OutOfMemory) {
    guard isComplete else { return }
    guard count < Self.limit else { return giveUp() }
    count += 1
    let page: HistoryPage
    if let last = pages.last, last.entity == entity.name {
      page = last
    } else {
      page = HistoryPage(entity: entity.name, root: rows.layout.name, kind: .delete)
      pages.append(page)
    }
    let version = try change.new(rows.versionColumn).integer
    page.begin(
      row: change.newIdentifier,
      version: version,
      columns: entity.properties.count { $0 != nil }
    )
    for (place, property) in entity.properties.enumerated() {
      guard let property else { continue }
      page.add(column: place, entity.definitions[property.definition])
      page.add(Cell(try change.new(rows.columns[place])))
    }
    if page.isFull { giveUp() }
  }
}
