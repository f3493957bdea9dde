import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

@Suite struct BlobTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Photo",
      attributes: [
        Attribute(name: "name", type: .string, isOptional: true),
        Attribute(name: "image", type: .data, isOptional: true, options: .externalStorage),
        Attribute(
          name: "text",
          type: .string,
          defaultValue: .string("none"),
          options: .externalStorage
        ),
        Attribute(
          name: "short",
          type: .string,
          isOptional: true,
          options: .externalStorage,
          validation: Attribute.Validation(maxLength: 5)
        ),
        Attribute(name: "size", type: .int64, isOptional: true, derivation: "image.$length"),
      ]
    ),
    Entity(
      name: "Scan",
      parent: "Photo",
      attributes: [Attribute(name: "raw", type: .data, isOptional: true, options: .externalStorage)]
    ),
  ])

  private func run(_ body: (SpecialFixture) async throws -> Void) async throws {
    try await SpecialFixture.run(Self.schema, body)
  }

  private func insert(_ store: SpecialFixture, _ image: [UInt8], _ text: String) async throws {
    let request = InsertRequest(
      entity: "Photo",
      columns: ["image", "text"],
      rows: RowBatch([[.data(Data(image)), .string(text)]])
    )
    try await store.writer.write(.insert(request))
  }

  /// Writes a part of a value, as one connection or another.
  @discardableResult
  private func write(_ store: SpecialFixture, _ json: String) async throws -> Int {
    try #require(Int(try await store.write("blob.write", json)["length"]?.int64 ?? -1))
  }

  /// Reads a value through a reader's thread.
  private func read(
    _ store: SpecialFixture,
    _ request: BlobReadRequest
  ) async throws -> (bytes: [UInt8], frames: [JSONValue]) {
    let delivered = try await Delivered.reading(
      .readBlob(request),
      store.catalog,
      path: store.path
    )
    if let code = delivered.errorCode {
      throw DepotError(code == "request.usage" ? .usage : .bug, code)
    }
    var bytes: [UInt8] = []
    let isText = delivered.frames.first?["columns"]?.array?.last?.string == "text"
    for row in delivered.rows.compactMap(\.array) {
      #expect(row[0].int64 == Int64(request.offset + bytes.count))
      let piece = row[2].string ?? ""
      let more = isText ? Array(piece.utf8) : Array(Data(base64Encoded: piece) ?? Data())
      #expect(row[1].int64 == Int64(more.count))
      bytes += more
    }
    return (bytes, delivered.frames)
  }

  /// The number of chunks that aren't only for the history.
  private func chunks(_ store: SpecialFixture) throws -> Int64 {
    let sql = """
      SELECT count(*) FROM x_Photo WHERE blob NOT IN (SELECT blob FROM depot_history_value)
      """
    guard case .integer(let count) = try rows(sql, in: store.path)[0][0] else { return -1 }
    return count
  }

  @Test func `a row tells the length, and the value where it is named`() async throws {
    try await run { store in
      try await insert(store, [1, 2, 3], "Grüße")
      let row = try store.rows(FetchRequest(entity: "Photo"))[0]
      #expect(row[4] == .object(["$length": .int64(3)]))
      #expect(row[5] == .object(["$length": .int64(7)]))
      #expect(row[6] == .null)
      let named = try store.rows(
        FetchRequest(entity: "Photo", select: ["image", "text", "text.$length", "size"])
      )[0]
      #expect(named[2...].map { $0 } == [.string("AQID"), .string("Grüße"), .int64(7), .int64(3)])
      let got = try store.frames(
        .get(GetRequest(entity: "Photo", identifiers: [1], select: ["text"]))
      )
      #expect(got[0]["ok"]?["rows"]?.array?[0].array?.last == .string("Grüße"))
      #expect(try store.find("Photo", "image.$length == 3 AND text == 'Grüße'") == [1])
      #expect(
        try store.find("Photo", "short == nil AND image != nil AND text CONTAINS 'üß'") == [1]
      )
      #expect(try store.find("Photo", "short.$length == nil") == [1])
      #expect(throws: DepotError.self) { try store.find("Photo", "name.$length == 1") }
    }
  }

  @Test func `chunks go with what refers to them`() async throws {
    try await run { store in
      try await insert(store, Array(repeating: 7, count: 200_000), "a")
      try await store.write(
        "insert",
        "{\"entity\":\"Photo\",\"columns\":[\"name\"],\"rows\":[[\"x\"],[\"y\"]]}"
      )
      // Four chunks of the image, and one of each text, which is the default in two rows.
      #expect(try chunks(store) == 7)
      try await store.write(
        "update",
        "{\"entity\":\"Photo\",\"where\":\"$id > 1\",\"set\":{\"image\":\"AQ==\"}}"
      )
      #expect(try chunks(store) == 9)
      try await store.write(
        "update",
        "{\"entity\":\"Photo\",\"ids\":[2],\"set\":{\"image\":\"AgM=\"}}"
      )
      let images = try store.rows(
        FetchRequest(
          entity: "Photo",
          predicate: try PredicateParser.parse("$id > 1"),
          select: ["image"]
        )
      )
      #expect(images.map { $0.last } == [.string("AgM="), .string("AQ==")])
      try await store.write("update", "{\"entity\":\"Photo\",\"ids\":[1],\"set\":{\"image\":null}}")
      #expect(try chunks(store) == 5)
      try await store.write("delete", "{\"entity\":\"Photo\",\"ids\":[1,3]}")
      #expect(try chunks(store) == 2)
      await #expect(throws: DepotError.self) {
        try await store.write(
          "update",
          "{\"entity\":\"Photo\",\"ids\":[2,99],\"set\":{\"text\":\"z\"}}"
        )
      }
      #expect(try chunks(store) == 2)
      await store.writer.close()
      #expect(try Store.check(path: store.path) == [])
    }
  }

  @Test func `rejected rows leave nothing behind`() async throws {
    try await run { store in
      try await store.write(
        "insert",
        """
        {"entity":"Photo","columns":["text","short"],"rejects":true,
         "rows":[["a","ok"],["b","too long"],["c",null]]}
        """
      )
      #expect(try store.rows(FetchRequest(entity: "Photo")).count == 2)
      #expect(try chunks(store) == 3)
    }
  }

  @Test func `any sequence of writes gives what it gives in memory`() async throws {
    var random = ValueGenerator(seed: 5)
    try await run { store in
      try await store.write(
        "insert",
        "{\"entity\":\"Scan\",\"columns\":[\"name\"],\"rows\":[[\"x\"]]}"
      )
      var model: [UInt8]?
      for number in 0..<120 {
        let count = random.pick([0, 1, 100, 65_535, 65_536, 65_537, 140_000])
        let seed = UInt8(truncatingIfNeeded: number)
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) &+ seed }
        let data = Data(bytes).base64EncodedString()
        let target = "\"entity\":\"Scan\",\"id\":1,\"attribute\":\"raw\",\"data\":\"\(data)\""
        let length: Int
        switch random.int(0...9) {
        case 0:
          length = try await write(store, "{\(target)}")
          model = bytes
        case 1...3:
          length = try await write(store, "{\(target),\"append\":true}")
          model = (model ?? []) + bytes
        case 4 where model != nil:
          try await store.write(
            "update",
            "{\"entity\":\"Scan\",\"ids\":[1],\"set\":{\"raw\":null}}"
          )
          model = nil
          length = 0
        default:
          let offset = random.int(0...(model?.count ?? 0))
          let truncates = random.chance(1, in: 3)
          length = try await write(
            store,
            "{\(target),\"offset\":\(offset)\(truncates ? ",\"truncate\":true" : "")}"
          )
          var value = model ?? []
          let end = min(offset + count, value.count)
          value.replaceSubrange(offset..<end, with: bytes)
          if truncates { value.removeSubrange((offset + count)...) }
          model = value
        }
        #expect(length == model?.count ?? 0)
        let total = model?.count ?? 0
        let start = random.int(0...total)
        let wanted = random.chance(1, in: 3) ? nil : random.int(0...150_000)
        let request = BlobReadRequest(
          entity: "Scan",
          identifier: 1,
          attribute: "raw",
          offset: start,
          length: wanted
        )
        let found = try await read(store, request)
        let expected = Array((model ?? []).dropFirst(start).prefix(wanted ?? .max))
        #expect(found.bytes == expected, "\(number)")
        #expect(
          found.frames.last?["ok"]?["length"] == (model.map { .int64(Int64($0.count)) } ?? .null)
        )
      }
      await store.writer.close()
      #expect(try Store.check(path: store.path) == [])
    }
  }

  @Test func `an upload is seen when it is complete, and its version grows once`() async throws {
    try await run { store in
      try await insert(store, [1], "old")
      func part(_ data: String, _ rest: String) -> String {
        """
        {"entity":"Photo","id":1,"attribute":"text","data":"\(data)","upload":"u"\(rest)}
        """
      }
      func text() throws -> JSONValue? {
        try store.rows(FetchRequest(entity: "Photo", select: ["text"]))[0].last
      }
      #expect(try await write(store, part("ab", "")) == 2)
      #expect(try await write(store, part("cd", ",\"offset\":2")) == 4)
      #expect(try text() == .string("old"))
      let gap = await #expect(throws: DepotError.self) {
        try await write(store, part("x", ",\"offset\":9"))
      }
      #expect(gap?.code == .usage)
      let version = try store.rows(FetchRequest(entity: "Photo"))[0][1].int64
      #expect(try await write(store, part("ef", ",\"final\":true")) == 6)
      #expect(try text() == .string("abcdef"))
      let after = try store.rows(FetchRequest(entity: "Photo"))[0][1].int64
      #expect(after == version.map { $0 + 1 })
      // What isn't finished goes with the connection, or when the store is opened.
      _ = try await write(store, part("never", ""))
      #expect(try chunks(store) == 3)
      await store.writer.close()
      let again = try StoreFixture(StoreConfiguration(path: store.path))
      #expect(try chunks(store) == 2)
      await again.close()
      #expect(try Store.check(path: store.path) == [])
    }
  }

  @Test func `texts are cut where characters are`() async throws {
    try await run { store in
      let text = String(repeating: "aß🎉", count: 30_000)
      try await insert(store, [], text)
      func request(_ offset: Int, _ length: Int?) -> BlobReadRequest {
        BlobReadRequest(
          entity: "Photo",
          identifier: 1,
          attribute: "text",
          offset: offset,
          length: length
        )
      }
      let whole = try await read(store, request(0, nil))
      #expect(whole.bytes == Array(text.utf8))
      #expect(whole.frames.count > 3)
      #expect(try await read(store, request(1, 6)).bytes == Array("ß🎉".utf8))
      for (offset, length) in [(2, 5), (1, 5), (0, 2)] {
        await #expect(throws: DepotError.self) { try await read(store, request(offset, length)) }
      }
      await #expect(throws: DepotError.self) {
        try await write(
          store,
          "{\"entity\":\"Photo\",\"id\":1,\"attribute\":\"text\",\"offset\":2,\"data\":\"x\"}"
        )
      }
    }
  }

  @Test func `what can't be written or read is refused`() async throws {
    try await run { store in
      try await insert(store, [1], "a")
      let cases: [(String, DepotError.Code)] = [
        ("{\"entity\":\"Photo\",\"id\":9,\"attribute\":\"image\",\"data\":\"\"}", .objectNotFound),
        ("{\"entity\":\"Photo\",\"id\":1,\"attribute\":\"size\",\"data\":\"\"}", .usage),
        ("{\"entity\":\"Photo\",\"id\":1,\"attribute\":\"nam\",\"data\":\"\"}", .unknownAttribute),
        ("{\"entity\":\"Photo\",\"id\":1,\"attribute\":\"image\",\"data\":\"!\"}", .type),
        (
          "{\"entity\":\"Photo\",\"id\":1,\"attribute\":\"image\",\"offset\":2,\"data\":\"\"}",
          .usage
        ),
        ("{\"entity\":\"Photo\",\"id\":1,\"attribute\":\"image\",\"final\":true}", .usage),
        (
          "{\"entity\":\"Photo\",\"id\":1,\"attribute\":\"image\",\"append\":true,\"offset\":1}",
          .usage
        ),
        (
          "{\"entity\":\"Photo\",\"id\":1,\"attribute\":\"short\",\"data\":\"123456\"}",
          DepotError.Code.length
        ),
      ]
      for (json, code) in cases {
        let error = await #expect(throws: DepotError.self) { try await write(store, json) }
        #expect(error?.code == code, "\(json): \(error?.message ?? "")")
      }
      #expect(try chunks(store) == 2)
    }
  }

  @Test func `a value that is too large for a row is read in parts`() async throws {
    try await run { store in
      try await insert(store, [], "a")
      let part = String(repeating: "x", count: 3 << 20)
      for _ in 0..<3 {
        try await write(
          store,
          "{\"entity\":\"Photo\",\"id\":1,\"attribute\":\"text\",\"append\":true,\"data\":\"\(part)\"}"
        )
      }
      let frames = try store.frames(
        .get(GetRequest(entity: "Photo", identifiers: [1], select: ["text"]))
      )
      let value = frames.last?["ok"]?["rows"]?.array?.first?.array?.last
      #expect(value?["$length"]?.int64 ?? 0 > 9_000_000)
      #expect(try store.find("Photo", "text.$length > 9000000 AND text != nil") == [1])
    }
  }

  @Test func `a missing chunk is noticed, and one of another value by the check`() async throws {
    try await run { store in
      try await insert(store, Array(repeating: 1, count: 100_000), "a")
      await store.writer.close()
      let connection = try Connection(path: store.path, access: .writer)
      try connection.execute(
        "UPDATE \"x_Photo\" SET data = zeroblob(65536) WHERE chunk = 0 AND blob = 1"
      )
      _ = try connection.checkpoint(.truncate)
      let astray = try #require(try Store.check(path: store.path))
      #expect(astray.contains { $0.contains("Photo/1") && $0.contains("another value") })
      try connection.execute("DELETE FROM \"x_Photo\" WHERE chunk = 0 AND blob = 1")
      let request = BlobReadRequest(entity: "Photo", identifier: 1, attribute: "image")
      await #expect(throws: DepotError.self) { try await read(store, request) }
      _ = try connection.checkpoint(.truncate)
      let problems = try #require(try Store.check(path: store.path))
      #expect(problems.contains { $0.contains("Photo/1") && $0.contains("missing") })
    }
  }
}
