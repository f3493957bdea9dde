internal import DepotProtocol
internal import DepotSQLite

/// The rows of the history with the changes of one transaction, last first.
struct UndoPages {
  /// A row of the history with changes.
  struct Page {
    let identifier: Int64
    let entity: String
    let kind: HistoryTable.Kind
    /// The least and the greatest identifier of the changed rows.
    let rows: ClosedRange<Int64>
  }

  let all: [Page]
  private let catalog: Catalog
  private let connection: Connection

  /// The number of rows that are undone together if that can be done in slices.
  private static let rowsTogether: Int64 = 512

  init(
    of token: Int64,
    _ bounds: HistoryBounds,
    _ catalog: Catalog,
    on connection: Connection
  ) throws {
    self.catalog = catalog
    self.connection = connection
    let edge = try bounds.edge(after: token, on: connection)
    all = try connection.statement(
      """
      SELECT id, entity, kind, first, last FROM depot_history \
      WHERE id >= ?1 AND id < ?2 AND token = ?1 AND entity IS NOT NULL ORDER BY id DESC
      """
    ).rows([.integer(token), .integer(edge)]) { row in
      guard let kind = HistoryTable.Kind(rawValue: row.integer(2)),
        row.integer(3) <= row.integer(4)
      else { return nil as Page? }
      return Page(
        identifier: row.integer(0),
        entity: row.text(1),
        kind: kind,
        rows: row.integer(3)...row.integer(4)
      )
    }.map { page in
      guard let page else { throw HistoryRecord.damaged(token) }
      return page
    }
  }

  /// Returns the changes in a page.
  func record(_ page: Page) throws -> HistoryRecord {
    let found = try connection.statement(
      "SELECT \(HistoryTable.fullRow) FROM depot_history WHERE id = ?1"
    ).first([.integer(page.identifier)]) { try HistoryRecord($0) }
    guard let found else { throw HistoryRecord.damaged(page.identifier) }
    return found
  }

  // MARK: - Parts

  /// Returns the inverse of the transaction; `nil` if it exceeds the limits.
  func inverse(_ limits: UndoLimits, _ control: CallControl) throws -> Inverse? {
    try inverse(of: all, Inverse(limits), control)
  }

  private func inverse(
    of pages: [Page],
    _ start: Inverse,
    _ control: CallControl
  ) throws -> Inverse? {
    var inverse = start
    for page in pages {
      try control.check()
      try inverse.add(try record(page)) { try catalog.layout(of: $0).root }
      if inverse.isTooLarge { return nil }
    }
    return inverse
  }

  /// Calls `body` with the inverse of the rows, or of their links, in parts within limits.
  ///
  /// A part has all changes of its rows. The parts are in the order of roots and identifiers. A
  /// single row may exceed the limits.
  func forEachPart(
    _ limits: UndoLimits,
    ofLinks isOfLinks: Bool,
    _ control: CallControl,
    _ body: (Inverse) throws -> Void
  ) throws {
    let pages = all.filter { ($0.kind == .links) == isOfLinks }
    let roots = try Dictionary(grouping: pages) { try catalog.layout(of: $0.entity).root }
    for (_, pages) in roots.sorted(by: { $0.key < $1.key }) {
      let bounds = pages.map(\.rows.lowerBound) + pages.map(\.rows.upperBound)
      guard let first = bounds.min(), let last = bounds.max() else { continue }
      var rest = [first...last]
      while let range = rest.popLast() {
        let pages = pages.filter { $0.rows.overlaps(range) }
        let isSingle = range.count == 1
        let start = Inverse(isSingle ? nil : limits, of: range)
        if let inverse = try inverse(of: pages, start, control) {
          if !inverse.rows.isEmpty || !inverse.links.isEmpty { try body(inverse) }
        } else {
          let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
          rest += [middle + 1...range.upperBound, range.lowerBound...middle]
        }
      }
    }
  }

  // MARK: - Slices

  /// Whether there are many rows, and each can be undone independently.
  ///
  /// Rows with relationships may need each other, and rows with unique values may need each other's
  /// values, unless all were inserted or all deleted.
  var canBeSliced: Bool {
    let isLarge = all.count > 1 || all.contains { $0.rows.count > Self.rowsTogether }
    guard isLarge, !all.contains(where: { $0.kind == .links }) else { return false }
    let isOfOneKind = Set(all.map(\.kind)).count == 1 && all[0].kind != .update
    return Set(all.map(\.entity)).allSatisfy { name in
      guard let root = try? catalog.layout(of: name).root,
        let layout = try? catalog.layout(of: root)
      else { return false }
      let family = Set([root] + catalog.schema.descendants(of: root).map(\.name))
      let isAlone = catalog.schema.entities.allSatisfy { entity in
        entity.relationships.allSatisfy { relationship in
          !family.contains(entity.name) && !family.contains(relationship.destination)
        }
      }
      return isAlone && (isOfOneKind || layout.uniques.isEmpty)
    }
  }

  /// Calls `body` with the inverse of each slice of rows.
  func forEachSlice(_ body: (Inverse) throws -> Void) throws {
    for page in all {
      let root = try catalog.layout(of: page.entity).root
      let record = try record(page)
      guard page.kind == .insert else {
        var rest = try record.elements()[...]
        while !rest.isEmpty {
          var inverse = Inverse()
          let part = rest.suffix(Int(Self.rowsTogether))
          try inverse.add(part.map(record.change).reversed(), entity: page.entity, root: root)
          rest.removeLast(part.count)
          try body(inverse)
        }
        continue
      }
      var inverse = Inverse()
      for range in try record.ranges().reversed() {
        var rest = range
        while true {
          let room = Self.rowsTogether - Int64(inverse.rows.count)
          let end = min(rest.upperBound, rest.lowerBound + room - 1)
          inverse.add(inserted: rest.lowerBound...end, entity: page.entity, root: root)
          if inverse.rows.count >= Self.rowsTogether {
            try body(inverse)
            inverse = Inverse()
          }
          guard end < rest.upperBound else { break }
          rest = end + 1...rest.upperBound
        }
      }
      if !inverse.rows.isEmpty { try body(inverse) }
    }
  }
}
