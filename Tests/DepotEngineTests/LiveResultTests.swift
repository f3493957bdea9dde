import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

@Suite struct LiveResultTests {
  /// Values that SQLite orders in ways of its own.
  private static let values: [SQLiteValue] = [
    .null, .integer(.min), .integer(-1), .integer(0), .integer(1), .integer(.max),
    .integer(1 << 53), .integer(1 << 53 + 1), .real(-1e300), .real(-0.5), .real(0), .real(0.5),
    .real(0x1p53), .real(0x1p63), .real(1e300), .real(.infinity), .real(-.infinity),
    .text(""), .text("a"), .text("B"), .text("é"), .text("e\u{301}"), .text("z"), .text("𝕏"),
    .blob([]), .blob([0]), .blob([0, 1]), .blob([255]),
  ]

  @Test func `values compare as SQLite sorts them`() throws {
    let connection = try Connection(path: ":memory:", access: .writer)
    let statement = try connection.statement(
      "SELECT v FROM (SELECT ?1 AS v UNION ALL SELECT ?2) ORDER BY v"
    )
    for left in Self.values {
      for right in Self.values {
        var sorted: [SQLiteValue] = []
        try statement.run([left, right]) { sorted.append($0[0]) }
        let comparison = left.compared(to: right)
        #expect(right.compared(to: left) == -comparison)
        if comparison != 0 {
          #expect(sorted[0].compared(to: comparison < 0 ? left : right) == 0, "\(left) \(right)")
        }
      }
    }
  }

  @Test func `changes lead from one result to the next`() throws {
    for seed in UInt64(0)..<300 { try Self.examine(seed) }
  }

  /// Changes random rows, takes them in, and compares with what sorting all of them gives.
  private static func examine(_ seed: UInt64) throws {
    var random = ValueGenerator(seed: seed)
    let order = LiveOrder(
      descending: (0..<random.int(0...2)).map { _ in random.chance(1, in: 2) },
      isIdentifierDescending: random.chance(1, in: 3)
    )
    let window =
      random.chance(1, in: 2)
      ? LiveResult.Window(limit: random.int(0...6), offset: random.pick([0, 0, 2])) : nil
    var all: [Int64: LiveEntry] = [:]
    func entry(_ identifier: Int64) -> LiveEntry {
      LiveEntry(
        identifier: identifier,
        terms: order.descending.map { _ in .integer(Int64(random.int(0...3))) },
        checksum: UInt64(random.int(0...2))
      )
    }
    func current() -> [LiveEntry] {
      let sorted = all.values.sorted { order.isBefore($0, $1) }
      guard let window else { return sorted }
      return Array(sorted.dropFirst(window.offset).prefix(window.limit))
    }
    for identifier in Int64(1)...8 { all[identifier] = entry(identifier) }
    var result = LiveResult(current(), order: order, window: window)
    for _ in 0..<20 {
      let before = current()
      var changed: [Int64: RowChangeSummary] = [:]
      for _ in 0..<random.int(1...3) {
        let identifier = Int64(random.int(1...12))
        changed[identifier] = RowChangeSummary(isWhole: true)
        all[identifier] = random.chance(1, in: 3) ? nil : entry(identifier)
      }
      let rows = changed.keys.compactMap { all[$0] }.map { ($0.identifier, row($0)) }
      let difference =
        result.apply(changed, Dictionary(uniqueKeysWithValues: rows)) { _ in true }
        ?? rerun(&result, current())
      #expect(result.identifiers == current().map(\.identifier), "seed \(seed)")
      #expect(applied(difference, to: before) == current().map(text), "seed \(seed)")
    }
  }

  private static func row(_ entry: LiveEntry) -> LiveResult.Row {
    LiveResult.Row(entry: entry, json: text(entry))
  }

  private static func text(_ entry: LiveEntry) -> [UInt8] {
    Array("[\(entry.identifier),1,\(entry.checksum),\(entry.terms)]".utf8)
  }

  private static func rerun(_ result: inout LiveResult, _ rows: [LiveEntry]) -> LiveDifference {
    let new = rows.filter { result.isNew($0, summary: nil) }
    return result.replace(
      rows,
      Dictionary(uniqueKeysWithValues: new.map { ($0.identifier, text($0)) })
    )
  }

  /// Does what the protocol says a client does.
  private static func applied(
    _ difference: LiveDifference,
    to rows: [LiveEntry]
  ) -> [[UInt8]] {
    var result = rows.map(text)
    let leaving = difference.removed.map(\.from) + difference.placed.compactMap(\.from)
    for place in leaving.sorted(by: >) { result.remove(at: place) }
    for row in difference.placed { result.insert(row.json, at: row.at) }
    return result
  }
}
