import DepotProtocol
import Observation
import Synchronization
import Testing

@testable import DepotClient
@testable import DepotClientCore

@Suite struct LiveResultsTests {
  private struct Item: Record {
    var name: String
    var count: Int
    var home: Home?

    var title: String { "\(name) (\(count))" }

    static let entity = "Item"
    static let attributes: RecordAttributes<Item> = [
      .init(\.name, "name"), .init(\.count, "count"), .init(\.home, "home"),
    ]

    init(_ name: String, _ count: Int = 0) {
      self.name = name
      self.count = count
    }

    init(from row: inout RowReader) throws(DepotError) {
      name = try row.next()
      count = try row.next()
      home = try row.next()
    }

    func write(to row: inout RowWriter) {
      row.append(name)
      row.append(count)
      row.append(home)
    }
  }

  private struct Home: Composite {
    var city: String

    static let attributes: RecordAttributes<Home> = [.init(\.city, "city")]

    init(from row: inout RowReader) throws(DepotError) { city = try row.next() }
    func write(to row: inout RowWriter) { row.append(city) }
  }

  private let results = LiveResults<Item>()

  init() throws {
    try snapshot(1, [(1, Item("a")), (2, Item("b")), (3, Item("c"))])
  }

  private func row(_ identifier: Int64, _ item: Item, version: Int64 = 1) -> LiveRow<Item> {
    LiveRow(identifier: identifier, version: version, content: item)
  }

  private func token(_ sequence: Int64) -> HistoryToken {
    HistoryToken(store: "0123abcd", sequence: sequence)
  }

  private func snapshot(_ sequence: Int64, _ items: [(Int64, Item)]) throws {
    let rows = LiveRows(items.map { row($0.0, $0.1) }, at: token(sequence))
    try results.apply(.snapshot(rows))
  }

  private func change(
    _ sequence: Int64,
    removed: [(Int64, Int)] = [],
    placed: [LiveChange<Item>.Placement] = []
  ) throws {
    let removed = removed.map { LiveChange<Item>.Removal(identifier: $0.0, from: $0.1) }
    let change = LiveChange(token: token(sequence), removed: removed, placed: placed)
    try results.apply(.change(change))
  }

  private func update(
    _ sequence: Int64,
    _ identifier: Int64,
    _ item: Item,
    at: Int,
    _ properties: [String]?
  ) throws {
    let row = row(identifier, item, version: sequence)
    let placement = LiveChange<Item>.Placement(row: row, at: at, from: at, properties: properties)
    try change(sequence, placed: [placement])
  }

  /// Somebody who reads something.
  private struct Reading<Value> {
    let read: () -> Value

    /// Returns whether he is told of what `body` does.
    func isTold(_ body: () throws -> Void) rethrows -> Bool {
      let isTold = Mutex(false)
      withObservationTracking {
        _ = read()
      } onChange: {
        isTold.withLock { $0 = true }
      }
      try body()
      return isTold.withLock { $0 }
    }
  }

  private func reading<Value>(_ read: @escaping () -> Value) -> Reading<Value> {
    Reading(read: read)
  }

  @Test func `a row is read as the record`() {
    #expect(results.rows.map(\.name) == ["a", "b", "c"])
    #expect(results.rows[1].id == Identifier(2))
    #expect(results.rows[1].record.title == "b (0)")
    #expect(results.isLive)
    #expect(results.token == token(1))
  }

  @Test func `a reader of a property is told when it changes, once what it is has changed`() throws
  {
    let seen = Mutex("")
    let results = results
    withObservationTracking {
      _ = results.rows[1].name
    } onChange: {
      seen.withLock { $0 = results.rows[1].name }
    }
    try update(2, 2, Item("x"), at: 1, ["name"])
    #expect(seen.withLock { $0 } == "x")
  }

