import DepotProtocol
import Testing

@testable import DepotEngine

/// Going back over what the history says of a row.
@Suite struct RowPastTests {
  private static func past(_ values: [String: String]) -> RowPast {
    RowPast(exists: true, values: values.mapValues { ArraySlice($0.utf8) })
  }

  private static func change(
    _ kind: HistoryTable.Kind,
    _ json: String
  ) throws -> RecordedChange {
    try #require(try HistoryRecord(kind, "Item", "[\(json)]").changes().first)
  }

  @Test func `going back over an update gives the old values`() throws {
    var row = Self.past(["name": "\"b\"", "size": "2"])
    row.undo(try Self.change(.update, #"{"id":7,"v":3,"p":{"name":["a","b"]}}"#))
    #expect(row == Self.past(["name": "\"a\"", "size": "2"]))
  }

  @Test func `a property of which only the name is kept becomes unknown`() throws {
    var row = Self.past(["name": "\"b\"", "size": "2"])
    row.undo(try Self.change(.update, #"{"id":7,"v":3,"p":["name"]}"#))
    #expect(row.values.keys.sorted() == ["size"])
    #expect(row.unknown == ["name"])
    row.undo(try Self.change(.update, #"{"id":7,"v":2,"p":{"name":["x","a"]}}"#))
    #expect(row == Self.past(["name": "\"x\"", "size": "2"]))
  }

  @Test func `going back over a deletion gives the row that was deleted`() throws {
    var row = RowPast.none
    row.undo(try Self.change(.delete, #"{"id":7,"v":3,"p":{"name":"a","size":null}}"#))
    #expect(row == Self.past(["name": "\"a\"", "size": "null"]))
    row.undo(RecordedChange(record: 0, token: 0, kind: .insert, entity: "Item", identifier: 7))
    #expect(row == .none)
  }

  @Test func `ranges and links are read`() throws {
    let insertion = try HistoryRecord(.insert, "Item", "[[1,3],[7,7]]")
    #expect(try insertion.ranges() == [1...3, 7...7])
    #expect(try insertion.changes() == [])
    let links = try Self.change(.links, #"{"id":7,"p":{"tags":{"add":[1],"remove":[2,3]}}}"#)
    #expect(links.properties[0].content == .links(added: [1], removed: [2, 3]))
    let order = try Self.change(.links, #"{"id":7,"p":{"tags":{"order":true}}}"#)
    #expect(order.properties[0].content == .links(added: [], removed: []))
  }

  @Test(arguments: ["[1]", "[[1]]", "[[3,1]]", "[[1,\"x\"]]", "{}"])
  func `ranges that aren't ranges are damage`(json: String) throws {
    let record = try HistoryRecord(.insert, "Item", json, identifier: 5)
    let error = #expect(throws: DepotError.self) { try record.ranges() }
    #expect(error?.code == .corrupt)
  }

  @Test(arguments: ["[1]", #"[{"id":1}]"#, #"[{"id":1,"p":{"a":[1]}}]"#, #"[{"id":1,"p":5}]"#])
  func `changes that aren't changes are damage`(json: String) throws {
    let record = try HistoryRecord(.update, "Item", json, identifier: 5)
    let error = #expect(throws: DepotError.self) { try record.changes() }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("row 5 of the history") == true)
  }
}

extension HistoryRecord {
  /// Creates a record from its changes as JSON.
  fileprivate init(
    _ kind: HistoryTable.Kind,
    _ entity: String,
    _ json: String,
    identifier: Int64 = 1
  ) throws {
    self.init(
      identifier: identifier,
      token: 1,
      entity: entity,
      kind: kind,
      document: try JSONDocument(Array(json.utf8))
    )
  }
}
