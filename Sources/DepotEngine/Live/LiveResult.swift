/// The rows of a watched query as its client knows them, in their order.
struct LiveResult {
  let order: LiveOrder
  /// How many rows are wanted at most, and how many before them are left out.
  let window: Window?
  private(set) var identifiers: [Int64]
  private var entries: [Int64: LiveEntry]

  struct Window: Hashable, Sendable {
    var limit: Int
    var offset: Int
  }

  /// A row as it is now.
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

  /// Takes in the rows of `touched` that satisfy the query now, and returns the difference, or
  /// `nil` if only the whole query tells which rows the window has.
  ///
  /// `isMembership` says whether a change can have let a row satisfy the query, or not, or moved it.
  mutating func apply(
    _ touched: [Int64: RowTouch],
    _ rows: [Int64: Row],
    isMembership: (RowTouch) -> Bool
  ) -> LiveDifference? {
    if window != nil, !isDecidable(touched, rows, isMembership) { return nil }
    let boundary = fullBoundary
    var difference = LiveDifference()
    var placed: [(row: Row, from: Int?)] = []
    for (identifier, touch) in touched {
      switch (entries[identifier], rows[identifier]) {
      case (nil, nil): break
      case (let old?, nil): difference.removed.append((identifier, place(of: old)))
      case (nil, let new?):
        // Such a row comes before the window or after it, as it did.
        if let window, window.offset > 0 { continue }
        if let boundary, !order.isBefore(new.entry, boundary) { continue }
        placed.append((new, nil))
      case (let old?, let new?):
        guard !old.isSame(as: new.entry) || touch.isPrefetched else { continue }
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

  /// The last row of a window that is full, beyond which there may be others.
  private var fullBoundary: LiveEntry? {
    guard let window, count >= window.limit, let last = identifiers.last else { return nil }
    return entries[last]
  }

  /// Whether the rows of the window follow from those that it has and those that changed.
  private func isDecidable(
    _ touched: [Int64: RowTouch],
    _ rows: [Int64: Row],
    _ isMembership: (RowTouch) -> Bool
  ) -> Bool {
    guard let window else { return true }
    if window.limit == 0 { return true }
    if window.offset > 0 {
      return touched.allSatisfy { identifier, touch in
        guard let old = entries[identifier] else { return !isMembership(touch) }
        return rows[identifier]?.entry.hasPlace(of: old) == true
      }
    }
    guard let boundary = fullBoundary else { return true }
    return touched.keys.allSatisfy { identifier in
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

  /// Lets go of the rows that others pushed out of the window.
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

  /// Returns the place of a row, or the one that it would get.
  private func place(of entry: LiveEntry) -> Int {
    identifiers.place { entries[$0].map { order.isBefore($0, entry) } ?? false }
  }

  // MARK: - All rows

  /// Takes in all entries of a new run of the query, and the rows that ``isNew(_:touch:)`` said are
  /// wanted, and returns the difference.
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

  /// Whether a row that the query has now is another than the client knows.
  func isNew(_ entry: LiveEntry, touch: RowTouch?) -> Bool {
    touch?.isPrefetched == true || entries[entry.identifier]?.isSame(as: entry) != true
  }
}

/// The difference between two results of a watched query.
struct LiveDifference {
  /// The rows that are no longer in it, with their places before.
  var removed: [(identifier: Int64, from: Int)] = []
  /// The rows that are new, changed, or moved, by their places.
  var placed: [Placed] = []

  struct Placed {
    var identifier: Int64
    var at: Int
    /// The place before; `nil` for a row that is new.
    var from: Int?
    var json: [UInt8]
  }

  var isEmpty: Bool { removed.isEmpty && placed.isEmpty }
}