  @Test func `a reader of a property isn't told of other rows and properties`() throws {
    #expect(
      try !reading({ results.rows[1].name }).isTold {
        try update(2, 2, Item("b", 7), at: 1, ["count"])
        try update(3, 1, Item("y"), at: 0, ["name"])
        try change(4, placed: [.init(row: row(9, Item("z")), at: 3)])
        try change(5, removed: [(3, 2)])
        try results.apply(.current(token(6)))
      }
    )
    #expect(results.rows.map(\.name) == ["y", "b", "z"])
    #expect(results.rows[1].count == 7)
  }

  @Test func `a reader of a place is told when another row is there`() throws {
    #expect(
      try reading({ results.rows[1].name }).isTold {
        try change(2, placed: [.init(row: row(9, Item("z")), at: 0)])
      }
    )
    #expect(try reading({ results.rows[1].name }).isTold { try change(3, removed: [(1, 1)]) })
  }

  @Test func `a reader of how many there are is told of no updates`() throws {
    #expect(
      try !reading({ results.rows.count }).isTold {
        try update(2, 2, Item("x", 3), at: 1, ["name", "count"])
        try change(3, removed: [(1, 0)], placed: [.init(row: row(9, Item("z")), at: 2)])
      }
    )
    #expect(try reading({ results.rows.count }).isTold { try change(4, removed: [(9, 2)]) })
  }

  @Test func `a reader of a computed property is told of any change of the row`() throws {
    #expect(
      try reading({ results.rows[0].title }).isTold {
        try update(2, 1, Item("a", 1), at: 0, ["count"])
      }
    )
    #expect(
      try !reading({ results.rows[0].title }).isTold {
        try update(3, 2, Item("b", 1), at: 1, ["count"])
      }
    )
  }

  @Test func `a part of a composite is a change of the composite`() throws {
    #expect(
      try reading({ results.rows[0].home }).isTold {
        try update(2, 1, Item("a"), at: 0, ["home.city"])
      }
    )
  }

  @Test func `a row that moves stays the same object, and its reader isn't told`() throws {
    let first = results.rows[0]
    #expect(
      try !reading({ first.name }).isTold {
        try change(2, placed: [.init(row: row(1, Item("a")), at: 2, from: 0, properties: [])])
      }
    )
    #expect(results.rows[2] === first)
  }

  @Test func `a row that leaves keeps its values and says that it is gone`() throws {
    let first = results.rows[0]
    #expect(try reading({ first.isInResult }).isTold { try change(2, removed: [(1, 0)]) })
    #expect(!first.isInResult)
    #expect(first.name == "a")
  }

  @Test func `a snapshot tells only what differs`() throws {
    let rows = Array(results.rows)
    #expect(
      try !reading({ (rows[0].name, rows[1].name, results.rows.count) }).isTold {
        try snapshot(2, [(1, Item("a", 5)), (2, Item("b")), (3, Item("new"))])
      }
    )
    #expect(
      try reading({ rows[1].name }).isTold {
        try snapshot(3, [(2, Item("other")), (1, Item("a"))])
      }
    )
    #expect(rows.map(\.name) == ["a", "other", "new"])
    #expect(rows.map(\.isInResult) == [true, true, false])
  }

  @Test func `a lost connection is told and the rows stay`() throws {
    let error = DepotError(.disconnected, "lost")
    #expect(try reading({ results.isLive }).isTold { try results.apply(.interrupted(error)) })
    #expect(results.error == error)
    #expect(results.rows.count == 3)
    #expect(try reading({ results.error }).isTold { try results.apply(.current(token(2))) })
    #expect(results.isLive)
  }

  @Test func `only a reader of the moment is told that time goes on`() throws {
    #expect(try reading({ results.token }).isTold { try results.apply(.current(token(2))) })
    #expect(
      try !reading({ (results.isLive, results.rows.count, results.rows[0].name) }).isTold {
        try results.apply(.current(token(3)))
      }
    )
  }

  @Test func `a change that doesn't fit is an error and changes nothing`() throws {
    #expect(throws: DepotError.self) { try change(2, removed: [(9, 0)]) }
    #expect(results.rows.map(\.name) == ["a", "b", "c"])
    #expect(results.token == token(1))
  }
}
