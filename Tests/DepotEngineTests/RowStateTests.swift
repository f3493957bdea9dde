import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// Going back over what the history says of a row.
@Suite struct RowStateTests {
  private static func past(_ values: [String: SQLiteValue]) -> RowState {
    RowState(exists: true, values: values.mapValues { value($0) })
  }

  private static func value(_ value: SQLiteValue) -> HistoryValue {
    HistoryValue(PackedCells([value]).bytes[...], .scalar(.string))
  }

  /// Returns a change of a row of version 3, with the old and the new value of each property.
  private static func change(
    _ kind: HistoryTable.Kind,
    _ properties: [(name: String, old: SQLiteValue?, new: SQLiteValue?)]
  ) throws -> RecordedChange {
    let page = HistoryPage(
      entity: "Item",
      root: "Item",
      kind: kind,
      hasValues: properties.contains { $0.old != nil }
    )
    page.begin(row: 7, version: 3, columns: properties.count)
    for (place, property) in properties.enumerated() {
      let definition = HistoryPage.definition(property.name, .scalar(.string))
      page.add(column: place, definition[...])
      for value in [property.old, property.new].compactMap(\.self) {
        page.add(PackedCells([value]).bytes)
      }
    }
    return try #require(try HistoryRecord(page).changes().first)
  }

  @Test func `going back over an update gives the old values`() throws {
    var row = Self.past(["name": .text("b"), "size": .integer(2)])
    row.undo(try Self.change(.update, [("name", .text("a"), .text("b"))]))
    #expect(row == Self.past(["name": .text("a"), "size": .integer(2)]))
  }

  @Test func `a property of which only the name is kept becomes unknown`() throws {
    var row = Self.past(["name": .text("b"), "size": .integer(2)])
    row.undo(try Self.change(.update, [("name", nil, nil)]))
    #expect(row.values.keys.sorted() == ["size"])
    #expect(row.unknown == ["name"])
    row.undo(try Self.change(.update, [("name", .text("x"), .text("a"))]))
    #expect(row == Self.past(["name": .text("x"), "size": .integer(2)]))
  }

  @Test func `going back over a deletion gives the row that was deleted`() throws {
    var row = RowState.none
    row.undo(try Self.change(.delete, [("name", .text("a"), nil), ("size", .null, nil)]))
    #expect(row == Self.past(["name": .text("a"), "size": .null]))
    row.undo(RecordedChange(record: 0, token: 0, kind: .insert, entity: "Item", identifier: 7))
    #expect(row == .none)
  }

  @Test func `ranges and links are read`() throws {
    let page = HistoryPage(entity: "Item", root: "Item", kind: .insert)
    _ = page.add(inserted: InsertRange(entity: 0, first: 1, last: 3))
    _ = page.add(inserted: InsertRange(entity: 0, first: .max, last: .max))
    let insertion = try HistoryRecord(page)
    #expect(try insertion.ranges() == [1...3, .max ... .max])
    #expect(try insertion.changes() == [])
    let links = HistoryPage(entity: "Item", root: "Item", kind: .links)
    let definition = HistoryPage.definition("tags", .identifiers)
    links.add(links: 7, definition, added: [1], removed: [2, 300])
    links.add(links: 8, definition, added: [], removed: [])
    let changes = try HistoryRecord(links).changes()
    #expect(changes.map(\.identifier) == [7, 8])
    #expect(changes[0].properties[0].content == .links(added: [1], removed: [2, 300]))
    #expect(changes[1].properties[0].content == .links(added: [], removed: []))
  }

  @Test func `every form of values has a number of its own`() throws {
    let types = AttributeType.allCases
    let forms =
      types.map(RowColumn.Form.scalar) + types.map(RowColumn.Form.list)
      + [.external, .json, .entity, .identifiers]
    for form in forms { #expect(RowColumn.Form(code: Int(form.code)) == form) }
    #expect(Set(forms.map(\.code)).count == forms.count)
  }

  @Test(arguments: [
    SQLiteValue.null, .integer(0), .integer(-1), .integer(127), .integer(128), .integer(-129),
    .integer(.max), .integer(.min), .integer(1 << 40), .real(-0.0), .real(.infinity), .text(""),
    .text(String(repeating: "é", count: 100)), .blob([]), .blob(Array(repeating: 7, count: 20_000)),
  ])
  func `a cell is read as it was packed`(value: SQLiteValue) {
    let packed = PackedCells([value, .integer(5)])
    packed.bytes.withUnsafeBytes { bytes in
      var offset = 0
      #expect(PackedCells.next(in: bytes, &offset)?.value == value)
      #expect(PackedCells.next(in: bytes, &offset)?.value == .integer(5))
      #expect(offset == bytes.count)
      #expect(PackedCells.next(in: bytes, &offset) == nil)
    }
  }

  @Test func `a page that is cut anywhere, or has another byte, is damage or another page`() throws
  {
    let page = HistoryPage(entity: "Item", root: "Item", kind: .update)
    for row: Int64 in [1, 300] {
      page.begin(row: row, version: 2, columns: 2)
      for (place, name) in ["name", "size"].enumerated() {
        page.add(column: place, HistoryPage.definition(name, .scalar(.string))[...])
        page.add(PackedCells([.text("old"), .text("new")]).bytes)
      }
    }
    let whole = page.bytes
    #expect(try HistoryRecord(page).changes().count == 2)
    for count in 0..<whole.count {
      let error = #expect(throws: DepotError.self, "\(count)") {
        _ = try HistoryRecord(.update, Array(whole.prefix(count))).changes()
      }
      #expect(error?.code == .corrupt)
      #expect(error?.message.contains("row 5 of the history") == true)
    }
    for place in whole.indices {
      for byte: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
        var other = whole
        other[place] = byte
        do {
          let record = try HistoryRecord(.update, other)
          #expect(try record.changes().count == record.count)
        } catch {
          #expect(error.code == .corrupt)
        }
      }
    }
  }
}

extension HistoryRecord {
  /// Creates a record of a page.
  fileprivate convenience init(_ page: HistoryPage) throws(DepotError) {
    try self.init(identifier: 1, token: 1, (page.entity, page.kind, page.bytes))
  }

  /// Creates a record from the bytes of a page.
  fileprivate convenience init(_ kind: HistoryTable.Kind, _ bytes: [UInt8]) throws(DepotError) {
    try self.init(identifier: 5, token: 1, ("Item", kind, bytes))
  }
}
