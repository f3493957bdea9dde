public import DepotProtocol

/// The rows of a watched result in order, at one token.
///
/// It is a value: a copy stays unchanged while the watch continues.
public struct LiveRows<Content: Sendable>: Sendable {
  private(set) var rows: [LiveRow<Content>]
  /// The token of the commit that gave the store these rows.
  public private(set) var token: HistoryToken

  /// Creates the rows of a token.
  public init(_ rows: [LiveRow<Content>], at token: HistoryToken) {
    self.rows = rows
    self.token = token
  }

  /// The selected values of the rows, in their order.
  public var contents: [Content] { rows.map(\.content) }

  /// Applies a watch's next change.
  ///
  /// - Throws: ``DepotError`` `protocol.frame` if the change isn't one of these rows; they stay
  ///   unchanged.
  public mutating func apply(_ change: LiveChange<Content>) throws(DepotError) {
    try change.apply(to: &rows)
    token = change.token
  }

  /// Records that nothing changed up to a token.
  mutating func advance(to token: HistoryToken) {
    self.token = token
  }
}

extension LiveRows: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { rows.count }
  public subscript(position: Int) -> LiveRow<Content> { rows[position] }
}

extension LiveRows: Equatable where Content: Equatable {}

extension LiveChange {
  /// Applies the change to `rows`; after a failure they are unchanged.
  ///
  /// - Throws: ``DepotError`` `protocol.frame` if the change isn't one of these rows.
  func apply(to rows: inout [LiveRow<Content>]) throws(DepotError) {
    let put = placed.map { LivePositions.Put(element: $0.row, at: $0.at) }
    try LivePositions.apply(to: &rows, taken: taken, put: put, identifier: \.identifier)
  }

  /// The rows that are taken out of the result, be they put in again or not.
  var taken: [LivePositions.Taken] {
    removed.map { LivePositions.Taken(identifier: $0.identifier, from: $0.from) }
      + placed.compactMap { placement in
        placement.from.map {
          LivePositions.Taken(identifier: placement.row.identifier, from: $0)
        }
      }
  }
}

extension LiveRows {
  /// Returns the change that leads from these rows to a later result.
  ///
  /// - Parameters:
  ///   - order: The identifiers of the later result's rows.
  ///   - fresh: The rows that changed since or weren't there.
  ///   - token: The token of the later result.
  /// - Returns: The change.
  /// - Throws: ``DepotError`` `protocol.frame` if a row of `order` is neither here nor fresh, or
  ///   occurs twice.
  func change(
    to order: [Int64],
    with fresh: [LiveRow<Content>],
    at token: HistoryToken
  ) throws(DepotError) -> LiveChange<Content> {
    let fresh = Dictionary(fresh.map { ($0.identifier, $0) }, uniquingKeysWith: { $1 })
    var before: [Int64: Int] = [:]
    before.reserveCapacity(rows.count)
    for (place, row) in rows.enumerated() { before[row.identifier] = place }
    var placed: [LiveChange<Content>.Placement] = []
    var last = -1
    for (at, identifier) in order.enumerated() {
      let from = before.removeValue(forKey: identifier)
      if let row = fresh[identifier] {
        placed.append(LiveChange.Placement(row: row, at: at, from: from))
      } else if let from {
        // Keep the relative order of the remaining rows.
        if from > last {
          last = from
        } else {
          placed.append(
            LiveChange.Placement(row: rows[from], at: at, from: from, properties: [])
          )
        }
      } else {
        throw LivePositions.inconsistent("row \(identifier) is unknown")
      }
    }
    guard Set(order).count == order.count else {
      throw LivePositions.inconsistent("a row stands at two places")
    }
    let removed = before.map { LiveChange<Content>.Removal(identifier: $0.key, from: $0.value) }
      .sorted { $0.from < $1.from }
    return LiveChange(token: token, removed: removed, placed: placed)
  }
}

/// One row of a watched result.
@Memberwise
public struct LiveRow<Content: Sendable>: Sendable {
  public let identifier: Int64
  /// The row's version in the last change that was received.
  ///
  /// It may have grown since, by changes of properties that weren't requested.
  public let version: Int64
  /// Its selected values: a record, as a rule.
  public let content: Content
}

extension LiveRow: Equatable where Content: Equatable {}
extension LiveRow: Hashable where Content: Hashable {}

extension LiveRow where Content: Record {
  /// The identifier of the record.
  public var id: Identifier<Content> { Identifier(identifier) }
}
