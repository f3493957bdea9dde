internal import DepotProtocol

/// The transactions of a history, read some way ahead.
///
/// The values of inserted rows are found on the way back from the present ones. They are looked for
/// together for all that is in memory, so that each page on the way is read once for many rows.
struct HistoryAhead {
  /// How many items are read ahead, and how many bytes of changes.
  private static let itemLimit = 2048
  private static let byteLimit = 1 << 20

  private let past: PastReader
  private let hasValues: Bool
  /// How many transactions are wanted; that there is one more is told too.
  private let transactionLimit: Int
  private var source: HistorySource
  private var items: ArraySlice<HistorySource.Item> = []
  /// The error with which the items end.
  private var failure: (any Error)?
  private var transactionCount = 0
  private var isAtEnd = false
  /// The values of the next inserted rows.
  private var rows: ArraySlice<RowPast> = []

  init(_ source: HistorySource, _ request: HistoryRequest, _ past: PastReader) {
    self.source = source
    self.past = past
    hasValues = request.hasValues
    transactionLimit = request.limit ?? .max
  }

  /// Ends the statements.
  func close() { source.close() }

  /// Returns what comes next; `nil` at the end.
  mutating func next() throws -> HistorySource.Item? {
    if items.isEmpty { try readAhead() }
    guard case .change(let change, _)? = items.first, wantsRow(change) else {
      return items.popFirst()
    }
    if rows.isEmpty { try readRows() }
    items.removeFirst()
    return .change(change, rows.popFirst())
  }

  private mutating func readAhead() throws {
    if let failure { throw failure }
    var read: [HistorySource.Item] = []
    var byteCount = 0
    do {
      while !isAtEnd, wantsMore(read.count, byteCount) {
        guard transactionCount <= transactionLimit, let item = try source.next() else {
          isAtEnd = true
          break
        }
        read.append(item)
        if item.beginsTransaction { transactionCount += 1 }
        if case .change(let change, _) = item { byteCount += change.byteCount }
      }
    } catch {
      if read.isEmpty { throw error }
      failure = error
    }
    items = read[...]
  }

  private func wantsMore(_ count: Int, _ byteCount: Int) -> Bool {
    count == 0 || hasValues && count < Self.itemLimit && byteCount < Self.byteLimit
  }

  /// Whether it is to be told what a row had when it was inserted.
  private func wantsRow(_ change: RecordedChange) -> Bool {
    hasValues && change.kind == .insert && past.catalog.keepsValues(of: change.entity)
  }

  private func layout(_ change: RecordedChange) -> EntityLayout? {
    try? past.catalog.layout(of: change.entity)
  }

  /// Reads what the inserted rows had that are among the items, or the first of them.
  private mutating func readRows() throws {
    let moments = items.compactMap { item -> PastReader.Moment? in
      guard case .change(let change, _) = item, wantsRow(change), let layout = layout(change) else {
        return nil
      }
      return PastReader.Moment(
        identifier: change.identifier,
        layout: layout,
        edge: change.record + 1
      )
    }
    // Of a row that can't be read it can still be told that it was inserted.
    rows = try past.states(of: moments[...]).map { (try? $0.get())?.then ?? .none }[...]
  }
}
