internal import DepotProtocol
internal import DepotSQLite

/// A cache of the last read pages of the history, which are parsed as needed.
final class HistoryPages {
  /// The most pages in the cache.
  private static let limit = 8

  /// The number of pages that were read.
  private(set) var readCount = 0
  private let connection: Connection
  private let check: PastReader.Check
  private var pages: [Page] = []

  final class Page {
    let record: HistoryRecord
    let ranges: [ClosedRange<Int64>]
    /// The elements that change rows, sorted by row, and for a row in the order of its changes.
    private let elements: [HistoryRecord.ElementPlace]

    fileprivate init(_ record: HistoryRecord) throws(DepotError) {
      self.record = record
      ranges = try record.ranges()
      let elements = try record.elements()
      let isSorted = zip(elements, elements.dropFirst()).allSatisfy { $0.row <= $1.row }
      // The sort is stable.
      self.elements = isSorted ? elements : elements.sorted { $0.row < $1.row }
    }

    /// Returns the changes of a row, in their order.
    func changes(of identifier: Int64) throws(DepotError) -> [RecordedChange] {
      try elements[elements.partitioningIndex { $0.row < identifier }...]
        .prefix { $0.row == identifier }
        .map { (element) throws(DepotError) in try record.change(element) }
    }
  }

  init(_ connection: Connection, check: @escaping PastReader.Check) {
    self.connection = connection
    self.check = check
  }

  /// Returns a page of the history.
  func page(_ identifier: Int64) throws -> Page {
    if let index = pages.firstIndex(where: { $0.record.identifier == identifier }) {
      let page = pages[index]
      if index > 0 {
        pages.remove(at: index)
        pages.insert(page, at: 0)
      }
      return page
    }
    readCount += 1
    let found = try connection.statement(
      "SELECT \(HistoryTable.fullRow) FROM depot_history WHERE id = ?1"
    ).first([.integer(identifier)]) { row in
      try check(row.bytes(12).count)
      return try HistoryRecord(row)
    }
    guard let found else { throw HistoryRecord.damaged(identifier) }
    let page = try Page(found)
    if pages.count >= Self.limit { pages.removeLast() }
    pages.insert(page, at: 0)
    return page
  }
}
