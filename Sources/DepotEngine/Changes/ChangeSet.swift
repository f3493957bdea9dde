/// The changes of a transaction, in the form in which the history stores them.
package struct ChangeSet: Sendable {
  /// The number of the transaction.
  let token: Int64
  /// The moment of the commit, in seconds since 2001.
  let at: Double
  let origin: TransactionOrigin
  /// The other kinds of the transaction besides the origin's, if it undid several others.
  let kinds: [String]
  /// The rows that the history got.
  let pages: [Page]
  /// The values of the inserted rows, which the history doesn't repeat, as deletions of them would tell them;
  /// `nil` if there are many, or if the transaction has changed them again.
  let inserted: [Page]?

  /// The bytes of a ``HistoryPage``.
  struct Page: Sendable {
    let identifier: Int64
    let entity: String
    let kind: HistoryTable.Kind
    let bytes: [UInt8]
  }

  /// How many bytes of pages a set may have; a larger transaction is read from the history.
  static let byteLimit = 128 << 10

  /// How many bytes the pages have.
  var byteCount: Int {
    var count = 0
    for page in pages { count += page.bytes.count }
    if let inserted { for page in inserted { count += page.bytes.count } }
    return count
  }

  /// Reads the pages as rows of the history.
  func records() throws -> [HistoryRecord] { try pages.map(record) }

  private func record(_ page: Page) throws -> HistoryRecord {
    try HistoryRecord(
      identifier: page.identifier,
      token: token,
      (page.entity, page.kind, page.bytes)
    )
  }

  /// Reads the values of the inserted rows of an entity; `nil` if they aren't known.
  func insertedRows(of entity: String?) throws -> [Int64: RecordedChange]? {
    var rows: [Int64: RecordedChange] = [:]
    guard let inserted else { return nil }
    for page in inserted where page.entity == entity {
      for change in try record(page).changes() { rows[change.identifier] = change }
    }
    return rows
  }
}
