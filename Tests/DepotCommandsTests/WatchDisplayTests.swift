import DepotClientCore
import DepotLinux
import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct WatchDisplayTests {
  private let columns = ["$id", "$version", "name", "size"]

  private func token(_ sequence: Int64) -> HistoryToken {
    HistoryToken(store: "0123abcd", sequence: sequence)
  }

  private func row(
    _ identifier: Int64,
    _ values: String,
    version: Int64 = 1
  ) throws -> LiveRow<WatchedRow> {
    let bytes = Array("[[\(values)]]".utf8)
    return try bytes.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes)
      _ = try reader.beginRow()
      let content = try WatchedRow(from: &reader)
      return LiveRow(identifier: identifier, version: version, content: content)
    }
  }

  private func start() throws -> LiveRows<WatchedRow> {
    try LiveRows(
      [row(1, #""a",10"#), row(2, #""b",null"#), row(3, #""c\u0007",30"#)],
      at: token(1)
    )
  }

  /// Row 2 goes, row 3 changes and moves to the front, and row 4 comes.
  private func change() throws -> LiveChange<WatchedRow> {
    try LiveChange(
      token: token(2),
      author: "me",
      removed: [.init(identifier: 2, from: 1)],
      placed: [
        .init(row: row(3, #""c\u0007",31"#, version: 2), at: 0, from: 2, properties: ["size"]),
        .init(row: row(4, #""d",40"#), at: 2),
      ]
    )
  }

  private func style(_ format: OutputFormat, usesColor: Bool = false) -> RowStyle {
    var style = RowStyle(entity: "Item", format: format)
    style.usesColor = usesColor
    return style
  }

  /// Returns what a display writes when it is shown all kinds of events.
  private func written(_ make: (ByteSink) -> any WatchDisplay) throws -> [String] {
    var output: [UInt8] = []
    let sink = ByteSink { bytes throws(SystemError) in output += Array(bytes) }
    let display = make(sink)
    var rows = try start()
    try display.show(.snapshot(rows), rows, columns: columns)
    let change = try change()
    try rows.apply(change)
    try display.show(.change(change), rows, columns: columns)
    try display.show(.current(token(9)), rows, columns: columns)
    try display.show(.interrupted(DepotError(.disconnected, "Lost.")), rows, columns: columns)
    try display.end()
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func `objects tell all that happens`() throws {
    let lines = try written { WatchObjects(style(.ndjson), showsSnapshots: true, $0) }
    #expect(
      lines == [
        #"{"kind":"snapshot","token":"0123abcd-1","rows":3}"#,
        #"{"kind":"row","at":0,"row":{"$id":"Item/1","name":"a","size":10}}"#,
        #"{"kind":"row","at":1,"row":{"$id":"Item/2","name":"b","size":null}}"#,
        #"{"kind":"row","at":2,"row":{"$id":"Item/3","name":"c\u0007","size":30}}"#,
        #"{"kind":"removed","token":"0123abcd-2","author":"me","from":1,"row":{"$id":"Item/2"}}"#,
        #"{"kind":"updated","token":"0123abcd-2","author":"me","at":0,"from":2,"#
          + #""properties":["size"],"row":{"$id":"Item/3","name":"c\u0007","size":31}}"#,
        #"{"kind":"inserted","token":"0123abcd-2","author":"me","at":2,"#
          + #""row":{"$id":"Item/4","name":"d","size":40}}"#,
        #"{"kind":"current","token":"0123abcd-9"}"#, #"{"kind":"interrupted"}"#,
      ]
    )
    for line in lines { _ = try JSONValue(parsing: line.utf8) }
  }

  @Test func `a snapshot can be left out`() throws {
    let lines = try written { WatchObjects(style(.ndjson), showsSnapshots: false, $0) }
    #expect(lines.first?.contains(#""rows":3"#) == true)
    #expect(!lines.contains { $0.contains(#""kind":"row""#) })
    #expect(lines.count == 6)
  }

  @Test func `a log has a line for each change, with what is different`() throws {
    let lines = try written { WatchLog(style(.table), showsSnapshots: true, $0) }
    #expect(
      lines == [
        "  Item/1 name=a size=10", "  Item/2 name=b size=null", "  Item/3 name=c␇ size=30",
        "= 3 rows at 0123abcd-1", "- Item/2", "~ Item/3 size=31", "+ Item/4 name=d size=40",
        "! Lost.",
      ]
    )
  }

  private let size = WatchScreen.Size(width: 60, height: 10)

  private func changedTable(now: UInt64 = 0) throws -> WatchTable {
    var table = WatchTable()
    var rows = try start()
    table.show(Array(rows))
    let change = try change()
    try rows.apply(change)
    table.show(change, Array(rows), now: now)
    return table
  }

  @Test func `a table marks what came, went, and changed`() throws {
    let table = try changedTable()
    var screen = WatchScreen(style(.table))
    let lines = screen.lines(table, columns: columns, status: "status", size: size, isLast: false)
    #expect(
      lines == [
        "  $id     name  size", "~ Item/3  c␇      31", "  Item/1  a       10",
        "- Item/2  b", "+ Item/4  d       40", "status",
      ]
    )
    #expect(table.tally == WatchTable.Tally(inserted: 1, updated: 1, removed: 1))
  }

  @Test func `marks fade, and the last picture has none`() throws {
    var table = try changedTable(now: 100)
    var screen = WatchScreen(style(.table))
    let last = screen.lines(table, columns: columns, status: "s", size: size, isLast: true)
    #expect(
      last == [
        "  $id     name  size", "  Item/3  c␇      31", "  Item/1  a       10",
        "  Item/4  d       40", "s",
      ]
    )
    #expect(table.nextFade == 100 + WatchTable.moment)
    table.fade(now: 100 + WatchTable.moment)
    #expect(table.nextFade == nil)
    #expect(
      screen.lines(table, columns: columns, status: "s", size: size, isLast: false) == last
    )
  }

  @Test func `changed values are highlighted and nothing else`() throws {
    let table = try changedTable()
    var screen = WatchScreen(style(.table, usesColor: true))
    let lines = screen.lines(table, columns: columns, status: "s", size: size, isLast: false)
    #expect(lines[1] == "\u{1B}[33m~ \u{1B}[0mItem/3  c␇    \u{1B}[7m  31\u{1B}[0m")
    #expect(lines[2] == "  Item/1  a       10")
    #expect(lines[3] == "\u{1B}[31;2m- Item/2  b\u{1B}[0m")
    #expect(lines[4] == "\u{1B}[32m+ Item/4  d       40\u{1B}[0m")
  }

  @Test func `what doesn't fit into the window is counted`() throws {
    var table = WatchTable()
    table.show(try (1...50).map { try row($0, #""x",\#($0)"#) })
    var screen = WatchScreen(style(.table))
    let small = WatchScreen.Size(width: 24, height: 8)
    let lines = screen.lines(table, columns: columns, status: "status", size: small, isLast: false)
    #expect(lines.count == 8)
    #expect(lines[6] == "  … 45 more rows")
    #expect(lines.allSatisfy { TextWidth.columns($0) <= 24 })
    let tiny = WatchScreen.Size(width: 12, height: 8)
    let cut = screen.lines(table, columns: columns, status: "s", size: tiny, isLast: false)
    #expect(cut.last?.contains("2 colum") == true)
  }

  @Test func `only lines that differ are drawn again, and all after the window changed`() throws {
    var table = WatchTable()
    table.show(Array(try start()))
    var screen = WatchScreen(style(.table))
    let first = screen.draw(table, columns: columns, status: "one", size: size)
    #expect(first.contains("\u{1B}[2J"))
    #expect(first.contains("Item/3"))
    #expect(screen.draw(table, columns: columns, status: "one", size: size).isEmpty)
    let second = screen.draw(table, columns: columns, status: "two", size: size)
    #expect(second == "\u{1B}[5;1Htwo\u{1B}[K")
    table.show([])
    let third = screen.draw(table, columns: columns, status: "two", size: size)
    #expect(third.hasSuffix("\u{1B}[3;1H\u{1B}[J"))
    let narrow = WatchScreen.Size(width: 20, height: 10)
    #expect(
      screen.draw(table, columns: columns, status: "two", size: narrow).hasPrefix("\u{1B}[2J")
    )
  }

  @Test func `removed rows stay where they were though their neighbours go too`() throws {
    var table = WatchTable()
    let rows = try (1...5).map { try row($0, #""x",1"#) }
    table.show(rows)
    func remove(_ identifier: Int64, from: Int, _ sequence: Int64) {
      var known = LiveRows(table.rows, at: token(sequence))
      let change = LiveChange<WatchedRow>(
        token: token(sequence),
        removed: [.init(identifier: identifier, from: from)]
      )
      try? known.apply(change)
      table.show(change, Array(known), now: UInt64(sequence))
    }
    remove(2, from: 1, 2)
    remove(3, from: 1, 3)
    remove(5, from: 2, 4)
    #expect(table.lines(10).map(\.row.identifier) == [1, 2, 3, 4, 5])
    #expect(table.lines(10).map { $0.mark == .removed } == [false, true, true, false, true])
  }

  @Test func `a command line says what is watched`() throws {
    func subject(_ words: String...) throws -> WatchRequest.Subject {
      try WatchVerb.subject(ArgumentParser.parse(["watch"] + words, of: .depot))
    }
    var fetch = FetchRequest(entity: "Item")
    fetch.limit = 3
    fetch.select = ["name"]
    #expect(try subject("Item", "--limit", "3", "--select", "name") == .fetch(fetch))
    #expect(try subject("Item", "--count") == .count(CountRequest(entity: "Item")))
    let ids = FetchRequest(entity: "Item", select: [])
    #expect(try subject("Item", "--ids") == .fetch(ids))
    let two: QueryExpression = .in(.attribute("$id"), [.value(.int64(1)), .value(.int64(2))])
    let named = FetchRequest(entity: "Item", predicate: two)
    #expect(try subject("Item/1", "Item/2") == .fetch(named))
    for words in [["Item", "Other"], ["Item/1", "Other/2"], ["Item/1", "--count"]] {
      #expect(throws: DepotError.self) {
        try WatchVerb.subject(ArgumentParser.parse(["watch"] + words, of: .depot))
      }
    }
  }
}
