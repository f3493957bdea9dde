/// The rows that the client of a watched query has, in order.
struct LiveResult {
  let order: LiveOrder
  /// The most rows, and the number of skipped rows before them.
  let window: Window?
  private(set) var identifiers: [Int64]
  private var entries: [Int64: LiveEntry]

  struct Window: Hashable, Sendable {
    var limit: Int
    var offset: Int
  }

  /// A current row.
  struct Row {
    var entry: LiveEntry
    var json: [UInt8]
  }

  init(_ rows: [LiveEntry], order: LiveOrder, window: Window?) {
    self.order = order
    self.window = window
    identifiers = rows.map(\.identifier)
    entries = Dictionary(rows.map { ($0.identifier, $0) }) { first, _ in first }
  }

  var count: Int { identifiers.count }

  // MARK: - Single rows

  /// Updates the result with those of the `changed` rows that still satisfy the query.
  ///
  /// It returns the difference, or `nil` if only a run of the query can determine the window's
  /// rows. `isMembership` returns whether a change may add, remove, or move a row.
  mutating func apply(
    _ changed: [Int64: RowChangeSummary],
    _ rows: [Int64: Row],
    isMembership: (RowChangeSummary) -> Bool
  ) -> LiveDifference? {
    if window != nil, !isDecidable(changed, rows, isMembership) { return nil }
    let boundary = fullBoundary
    var difference = LiveDifference()
    var placed: [(row: Row, from: Int?)] = []
    for (identifier, summary) in changed {
      switch (entries[identifier], rows[identifier]) {
      case (nil, nil): break
      case (let old?, nil): difference.removed.append((identifier, place(of: old)))
      case (nil, let new?):
        // Such a row stays before or after the window.
        if let window, window.offset > 0 { continue }
        if let boundary, !order.isBefore(new.entry, boundary) { continue }
        placed.append((new, nil))
      case (let old?, let new?):
        guard !old.isSame(as: new.entry) || summary.isPrefetched else { continue }
        placed.append((new, place(of: old)))
      }
    }
    if difference.removed.isEmpty, placed.isEmpty { return difference }
    let before = identifiers
    let leaving = Set(difference.removed.map(\.from) + placed.compactMap(\.from))
    for removed in difference.removed { entries[removed.identifier] = nil }
    take(out: leaving)
    for row in placed { entries[row.row.entry.identifier] = row.row.entry }
    insert(placed, &difference)
    dropTail(before, &difference)
    return difference
  }

  /// The last row of a full window, after which there may be more rows.
  private var fullBoundary: LiveEntry? {
    guard let window, count >= window.limit, let last = identifiers.last else { return nil }
    return entries[last]
  }

  /// Whether the window's rows can be determined from its current rows and the changed ones.
  private func isDecidable(
    _ changed: [Int64: RowChangeSummary],
    _ rows: [Int64: Row],
    _ isMembership: (RowChangeSummary) -> Bool
  ) -> Bool {
    guard let window else { return true }
    if window.limit == 0 { return true }
    if window.offset > 0 {
      return changed.allSatisfy { identifier, summary in
        guard let old = entries[identifier] else { return !isMembership(summary) }
        return rows[identifier]?.entry.hasPlace(of: old) == true
      }
    }
    guard let boundary = fullBoundary else { return true }
    return changed.keys.allSatisfy { identifier in
      guard entries[identifier] != nil else { return true }
      guard let new = rows[identifier]?.entry else { return false }
      return !order.isBefore(boundary, new)
    }
  }

  private mutating func take(out places: Set<Int>) {
    guard !places.isEmpty else { return }
    let sorted = places.sorted()
    var kept: [Int64] = []
    kept.reserveCapacity(identifiers.count)
    var next = 0
    for place in sorted {
      kept += identifiers[next..<place]
      next = place + 1
    }
    kept += identifiers[next...]
    identifiers = kept
  }

  private mutating func insert(
    _ rows: [(row: Row, from: Int?)],
    _ difference: inout LiveDifference
  ) {
    let sorted = rows.sorted { order.isBefore($0.row.entry, $1.row.entry) }
    var result: [Int64] = []
    result.reserveCapacity(identifiers.count + sorted.count)
    var next = 0
    for (index, row) in sorted.enumerated() {
      let place = max(next, place(of: row.row.entry))
      result += identifiers[next..<place]
      next = place
      result.append(row.row.entry.identifier)
      difference.placed.append(
        LiveDifference.Placed(
          identifier: row.row.entry.identifier,
          at: place + index,
          from: row.from,
          json: row.row.json
        )
      )
    }
    result += identifiers[next...]
    identifiers = result
  }

  /// Removes the rows that others have pushed out of the window.
  private mutating func dropTail(_ before: [Int64], _ difference: inout LiveDifference) {
    guard let window, identifiers.count > window.limit else { return }
    let dropped = identifiers[window.limit...]
    identifiers.removeLast(dropped.count)
    for identifier in dropped {
      if let index = difference.placed.firstIndex(where: { $0.identifier == identifier }) {
        let placed = difference.placed.remove(at: index)
        if let from = placed.from { difference.removed.append((identifier, from)) }
      } else if let from = before.lastIndex(of: identifier) {
        difference.removed.append((identifier, from))
      }
      entries[identifier] = nil
    }
  }

  /// Returns the position of a row, or the one for its insertion.
  private func place(of entry: LiveEntry) -> Int {
    identifiers.partitioningIndex { entries[$0].map { order.isBefore($0, entry) } ?? false }
  }

  // MARK: - All rows

  /// Replaces all entries by those of a new run, and returns the difference.
  ///
  /// `json` has the rows for which ``isNew(_:summary:)`` returned `true`.
  mutating func replace(_ rows: [LiveEntry], _ json: [Int64: [UInt8]]) -> LiveDifference {
    var difference = LiveDifference()
    let fresh = Dictionary(rows.map { ($0.identifier, $0) }) { first, _ in first }
    var places: [Int64: Int] = [:]
    for (place, identifier) in identifiers.enumerated() {
      if fresh[identifier] == nil {
        difference.removed.append((identifier, place))
      } else if json[identifier] != nil {
        places[identifier] = place
      }
    }
    for (place, row) in rows.enumerated() {
      guard let bytes = json[row.identifier] else { continue }
      difference.placed.append(
        LiveDifference.Placed(
          identifier: row.identifier,
          at: place,
          from: places[row.identifier],
          json: bytes
        )
      )
    }
    identifiers = rows.map(\.identifier)
    entries = fresh
    return difference
  }

  /// Whether a current row differs from the client's.
  func isNew(_ entry: LiveEntry, summary: RowChangeSummary?) -> Bool {
    summary?.isPrefetched == true || entries[entry.identifier]?.isSame(as: entry) != true
  }
}

/// The difference between two results of a watched query.
struct LiveDifference {
  /// The rows that are no longer in the result, with their previous positions.
  var removed: [(identifier: Int64, from: Int)] = []
  /// The new, changed, or moved rows, by position.
  var placed: [Placed] = []

  struct Placed {
    var identifier: Int64
    var at: Int
    /// The previous position; `nil` for a new row.
    var from: Int?
    var json: [UInt8]
  }

  var isEmpty: Bool { removed.isEmpty && placed.isEmpty }
}
