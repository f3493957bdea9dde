import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// Texts and data that are too large for their rows, in attributes without external storage.
@Suite struct WidenedColumnTests {
  private static let length = (8 << 20) + 5000
  /// A text in which the last word is found by reading all of it.
  private static let large = String(repeating: "grün ", count: length / 6) + "needle"

  private static func schema(_ version: Int, _ body: (inout [Entity]) -> Void = { _ in }) -> Schema
  {
    var entities = [
      Entity(
        name: "Doc",
        attributes: [
          Attribute(name: "name", type: .string, isUnique: true),
          Attribute(name: "body", type: .string, defaultValue: .string("")),
          Attribute(name: "image", type: .data, isOptional: true),
          Attribute(name: "code", type: .string, isOptional: true, isIndexed: true),
          Attribute(name: "words", type: .string, isOptional: true, options: .spotlight),
          Attribute(name: "pair", type: .data, isOptional: true),
          Attribute(name: "upper", type: .string, isOptional: true, derivation: "uppercase(name)"),
          Attribute(
            name: "home",
            type: .composite,
            properties: [Attribute(name: "plan", type: .data, isOptional: true)],
            isOptional: true
          ),
        ],
        indexes: [["name", "pair"]]
      ),
      Entity(
        name: "Page",
        parent: "Doc",
        attributes: [Attribute(name: "scan", type: .data, isOptional: true)]
      ),
    ]
    body(&entities)
    return Schema(version: SchemaVersion(version, 0, 0), entities: entities)
  }

  private func run(
    _ body: (_ store: StoreFixture, _ past: PastFixture) async throws -> Void
  ) async throws {
    try await withPast(Self.schema(1), body)
  }

  /// Uploads a text for a row to come.
  private func upload(
    _ text: String,
    to attribute: String = "body",
    of entity: String = "Doc",
    _ store: StoreFixture
  ) async throws {
    var rest = Substring(text)
    var offset = 0
    while !rest.isEmpty {
      let piece = rest.prefix(4 << 20)
      let request = BlobWriteRequest(
        entity: entity,
        identifier: nil,
        attribute: attribute,
        data: String(piece),
        place: .offset(offset),
        upload: "u"
      )
      try await store.write(.writeBlob(request))
      rest = rest.dropFirst(piece.count)
      offset += piece.utf8.count
    }
  }

  /// Inserts a document whose body is uploaded.
  private func insert(_ name: String, _ text: String, _ store: StoreFixture) async throws {
    try await upload(text, store)
    try await store.insert("Doc", ["name", "body"], "[[\"\(name)\",{\"$upload\":\"u\"}]]")
  }

  private func fetch(_ request: FetchRequest, _ past: PastFixture) async throws -> [[JSONValue]] {
    let catalog = past.store.store.catalog
    let delivered = try await Delivered.reading(.fetch(request), catalog, path: past.path)
    #expect(delivered.errorCode == nil)
    return delivered.rows.compactMap(\.array)
  }

  /// The documents that satisfy a predicate.
  private func find(
    _ predicate: String,
    sort: [SortKey] = [],
    _ past: PastFixture
  ) async throws -> [String] {
    let request = FetchRequest(
      entity: "Doc",
      predicate: try PredicateParser.parse(predicate),
      sort: sort,
      select: ["name"]
    )
    return try await fetch(request, past).compactMap { $0.last?.string }
  }

  private func bodies(_ past: PastFixture) async throws -> [JSONValue] {
    try await fetch(FetchRequest(entity: "Doc", select: ["body"]), past).compactMap(\.last)
  }

  private func read(
    _ identifier: Int64,
    _ attribute: String,
    of entity: String = "Doc",
    _ past: PastFixture
  ) async throws -> String {
    let request = BlobReadRequest(entity: entity, identifier: identifier, attribute: attribute)
    let catalog = past.store.store.catalog
    let delivered = try await Delivered.reading(.readBlob(request), catalog, path: past.path)
    #expect(delivered.errorCode == nil)
    return delivered.rows.compactMap { $0.array?.last?.string }.joined()
  }

  private func declaredType(_ column: String, _ past: PastFixture) throws -> String? {
    let sql = "SELECT type FROM pragma_table_info('e_Doc') WHERE name = '\(column)'"
    guard case .text(let type)? = try rows(sql, in: past.path).first?.first else { return nil }
    return type
  }

  /// The number of values outside of rows that aren't only for the history.
  private func chunks(_ past: PastFixture) throws -> Int64 {
    try past.count(
      """
      SELECT count(DISTINCT blob) FROM x_Doc \
      WHERE blob NOT IN (SELECT blob FROM depot_history_value)
      """
    )
  }

  private static let reference = JSONValue.object(["$length": .int64(Int64(large.utf8.count))])

