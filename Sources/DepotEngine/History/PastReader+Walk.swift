internal import DepotProtocol
internal import DepotSQLite

/// Searches the history for changes and past states of rows.
extension PastReader {
  /// A row whose changes are searched, with the range of the search.
  struct Trail {
    /// The root of its entity.
    var root: String
    var identifier: Int64
    /// The first row of the history to search.
    var edge: Int64 = 0
  }

  /// Calls `body` with the changes of a row, latest first, until it returns `false`.
  ///
  /// Insertions are excluded. The search ends with the history row `edge`.
  func events(
    of identifier: Int64,
    _ root: String,
    from edge: Int64 = 0,
    _ body: (RecordedChange) throws -> Bool
  ) throws {
    try walk([Trail(root: root, identifier: identifier, edge: edge)]) { _, event in
      try body(event.get())
    }
  }

  /// Calls `body` with the changes of rows except insertions, for each row latest first.
  ///
  /// If a row's changes can't be read, `body` gets the error. All rows are searched together, so
  /// that each page of the history is read once. The search for a row ends when `body` returns
  /// `false` or after an error.
  func walk(
    _ trails: [Trail],
    _ body: (_ position: Int, _ event: Result<RecordedChange, DepotError>) throws -> Bool
  ) throws {
    var steps = WalkSteps()
    for (position, trail) in trails.enumerated() {
      try check(0)
      if let record = try last(of: trail, before: .max) { steps.add(position, at: record) }
    }
    while let (record, positions) = steps.removeLast() {
      let page = try unlessDamaged { try pages.page(record) }
      for position in positions {
        try check(0)
        let trail = trails[position]
        let goesOn: Bool
        switch page {
        case .success(let page): goesOn = try reportChanges(page, trail, position, body)
        case .failure(let error):
          _ = try body(position, .failure(error))
          goesOn = false
        }
        guard goesOn, let next = try last(of: trail, before: record) else { continue }
        steps.add(position, at: next)
      }
    }
  }

  /// Calls `body` with a page's changes of a row; returns whether to continue with the row.
  private func reportChanges(
    _ page: HistoryPages.Page,
    _ trail: Trail,
    _ position: Int,
    _ body: (Int, Result<RecordedChange, DepotError>) throws -> Bool
  ) throws -> Bool {
    switch try unlessDamaged({ try page.changes(of: trail.identifier) }) {
    case .success(let changes):
      return try changes.reversed().allSatisfy { try body(position, .success($0)) }
    case .failure(let error):
      _ = try body(position, .failure(error))
      return false
    }
  }

  /// Returns the error of damaged data instead of throwing it.
  private func unlessDamaged<Value>(
    _ body: () throws -> Value
  ) throws -> Result<Value, DepotError> {
    do {
      return .success(try body())
    } catch let error as DepotError where error.code == .corrupt || error.code == .invalidText {
      return .failure(error)
    }
  }

  /// Returns the last row of the history before another that may change a row.
  private func last(of trail: Trail, before: Int64) throws -> Int64? {
    let first = max(trail.edge, bounds.floor + 1)
    let tail = try tail()
    if let page = tail.last(about: trail.identifier, of: trail.root, from: first, before: before) {
      return page
    }
    return try index.last(
      about: trail.identifier,
      of: trail.root,
      from: first,
      before: before
    )
  }

  // MARK: - Past states

  /// A row, and the point in the history for its past state.
  struct Lookup {
    var identifier: Int64
    var layout: EntityLayout
    /// The first row of the history after the point.
    var edge: Int64
  }

  /// The current and the past state of a row.
  struct State {
    var now: RowState
    /// The row must have existed then, or been deleted since, because insertions aren't searched.
    var then: RowState
  }

  /// Returns the states of rows at points in the history, or the errors if they can't be read.
  ///
  /// It returns as many of the first ones as fit into memory, and at least one.
  func states(
    of lookups: ArraySlice<Lookup>,
    byteLimit: Int = 4 << 20
  ) throws -> [Result<State, DepotError>] {
    var present: [Result<RowState, DepotError>] = []
    var past: [RowState] = []
    var byteCount = 0
    for lookup in lookups {
      guard past.isEmpty || byteCount < byteLimit else { break }
      try check(0)
      let row = try unlessDamaged { try current(lookup.identifier, lookup.layout) }
      present.append(row)
      past.append((try? row.get()) ?? .none)
      byteCount += past.last?.byteCount ?? 0
    }
    let trails = lookups.prefix(past.count).map { lookup in
      Trail(root: lookup.layout.root, identifier: lookup.identifier, edge: lookup.edge)
    }
    var count = past.count
    try walk(trails) { position, event in
      guard position < count, case .success = present[position] else { return false }
      switch event {
      case .success(let change):
        byteCount -= past[position].byteCount
        past[position].undo(change)
        byteCount += past[position].byteCount
      case .failure(let error):
        present[position] = .failure(error)
      }
      // The last rows must be read by another call.
      while byteCount > byteLimit, count > 1 {
        count -= 1
        byteCount -= past[count].byteCount
        past[count] = .none
      }
      return position < count
    }
    return zip(present, past).prefix(count).map { now, then in
      now.map { State(now: $0, then: then) }
    }
  }
}

/// The next rows of the history in a backward search for several rows.
private struct WalkSteps {
  /// The rows of the history in ascending order.
  private var records: [Int64] = []
  private var positions: [Int64: [Int]] = [:]

  /// Adds a history row for the search at `position`.
  mutating func add(_ position: Int, at record: Int64) {
    positions[record, default: []].append(position)
    guard positions[record]?.count == 1 else { return }
    records.insert(record, at: records.partitioningIndex { $0 < record })
  }

  /// Removes and returns the last history row, with the searches for it.
  mutating func removeLast() -> (record: Int64, positions: [Int])? {
    guard let record = records.popLast() else { return nil }
    return (record, positions.removeValue(forKey: record) ?? [])
  }
}
