import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// Uploads that end, writes that fail, and migrations that are refused beside large values.
@Suite struct WidenedColumnFailureTests {
  private static let length = (8 << 20) + 5000

  private static func schema(
    _ version: Int = 1,
    _ body: (inout [Entity]) -> Void = { _ in }
  ) -> Schema {
    var entities = [
      Entity(
        name: "Doc",
        attributes: [
          Attribute(name: "name", type: .string, isOptional: true),
          Attribute(name: "body", type: .string, isOptional: true),
          Attribute(name: "image", type: .data, isOptional: true),
        ]
      ),
      Entity(
        name: "Photo",
        attributes: [
          Attribute(name: "image", type: .data, isOptional: true, options: .externalStorage)
        ]
      ),
    ]
    body(&entities)
    return Schema(version: SchemaVersion(version, 0, 0), entities: entities)
  }

  private static func indexed(_ version: Int = 1) -> Schema {
    schema(version) { $0[0].attributes[1].isIndexed = true }
  }

  private func run(
    _ body: (_ store: StoreFixture, _ past: PastFixture) async throws -> Void
  ) async throws {
    try await withPast(Self.schema()) { store, past in
      try await store.insert("Doc", ["name", "body"], #"[["a","small"],["b",null]]"#)
      try await body(store, past)
    }
  }

  /// Writes a part of an upload of Doc.body; `identifier` is a row that the upload is for.
  private func upload(
    _ text: String,
    at offset: Int = 0,
    of identifier: Int64? = nil,
    _ store: StoreFixture,
    connection: Int64 = 7
  ) async throws {
    let request = BlobWriteRequest(
      entity: "Doc",
      identifier: identifier,
      attribute: "body",
      data: text,
      place: .offset(offset),
      upload: "u"
    )
    _ = try await store.write([.writeBlob(request)], connection: connection)[0].get()
  }

  /// Stores a large value in a row, part by part.
  private func grow(
    _ attribute: String,
    _ store: StoreFixture,
    to length: Int = length
  ) async throws {
    var rest = length
    while rest > 0 {
      let count = min(rest, 3 << 20)
      let text = String(repeating: "a", count: count)
      let request = BlobWriteRequest(
        entity: "Doc",
        identifier: 1,
        attribute: attribute,
        data: attribute == "image" ? Data(text.utf8).base64EncodedString() : text,
        place: .end
      )
      try await store.write(.writeBlob(request))
      rest -= count
    }
  }

  private func define(_ schema: Schema, _ store: StoreFixture) async throws {
    try await store.write(.defineSchema(schema, isDryRun: false, MigrationOptions()))
  }

  private func bodies(_ store: StoreFixture, _ path: String) throws -> [String] {
    try store.read("Doc", in: path, select: ["body"])
  }

  private func reopened(_ path: String) throws -> StoreFixture {
    try StoreFixture(StoreConfiguration(path: path))
  }

  // MARK: - Uploads

  @Test func `an index ends the uploads of its attribute, and no value of others`() async throws {
    try await run { store, past in
      try await upload("part", store, connection: 8)
      try await define(Self.indexed(), store)
      let more = await store.code { try await upload("more", at: 4, store, connection: 8) }
      #expect(more?.code == .valueTooLarge)
      try await grow("image", store)
      #expect(try past.count("SELECT count(*) FROM depot_upload") == 0)
      await store.close()
      let again = try reopened(past.path)
      #expect(try bodies(again, past.path) == [#"["small"]"#, "[null]"])
      #expect(try past.count("SELECT count(*) FROM x_Doc") > 100)
      #expect(try await again.problems(past.path) == [])
    }
  }

  @Test func `a store whose uploads lost their table opens, and keeps the values of rows`()
    async throws
  {
    try await run { store, past in
      try await store.insert("Photo", ["image"], #"[["AQID"]]"#)
      await store.close()
      let connection = try Connection(path: past.path, access: .writer)
      for (name, table) in [("a", "x_Doc"), ("b", "x_Photo")] {
        try connection.execute(
          """
          INSERT INTO depot_upload (connection, name, blobs, target, reference) \
          VALUES (7, '\(name)', '"\(table)"', 'Doc//body', \
          (SELECT a_image FROM e_Photo))
          """
        )
      }
      _ = try connection.checkpoint(.truncate)
      try connection.finish()
      let again = try reopened(past.path)
      #expect(try past.count("SELECT count(*) FROM depot_upload") == 0)
      #expect(try again.read("Photo", in: past.path, select: ["image"]) == [#"["AQID"]"#])
      #expect(try await again.problems(past.path) == [])
    }
  }

  @Test func `a small upload is in its rows, as if they had been written with it`() async throws {
    try await run { store, past in
      try await upload("tiny", store)
      try await store.insert("Doc", ["body"], #"[[{"$upload":"u"}],["x"],[{"$upload":"u"}]]"#)
      #expect(
        try bodies(store, past.path)
          == [#"["small"]"#, "[null]", #"["tiny"]"#, #"["x"]"#, #"["tiny"]"#]
      )
      #expect(try past.count("SELECT count(*) FROM x_Doc") == 0)
      #expect(try past.count("SELECT count(*) FROM depot_upload") == 0)
      try await upload("less", store)
      try await store.update("Doc", [1, 2], ["body"], #"[{"$upload":"u"}]"#)
      #expect(try bodies(store, past.path).prefix(2) == [#"["less"]"#, #"["less"]"#])
      try await store.call("undo", "{}")
      #expect(try bodies(store, past.path).prefix(2) == [#"["small"]"#, "[null]"])
      try await define(Self.indexed(), store)
      #expect(try past.count("SELECT count(*) FROM sqlite_schema WHERE name = 'x_Doc'") == 0)
    }
  }

  @Test func `a small upload is kept until a row takes it`() async throws {
    try await run { store, past in
      try await upload("small", store)
      let refused = await store.code {
        try await store.update("Doc", [1, 9], ["body"], #"[{"$upload":"u"}]"#)
      }
      #expect(refused?.code == .objectNotFound)
      try await store.update("Doc", [1, 2], ["body"], #"[{"$upload":"u"}]"#)
      #expect(try bodies(store, past.path) == [#"["small"]"#, #"["small"]"#])
      #expect(try past.count("SELECT count(*) FROM x_Doc") == 0)
    }
  }

  @Test func `no number of a value is deleted twice`() async throws {
    try await withStorePath { path in
      let connection = try Connection(path: path, access: .writer)
      let blobs = BlobWriter(connection: connection, table: BlobTable("Doc"))
      try connection.execute(
        "CREATE TABLE x_Doc (blob INTEGER, chunk INTEGER, data BLOB, PRIMARY KEY (blob, chunk))"
      )
      for count in [255, 256, 257] {
        let bytes = [UInt8](repeating: 7, count: count * BlobTable.chunkBytes)
        let reference = try bytes.withUnsafeBufferPointer { try blobs.create($0) }
        #expect(try blobs.deleteSome(of: reference.number) == (count > 256))
        try blobs.delete(reference.number)
      }
    }
  }

  // MARK: - Failures

  @Test func `a write that fails changes no column`() async throws {
    try await run { store, past in
      let calls = [
        #""id":99,"attribute":"body","data":"a""#,
        #""id":1,"attribute":"body","data":"a","offset":6"#,
        #""id":1,"attribute":"image","data":"!""#,
        #""id":99,"attribute":"image","data":"AQ==","upload":"u""#,
      ]
      for call in calls {
        let failed = await store.code {
          try await store.call("blob.write", "{\"entity\":\"Doc\",\(call)}")
        }
        #expect(failed != nil)
      }
      #expect(try past.count("SELECT count(*) FROM sqlite_schema WHERE name = 'x_Doc'") == 0)
      let next = try await store.told {
        try await store.call(
          "blob.write",
          #"{"entity":"Doc","id":1,"attribute":"body","data":" text","append":true}"#
        )
      }
      #expect(next.map(\.isSchemaChange) == [true, false])
      #expect(try past.count("SELECT count(*) FROM sqlite_schema WHERE name = 'x_Doc'") == 1)
      #expect(try bodies(store, past.path) == [#"["small text"]"#, "[null]"])
      try await store.call("undo", "{}")
      #expect(try bodies(store, past.path) == [#"["small"]"#, "[null]"])
    }
  }

  @Test func `a derived value is no larger than others`() async throws {
    let schema = Self.schema {
      $0[0].attributes.append(
        Attribute(name: "upper", type: .string, isOptional: true, derivation: "uppercase(body)")
      )
    }
    try await withPast(schema) { store, past in
      try await store.insert("Doc", ["body"], #"[["small"]]"#)
      let refused = await store.code { try await grow("body", store) }
      #expect(refused?.code == .valueTooLarge)
      #expect(refused?.message.contains("of Doc.upper are over the limit") == true)
      #expect(refused?.details?["attribute"] == .string("upper"))
      #expect(refused?.details?["id"] == .int64(1))
      #expect(try past.count("SELECT length(a_upper) FROM e_Doc") == (6 << 20) + 5)
      let piece = String(repeating: "a", count: 13 << 20)
      for index in 0..<5 { try await upload(piece, at: index * piece.utf8.count, store) }
      // Of a source over 64 MiB as much is read.
      let cut = await store.code {
        try await store.update("Doc", [1], ["body"], #"[{"$upload":"u"}]"#)
      }
      #expect(cut?.code == .valueTooLarge)
      #expect(cut?.message.contains("of Doc.upper are over the limit") == true)
    }
  }

  @Test func `a change that is too large for a frame comes with lengths`() async throws {
    try await run { store, past in
      try await grow("image", store, to: 8 << 20)
      try await store.update("Doc", [1], ["image"], #"["AQID"]"#)
      try await store.update("Doc", [1], ["name", "image"], "[\"b\",\"AQ==\"]")
      try await store.call("undo", "{}")
      try await grow("image", store, to: 3)
      let history = try past.history()
      #expect(history.count == 9)
      let grown = history[4]["changes"]?.array?.first
      #expect(grown?["old"]?["image"]?["$length"] == .int64(6 << 20))
      #expect(grown?["new"]?["image"]?["$length"] == .int64(8 << 20))
      #expect(history[8]["changes"]?.array?.first?["new"]?["image"] == .string("AQIDYWFh"))
    }
  }

  // MARK: - Migrations

  @Test func `a stage begins where an index is in the way of a large value`() async throws {
    try await run { store, past in
      try await grow("body", store)
      let refused = await store.code { try await define(Self.indexed(2), store) }
      #expect(refused?.code == .valueTooLarge)
      try await store.write(.beginMigration(MigrationRequest(Self.indexed(2))))
      var configuration = StoreConfiguration(path: StoreCopies.migrating(past.path))
      configuration.isScratch = true
      let copy = try StoreFixture(configuration)
      let early = await copy.code { try await copy.write(.commitMigration(takesBackup: false)) }
      #expect(early?.code == .rowsInTheWay)
      try await copy.update("Doc", [1], ["body"], #"["less"]"#)
      try await copy.write(.commitMigration(takesBackup: false))
      #expect(try bodies(copy, configuration.path) == [#"["less"]"#, "[null]"])
      #expect(try await copy.problems(configuration.path) == [])
    }
  }
}
