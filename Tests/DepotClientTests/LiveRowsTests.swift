import DepotProtocol
import TestSupport
import Testing

@testable import DepotClient
@testable import DepotClientCore

@Suite struct LiveRowsTests {
  private let token = HistoryToken(store: "0123abcd", sequence: 1)

  private func rows(_ identifiers: Int64...) -> LiveRows<String> {
    LiveRows(identifiers.map { Self.row($0) }, at: token)
  }

  private static func row(_ identifier: Int64, _ content: String = "") -> LiveRow<String> {
    LiveRow(identifier: identifier, version: 1, content: content)
  }

  private func change(
    removed: [(Int64, Int)] = [],
    placed: [(LiveRow<String>, Int, Int?)] = []
  ) -> LiveChange<String> {
    LiveChange(
      token: HistoryToken(store: "0123abcd", sequence: 2),
      removed: removed.map { LiveChange.Removal(identifier: $0.0, from: $0.1) },
      placed: placed.map { LiveChange.Placement(row: $0.0, at: $0.1, from: $0.2) }
    )
  }

  @Test func `rows come, go, and move`() throws {
    var rows = rows(1, 2, 3, 4)
    try rows.apply(
      change(
        removed: [(2, 1)],
        placed: [(Self.row(9), 0, nil), (Self.row(1, "x"), 3, 0), (Self.row(8), 4, nil)]
      )
    )
    #expect(rows.map(\.identifier) == [9, 3, 4, 1, 8])
    #expect(rows[3].content == "x")
    #expect(rows.token.sequence == 2)
  }

  @Test func `a row that stays in its place is replaced`() throws {
    var rows = rows(1, 2, 3)
    try rows.apply(change(placed: [(Self.row(2, "new"), 1, 1)]))
    #expect(rows.contents == ["", "new", ""])
  }

  static let inconsistent: [([(Int64, Int)], [(Int64, Int, Int?)])] = [
    ([(2, 0)], []), ([(1, 7)], []), ([(1, -1)], []), ([(1, 0), (1, 0)], []),
    ([], [(9, 5, nil)]), ([], [(9, -1, nil)]), ([], [(9, 1, nil), (8, 1, nil)]),
    ([], [(9, 2, nil), (8, 1, nil)]), ([(1, 0)], [(9, 3, nil)]), ([], [(1, 0, 2)]),
    ([(1, 0)], [(1, 0, 0)]),
  ]

  @Test(arguments: inconsistent)
  func `a change that doesn't fit is an error and changes nothing`(
    removed: [(Int64, Int)],
    placed: [(Int64, Int, Int?)]
  ) {
    var rows = rows(1, 2, 3)
    let change = change(removed: removed, placed: placed.map { (Self.row($0.0), $0.1, $0.2) })
    let error = #expect(throws: DepotError.self) { try rows.apply(change) }
    #expect(error?.code == .frame)
    #expect(rows == self.rows(1, 2, 3))
  }

  @Test(arguments: seeds(300))
  func `a change between two results makes the second of the first`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let size = [3, 10, 60].randomElement(using: &generator) ?? 3
    let before = random(size, &generator, content: "old")
    let after = random(size, &generator, content: "new")
    let known = LiveRows(before, at: token)
    // What is told again is what is new or differs; the others keep their order or don't.
    let old = Dictionary(uniqueKeysWithValues: before.map { ($0.identifier, $0) })
    let target = after.map { row in
      Bool.random(using: &generator) ? old[row.identifier] ?? row : row
    }
    let fresh = target.filter { $0.content == "new" }
    let next = HistoryToken(store: "0123abcd", sequence: 5)
    let change = try known.change(to: target.map(\.identifier), with: fresh, at: next)
    var result = known
    try result.apply(change)
    #expect(result == LiveRows(target, at: next))
    #expect(change.removed.map(\.from) == change.removed.map(\.from).sorted())
    #expect(change.placed.map(\.at) == change.placed.map(\.at).sorted())
  }

  @Test func `a row of the order that nobody knows is an error`() {
    #expect(throws: DepotError.self) {
      try rows(1, 2).change(to: [1, 3], with: [], at: token)
    }
    #expect(throws: DepotError.self) {
      try rows(1, 2).change(to: [1, 1], with: [Self.row(1)], at: token)
    }
  }

  @Test func `rows that stay in order aren't told`() throws {
    let change = try rows(1, 2, 3, 4).change(to: [1, 9, 3, 4], with: [Self.row(9)], at: token)
    #expect(change.removed.map(\.identifier) == [2])
    #expect(change.inserted.map(\.identifier) == [9])
    #expect(change.updated.isEmpty)
  }

  private func random(
    _ size: Int,
    _ generator: inout SeededGenerator,
    content: String
  ) -> [LiveRow<String>] {
    let identifiers = (1...Int64(size * 3 / 2)).shuffled(using: &generator)
    return identifiers.prefix(Int.random(in: 0...size, using: &generator))
      .map { Self.row($0, content) }
  }
}
