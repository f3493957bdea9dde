/// The changes of a transaction, in the form stored in the history.
package final class ChangeSet: Sendable {
  /// The number of the transaction.
  let token: Int64
  /// The time of the commit, in seconds since 2001.
  let at: Double
  let origin: TransactionOrigin
  /// The further kinds of the transaction, if it undid several others.
  let kinds: [String]
  /// The transaction's rows of the history.
  let pages: [Page]
  /// The values of the inserted rows, which the history doesn't have, in the form of deletions.
  ///
  /// It is `nil` if there are many, or if the transaction has changed them again.
  let inserted: [Page]?

  init(
    token: Int64,
    at: Double,
    origin: TransactionOrigin,
    kinds: [String],
    pages: [Page],
    inserted: [Page]?
  ) {
    (self.token, self.at, self.origin) = (token, at, origin)
    (self.kinds, self.pages, self.inserted) = (kinds, pages, inserted)
  }

  /// The bytes of a ``HistoryPage``.
  struct Page: Sendable {
    let identifier: Int64
    let entity: String
    let kind: HistoryTable.Kind
    let bytes: [UInt8]
  }

  /// The most bytes of pages in a set; a larger transaction is read from the history.
  static let byteLimit = 128 << 10

  /// The number of bytes in the pages.
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

  /// Returns the values of an entity's inserted rows; `nil` if they are unknown.
  func insertedRows(of entity: String?) throws -> [Int64: RecordedChange]? {
    var rows: [Int64: RecordedChange] = [:]
    guard let inserted else { return nil }
    for page in inserted where page.entity == entity {
      for change in try record(page).changes() { rows[change.identifier] = change }
    }
    return rows
  }
}
