import DepotProtocol
import DepotSQLite
import TestSupport
import Testing

@testable import DepotEngine

/// Transactions with more rows than are undone together.
@Suite struct LargeUndoTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "name", type: .string, isUnique: true),
        Attribute(name: "place", type: .int64, isOptional: true, isUnique: true),
        Attribute(name: "size", type: .int64, isOptional: true),
      ],
      relationships: [
        Relationship(name: "parent", destination: "Item", inverse: "children"),
        Relationship(
          name: "children",
          destination: "Item",
          inverse: "parent",
          isToMany: true,
          deleteRule: .deny
        ),
        Relationship(name: "box", destination: "Box", inverse: "items", isOptional: false),
        Relationship(name: "seal", destination: "Seal", inverse: "item"),
      ]
    ),
    Entity(
      name: "Box",
      attributes: [Attribute(name: "label", type: .string)],
      relationships: [
        Relationship(
          name: "items",
          destination: "Item",
          inverse: "box",
          isToMany: true,
          deleteRule: .cascade,
          minCount: 1
        )
      ]
    ),
    Entity(
      name: "Seal",
      attributes: [Attribute(name: "label", type: .string)],
      relationships: [Relationship(name: "item", destination: "Item", inverse: "seal")]
    ),
  ])

  private static func limits(_ rows: Int) -> UndoLimits {
    var limits = UndoLimits()
    limits.rows = rows
    return limits
  }

  /// Saves boxes with items that lead to each other in a circle, each with a seal.
  private static func insert(_ count: Int, into store: StoreFixture) async throws {
    let numbers = 0..<count
    let boxes = numbers.map { "[\"#b\($0)\",\"\($0)\"]" }.joined(separator: ",")
    let seals = numbers.map { "[\"#s\($0)\",\"\($0)\"]" }.joined(separator: ",")
    let items = numbers.map { number in
      let parent = (number + count - 1) % count
      return """
        ["#i\(number)","\(number)",\(number),"#i\(parent)","#b\(count - 1 - number)","#s\(number)"]
        """
    }.joined(separator: ",")
    try await store.call(
      "save",
      """
      {"insert":[{"entity":"Box","columns":["$id","label"],"rows":[\(boxes)]},
      {"entity":"Seal","columns":["$id","label"],"rows":[\(seals)]},
      {"entity":"Item","columns":["$id","name","place","parent","box","seal"],"rows":[\(items)]}]}
      """
    )
  }

  /// The rows of all entities as JSON, without versions.
  private static func content(_ past: PastFixture) throws -> [String] {
    try ["Item", "Box", "Seal"].flatMap { entity in
      let columns = try rows("SELECT name FROM pragma_table_info('e_\(entity)')", in: past.path)
        .compactMap { row in if case .text(let name) = row[0] { name } else { nil } }
        .filter { $0 != "version" }.map { "\"\($0)\"" }.joined(separator: ",")
      return try rows("SELECT \(columns) FROM e_\(entity) ORDER BY id", in: past.path)
        .map { "\(entity) \($0)" }
    }
  }

  /// Gives each item another place by that which it has.
  private static func places(_ place: (Int) -> Int) -> (String, String) {
    let rows = (1...9).map { "[\($0),\(place($0 - 1))]" }.joined(separator: ",")
    return (
      "save",
      #"{"update":[{"entity":"Item","columns":["$id","place"],"rows":[\#(rows)]}]}"#
    )
  }

  /// Changes that rows of one part undo only together with those of others.
  private static let changes = [
    // Rows that hold each other by rules, and that each other's numbers of rows need.
    ("save", #"{"delete":[{"entity":"Box","ids":[1,2,3,4,5,6,7,8,9]}]}"#),
    // Unique values that go around, and one by one.
    places { 8 - $0 }, places { ($0 + 1) % 9 }, places { $0 + 1 }, places { $0 - 1 },
    // Partners that are exchanged, taken away, and made.
    (
      "save",
      """
      {"update":[{"entity":"Item","columns":["$id","seal","box","parent"],
      "rows":[[1,9,1,3],[2,8,2,3],[9,1,9,null],[8,2,8,2]]}]}
      """
    ),
    ("update", #"{"entity":"Item","where":{"value":true},"set":{"parent":null,"seal":null}}"#),
    // Rows that go while others take their values.
    (
      "save",
      """
      {"delete":[{"entity":"Item","ids":[3]}],"insert":[{"entity":"Box","columns":["$id","label"],
      "rows":[["#b","n"]]},{"entity":"Item","columns":["name","place","box","seal"],
      "rows":[["2",2,"#b",3],["n",20,7,null]]}],
      "update":[{"entity":"Item","columns":["$id","parent"],"rows":[[4,null]]}]}
      """
    ),
  ]

  @Test(arguments: [UndoLimits().rows, 8, 9, 10, 1])
  func `rows that need each other are undone and done again, whatever the parts`(
    rowsTogether: Int
  ) async throws {
    try await withPast(Self.schema, undo: Self.limits(rowsTogether)) { store, past in
      let empty = try Self.content(past)
      try await Self.insert(9, into: store)
      let filled = try Self.content(past)
      #expect(filled.count == 27)
      try await store.call("undo", "{}")
      #expect(try Self.content(past) == empty)
      try await store.call("redo", "{}")
      #expect(try Self.content(past) == filled)
      for (name, arguments) in Self.changes {
        do {
          try await store.call(name, arguments)
          let changed = try Self.content(past)
          #expect(changed != filled)
          try await store.call("undo", "{}")
          #expect(try Self.content(past) == filled, "\(arguments)")
          try await store.call("redo", "{}")
          #expect(try Self.content(past) == changed, "\(arguments)")
          try await store.call("undo", "{}")
          #expect(try Self.content(past) == filled, "\(arguments)")
        } catch {
          Issue.record("\(arguments): \(error)")
        }
      }
    }
  }

  @Test(arguments: [UndoLimits().rows, 1])
  func `what stands in the way of any part leaves all as it was`(rowsTogether: Int) async throws {
    try await withPast(Self.schema, undo: Self.limits(rowsTogether)) { store, past in
      try await Self.insert(9, into: store)
      let inserted = try past.head()
      let call = #"{"token":"\#(inserted)"}"#
      // Another row leads to one of the last part, whose rule forbids to delete it.
      try await store.insert("Item", ["name", "box", "parent"], #"[["later",9,9]]"#)
      let before = try Self.content(past)
      let denied = await store.code { try await store.call("undo", call) }
      #expect(denied?.code == .denied, "\(String(describing: denied))")
      #expect(try Self.content(past) == before)
      try await store.call("undo", "{}")
      try await store.update("Item", [1, 9], ["size"], "[5]")
      let changed = try Self.content(past)
      let refused = await store.code { try await store.call("undo", call) }
      #expect(refused?.code == .merge)
      #expect(refused?.details?["conflicts"]?.array?.count == 2)
      #expect(try Self.content(past) == changed)
    }
  }

  /// All rows wait for the value of the last one.
  @Test func `values that wait for others are bounded`() async throws {
    var limits = Self.limits(1)
    limits.waitingBytes = 10
    try await withPast(Self.schema, undo: limits) { store, past in
      try await Self.insert(9, into: store)
      let (name, arguments) = Self.places { ($0 + 8) % 9 }
      try await store.call(name, arguments)
      let before = try Self.content(past)
      let error = await store.code { try await store.call("undo", "{}") }
      #expect(error?.code == .tooManyRows)
      #expect(error?.hint?.contains("backup") == true)
      #expect(try Self.content(past) == before)
    }
  }

  private static let chain = Schema(entities: [
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "size", type: .int64, isOptional: true),
      ],
      relationships: [Relationship(name: "parent", destination: "Item")]
    )
  ])

  @Test func `many related rows of one transaction are undone and done again`() async throws {
    let count: Int64 = 20_000
    try await withPast(Self.chain) { store, past in
      for start in stride(from: 0, to: count, by: 10_000) {
        let rows = (start..<start + 10_000).map { "[\"\($0)\",\(max($0, 1))]" }
        let list = start == 0 ? #"["0",null],"# + rows.dropFirst().joined(separator: ",") : ""
        let json = start == 0 ? list : rows.joined(separator: ",")
        try await store.insert("Item", ["name", "parent"], "[\(json)]")
      }
      let sum = "SELECT count(*) + sum(r_parent) + coalesce(sum(a_size), 0) FROM e_Item"
      let filled = try past.count(sum)
      try await store.call("update", #"{"entity":"Item","where":{"value":true},"set":{"size":1}}"#)
      try await store.call("undo", "{}")
      #expect(try past.count(sum) == filled)
      try await store.call("delete", #"{"entity":"Item","where":{"value":true}}"#)
      try await store.call("undo", "{}")
      #expect(try past.count(sum) == filled)
      try await store.call("redo", "{}")
      #expect(try past.count("SELECT count(*) FROM e_Item") == 0)
    }
  }
}