  @Test func `a column holds values beside references, and both are found and sorted`()
    async throws
  {
    try await run { store, past in
      try await store.insert("Doc", ["name", "body"], #"[["a","small"],["b","needle"]]"#)
      #expect(try declaredType("a_body", past) == "TEXT")
      try await insert("c", Self.large, store)
      try await store.insert("Doc", ["name"], #"[["d"]]"#)
      #expect(try declaredType("a_body", past) == "ANY")
      #expect(
        try await bodies(past) == [
          .string("small"), .string("needle"), Self.reference, .string(""),
        ]
      )
      #expect(try await find("body CONTAINS 'needle'", past) == ["b", "c"])
      #expect(try await find("body == 'small' OR body ENDSWITH 'needle'", past) == ["a", "b", "c"])
      #expect(try await find("length(body) > 100000", past) == ["c"])
      #expect(try await find("body != nil AND body > 'g'", past) == ["a", "b", "c"])
      let byBody = try await find("$id > 0", sort: [SortKey("body")], past)
      #expect(byBody == ["d", "c", "b", "a"])
      #expect(try await read(3, "body", past) == Self.large)
      #expect(try await read(1, "body", past) == "small")
      let whole = try await fetch(FetchRequest(entity: "Doc"), past)
      #expect(
        whole.map { $0[4] } == [.string("small"), .string("needle"), Self.reference, .string("")]
      )
      await store.close()
      let again = try StoreFixture(StoreConfiguration(path: past.path))
      #expect(again.store.catalog.schema == store.store.catalog.schema)
      let reopened = PastFixture(store: again, path: past.path)
      #expect(try await find("body CONTAINS 'needle'", reopened) == ["b", "c"])
      #expect(try await read(3, "body", reopened) == Self.large)
      await again.close()
    }
  }

