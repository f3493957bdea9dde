internal import DepotProtocol

/// Reads the transactions of a history ahead, so that values of rows are found together.
///
/// The values of an inserted row, and the unchanged parts of a composite that an update changed, are
/// found by undoing later changes, starting with the current row. That is done at once for all such
/// rows in memory, so that each page of the history is read only once for them.
struct HistoryAhead {
  /// The most items to read ahead, and the most bytes of changes.
  private static let itemLimit = 2048
  private static let byteLimit = 1 << 20

  private let past: PastReader
  private let hasValues: Bool
  /// The number of requested transactions; one more is returned if there is one.
  private let transactionLimit: Int
  private var source: HistorySource
  private var items: ArraySlice<HistorySource.Item> = []
  /// The error that ends the items.
  private var failure: (any Error)?
  private var transactionCount = 0
  private var isAtEnd = false
  /// The values of the next rows that need them.
  private var rows: ArraySlice<RowState> = []

  init(_ source: HistorySource, _ request: HistoryRequest, _ past: PastReader) {
    self.source = source
    self.past = past
    hasValues = request.hasValues
    transactionLimit = request.limit ?? .max
  }

  /// Ends the running statements.
  func close() { source.close() }

  /// Returns the next item; `nil` at the end.
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

  /// Whether values are requested that the change doesn't have.
  private func wantsRow(_ change: RecordedChange) -> Bool {
    guard hasValues, let layout = layout(change), layout.historyPolicy == .values else {
      return false
    }
    return change.kind == .insert || layout.hasUnchangedParts(change)
  }

  private func layout(_ change: RecordedChange) -> EntityLayout? {
    try? past.catalog.layout(of: change.entity)
  }

  /// Reads the values of the rows that need them among the items, or of the first ones.
  private mutating func readRows() throws {
    let lookups = items.compactMap { item -> PastReader.Lookup? in
      guard case .change(let change, _) = item, wantsRow(change), let layout = layout(change) else {
        return nil
      }
      return PastReader.Lookup(
        identifier: change.identifier,
        layout: layout,
        edge: change.record + 1
      )
    }
    // For a row that can't be read, the change is still reported, without these values.
    rows = try past.states(of: lookups[...]).map { (try? $0.get())?.then ?? .none }[...]
  }
}

extension EntityLayout {
  /// Whether an update changed only some columns of a composite.
  func hasUnchangedParts(_ change: RecordedChange) -> Bool {
    guard !compositePaths.isEmpty, change.kind == .update else { return false }
    return !unchangedParts(of: change).isEmpty
  }

  /// Returns the other columns of the composites that an update changed in part.
  func unchangedParts(of change: RecordedChange) -> [String] {
    let changed = Set(change.properties.map(\.name))
    let names = Set(changed.map { path in String(path.prefix { $0 != "." }) })
    return names.sorted().flatMap { compositePaths[$0] ?? [] }.filter { !changed.contains($0) }
  }
}