  @Test func `texts that look like references are none`() async throws {
    try await run { store, past in
      try await insert("a", Self.large, store)
      try await store.insert("Doc", ["name", "body"], #"[["b","1:5:ff"],["c","1"],["d","1:x"]]"#)
      try await store.update("Doc", [2], ["body"], #"["1:6:ff"]"#)
      try await store.update("Doc", [3], ["body"], #"["2"]"#)
      try await store.call("delete", #"{"entity":"Doc","ids":[4]}"#)
      #expect(try chunks(past) == 1)
      #expect(try await read(1, "body", past) == Self.large)
      #expect(try await bodies(past) == [Self.reference, .string("1:6:ff"), .string("2")])
      try await upload("AQID", to: "image", store)
      try await store.update("Doc", [2, 3], ["image"], #"[{"$upload":"u"}]"#)
      #expect(try chunks(past) == 1)
      try await store.update("Doc", [1], ["body"], #"["short"]"#)
      try await store.call("delete", #"{"entity":"Doc","ids":[2]}"#)
      #expect(try chunks(past) == 0)
      let images = try await fetch(FetchRequest(entity: "Doc", select: ["image"]), past)
      #expect(images.compactMap(\.last) == [.null, .string("AQID")])
    }
  }

  @Test func `the history has small values, and an undo sets them again`() async throws {
    try await run { store, past in
      try await store.insert("Doc", ["name", "body"], #"[["a","small"]]"#)
      let token = try past.head()
      try await upload(Self.large, store)
      #expect(try past.head() == token)
      try await store.update("Doc", [1], ["body"], #"[{"$upload":"u"}]"#)
      let change = try PastFixture.texts(past.history().last)
      #expect(change.count == 1)
      #expect(change.first?.contains("small") == true, "\(change)")
      #expect(change.first?.contains("{\"$length\":\(Self.large.utf8.count)}") == true)
      try await store.call("undo", "{}")
      #expect(try await bodies(past) == [.string("small")])
      #expect(try chunks(past) == 0)
      try await store.call("redo", "{}")
      #expect(try await read(1, "body", past) == Self.large)
      try await store.call("undo", "{}")
      try await store.call("undo", "{\"token\":\"\(token)\"}")
      #expect(try await bodies(past) == [])
    }
  }

  @Test(arguments: ["name", "code", "words", "pair", "upper"])
  func `what an index needs is refused`(_ attribute: String) async throws {
    try await run { store, past in
      let error = await store.code { try await upload("AQID", to: attribute, store) }
      #expect(error?.code == .valueTooLarge)
      let reason = "Doc.\(attribute) is derived, unique, or in an index"
      #expect(error?.message.contains(reason) == true)
      let type = try declaredType("a_\(attribute)", past)
      #expect(type == (attribute == "pair" ? "BLOB" : "TEXT"))
    }
  }

  @Test func `parts of composites and attributes of subentities have them too`() async throws {
    try await run { store, past in
      try await upload("AQIDBA==", to: "home.plan", of: "Page", store)
      try await store.insert("Page", ["name", "home.plan"], #"[["p",{"$upload":"u"}]]"#)
      try await upload("AQI=", to: "scan", of: "Page", store)
      try await store.update("Page", [1], ["scan"], #"[{"$upload":"u"}]"#)
      #expect(try declaredType("a_home.plan", past) == "ANY")
      #expect(try declaredType("a_Page:scan", past) == "ANY")
      #expect(try await read(1, "home.plan", of: "Page", past) == "AQIDBA==")
      #expect(try await read(1, "scan", of: "Page", past) == "AQI=")
      let rows = try await fetch(FetchRequest(entity: "Page", select: ["home", "scan"]), past)
      #expect(rows.compactMap(\.last) == [.string("AQI=")])
    }
  }

  @Test func `a value is written in parts, and one that fits is in its row again`() async throws {
    try await run { store, past in
      try await store.insert("Doc", ["name", "body"], #"[["a","one "]]"#)
      func write(_ data: String, _ rest: String) async throws {
        let target = #""entity":"Doc","id":1,"attribute":"body""#
        try await store.call("blob.write", "{\(target),\"data\":\"\(data)\"\(rest)}")
      }
      try await write("two", #","append":true"#)
      #expect(try await bodies(past) == [.string("one two")])
      #expect(try chunks(past) == 0)
      let piece = String(repeating: "x", count: 5 << 20)
      for _ in 0..<2 { try await write(piece, #","append":true"#) }
      #expect(try await bodies(past) == [.object(["$length": .int64((10 << 20) + 7)])])
      #expect(try chunks(past) == 1)
      try await write("!", #","offset":3,"truncate":true"#)
      #expect(try await bodies(past) == [.string("one!")])
      try await write("new", "")
      #expect(try await bodies(past) == [.string("new")])
      #expect(try chunks(past) == 0)
    }
  }

  private func migrate(
    _ store: StoreFixture,
    _ version: Int,
    _ body: @escaping (inout [Entity]) -> Void
  ) async throws {
    for isDryRun in [true, false] {
      let schema = Self.schema(version, body)
      try await store.write(.defineSchema(schema, isDryRun: isDryRun, MigrationOptions()))
    }
  }

  @Test func `migrations keep them, rename them, and move them out`() async throws {
    try await run { store, past in
      try await store.insert("Doc", ["name", "body"], #"[["a","small"]]"#)
      try await insert("b", Self.large, store)
      try await migrate(store, 2) {
        $0[0].attributes[1].name = "content"
        $0[0].attributes[1].originalName = "body"
        $0[0].attributes.append(Attribute(name: "rank", type: .int64, defaultValue: .int64(1)))
      }
      #expect(try declaredType("a_content", past) == "ANY")
      #expect(try await find("content CONTAINS 'needle' AND rank == 1", past) == ["b"])
      #expect(try await read(2, "content", past) == Self.large)
      // All rows are written anew.
      try await migrate(store, 3) {
        $0[0].attributes[1].name = "content"
        $0[0].attributes[2].isOptional = false
        $0[0].attributes[2].defaultValue = .data(Data([1]))
      }
      #expect(try await read(2, "content", past) == Self.large)
      #expect(try await read(1, "content", past) == "small")
      #expect(try chunks(past) == 1)
      let refused = await store.code {
        try await migrate(store, 4) {
          $0[0].attributes[1].name = "content"
          $0[0].attributes[1].isIndexed = true
        }
      }
      #expect(refused?.message.contains("needle") == false)
      #expect(try declaredType("a_content", past) == "ANY")
      try await migrate(store, 5) {
        $0[0].attributes[1].name = "content"
        $0[0].attributes[1].options = .externalStorage
      }
      #expect(try await read(2, "content", past) == Self.large)
      #expect(try await read(1, "content", past) == "small")
      #expect(try chunks(past) == 2)
    }
  }

  @Test func `an index is made when no value is outside its row`() async throws {
    try await run { store, past in
      try await insert("a", Self.large, store)
      let schema = Self.schema(1) { $0[0].attributes[1].isIndexed = true }
      let refused = await store.code {
        try await store.write(.defineSchema(schema, isDryRun: false, MigrationOptions()))
      }
      #expect(refused?.code == .valueTooLarge)
      #expect(refused?.message.contains("Doc.body can't be unique or in an index: 1 value") == true)
      #expect(try await read(1, "body", past) == Self.large)
      try await store.update("Doc", [1], ["body"], #"["short"]"#)
      try await store.write(.defineSchema(schema, isDryRun: false, MigrationOptions()))
      #expect(try declaredType("a_body", past) == "TEXT")
      #expect(try past.count("SELECT count(*) FROM sqlite_schema WHERE name = 'x_Doc'") == 0)
      #expect(try await find("body == 'short'", past) == ["a"])
      let again = await store.code { try await upload("x", store) }
      #expect(again?.code == .valueTooLarge)
    }
  }

  @Test func `writes that wait together all see the widened column`() async throws {
    try await run { store, past in
      let upload = BlobWriteRequest(
        entity: "Doc",
        identifier: nil,
        attribute: "body",
        data: "large",
        upload: "u"
      )
      func insert(_ row: String) throws -> DepotProtocol.Operation {
        try Operation("insert", #"{"entity":"Doc","columns":["name","body"],"rows":[\#(row)]}"#)
      }
      let results = await store.write([
        try insert(#"["a","1"]"#), .writeBlob(upload), try insert(#"["b",{"$upload":"u"}]"#),
        try insert(#"["c","2"]"#),
      ])
      for result in results { #expect(throws: Never.self) { try result.get() } }
      #expect(try await bodies(past) == [.string("1"), .string("large"), .string("2")])
    }
  }
}
