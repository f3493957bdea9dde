import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// Values outside of their rows that the history keeps, so that an undo or a redo has them.
@Suite struct KeptValueTests {
  private static func schema(
    _ version: Int = 1,
    history: HistoryPolicy? = nil,
    _ body: (inout [Entity]) -> Void = { _ in }
  ) -> Schema {
    var entities = [
      Entity(
        name: "Doc",
        attributes: [
          Attribute(name: "name", type: .string),
          Attribute(name: "body", type: .string, defaultValue: .string("")),
          Attribute(name: "scan", type: .data, isOptional: true, options: .externalStorage),
          Attribute(name: "size", type: .int64, isOptional: true),
        ],
        history: history
      )
    ]
    body(&entities)
    return Schema(version: SchemaVersion(version, 0, 0), entities: entities)
  }

  private static let piece = String(repeating: "grün ", count: 700_000)
  private static let large = piece + piece + piece

  /// Writes a text of three pieces.
  private func write(_ identifier: Int64, _ store: StoreFixture) async throws {
    for number in 0..<3 {
      let request = BlobWriteRequest(
        entity: "Doc",
        identifier: identifier,
        attribute: "body",
        data: Self.piece,
        place: .offset(number * Self.piece.utf8.count),
        upload: "u",
        isFinal: number == 2
      )
      try await store.write(.writeBlob(request))
    }
  }

  private func read(
    _ identifier: Int64,
    of attribute: String = "body",
    _ past: PastFixture
  ) async throws -> String? {
    let request = BlobReadRequest(entity: "Doc", identifier: identifier, attribute: attribute)
    let catalog = past.store.store.catalog
    let delivered = try await Delivered.reading(.readBlob(request), catalog, path: past.path)
    if delivered.errorCode != nil { return nil }
    return delivered.rows.compactMap { $0.array?.last?.string }.joined()
  }

  private func kept(_ past: PastFixture) throws -> Int64 {
    try past.count("SELECT count(*) FROM depot_history_value")
  }

  private func chunks(_ past: PastFixture) throws -> Int64 {
    try past.count("SELECT count(*) FROM \"x_Doc\"")
  }

  @Test func `a large value is undone and done again, and so is its row`() async throws {
    try await withPast(Self.schema()) { store, past in
      try await store.insert("Doc", ["name", "body"], #"[["a","small"]]"#)
      try await write(1, store)
      for _ in 0..<2 {
        try await store.call("undo", "{}")
        #expect(try await read(1, past) == "small")
        try await store.call("redo", "{}")
        #expect(try await read(1, past) == Self.large)
      }
      try await store.call("delete", #"{"entity":"Doc","ids":[1]}"#)
      #expect(try kept(past) == 1)
      try await store.call("undo", "{}")
      #expect(try await read(1, past) == Self.large)
      #expect(try kept(past) == 0)
      try await store.call("undo", "{}")
      try await store.call("undo", "{}")
      #expect(try await read(1, past) == nil)
      for _ in 0..<2 { try await store.call("redo", "{}") }
      #expect(try await read(1, past) == Self.large)
    }
  }

  @Test func `the transactions of a group give their values back in turn`() async throws {
    try await withPast(Self.schema()) { store, past in
      try await store.insert("Doc", ["name", "scan"], #"[["a","AQID"],["b","BAUG"]]"#)
      for scan in ["\"BwgJ\"", "null", "\"CgsM\""] {
        let rows = #"[[1,\#(scan)],[2,\#(scan)]]"#
        let arguments = #"{"update":[{"entity":"Doc","columns":["$id","scan"],"rows":\#(rows)}]}"#
        _ = try await store.write([try Operation("save", arguments)], group: "g")[0].get()
      }
      for _ in 0..<2 {
        try await store.call("undo", #"{"group":"g"}"#)
        #expect(try await read(1, of: "scan", past) == "AQID")
        #expect(try await read(2, of: "scan", past) == "BAUG")
        try await store.call("redo", #"{"group":"g"}"#)
        #expect(try await read(2, of: "scan", past) == "CgsM")
      }
    }
  }

  @Test func `a large value that is cut off can be had again`() async throws {
    try await withPast(Self.schema()) { store, past in
      try await store.insert("Doc", ["name"], #"[["a"]]"#)
      try await write(1, store)
      let cut = #"{"entity":"Doc","id":1,"attribute":"body","data":"!","offset":4,"truncate":true}"#
      try await store.call("blob.write", cut)
      #expect(try await read(1, past) == "grü!")
      try await store.call("undo", "{}")
      #expect(try await read(1, past) == Self.large)
    }
  }

  @Test func `bytes that were written over are gone, which an undo says`() async throws {
    try await withPast(Self.schema()) { store, past in
      try await store.insert("Doc", ["name"], #"[["a"]]"#)
      try await write(1, store)
      let more = #"{"entity":"Doc","id":1,"attribute":"body","data":"!","append":true}"#
      try await store.call("blob.write", more)
      let error = await store.code { try await store.call("undo", "{}") }
      #expect(error?.code == .historyNoValues)
      #expect(error?.message.contains("Doc/1.body had a value of 12600000 bytes") == true)
      #expect(try await read(1, past) == Self.large + "!")
    }
  }

  @Test(arguments: [HistoryPolicy.names, .none])
  func `a history without values keeps none`(_ policy: HistoryPolicy) async throws {
    try await withPast(Self.schema(history: policy)) { store, past in
      try await store.insert("Doc", ["name", "scan"], #"[["a","AQID"],["b","BAUG"]]"#)
      try await store.update("Doc", [1], ["scan"], "[null]")
      try await store.call("delete", #"{"entity":"Doc","ids":[2]}"#)
      #expect(try kept(past) == 0)
      #expect(try chunks(past) == 0)
    }
  }

  @Test func `migrations keep them with their tables`() async throws {
    try await withPast(Self.schema()) { store, past in
      try await store.insert("Doc", ["name", "scan"], #"[["a","AQID"],["b","BAUG"]]"#)
      try await store.update("Doc", [1, 2], ["scan"], "[null]")
      let token = try past.head()
      func migrate(_ version: Int, _ body: @escaping (inout [Entity]) -> Void) async throws {
        try await store.write(.defineSchema(Self.schema(version, body), isDryRun: false))
      }
      // All rows are written anew.
      func require(_ entity: inout Entity) {
        entity.attributes[3].isOptional = false
        entity.attributes[3].defaultValue = .int64(1)
      }
      try await migrate(2) { require(&$0[0]) }
      #expect(try kept(past) == 2)
      try await store.call("undo", "{\"token\":\"\(token)\"}")
      #expect(try await read(1, of: "scan", past) == "AQID")
      try await store.update("Doc", [1, 2], ["scan"], "[null]")
      try await migrate(3) {
        require(&$0[0])
        $0[0].name = "Paper"
        $0[0].originalName = "Doc"
      }
      #expect(try past.count("SELECT count(*) FROM depot_history_value") == 2)
      #expect(try past.count("SELECT count(*) FROM \"x_Paper\"") == 2)
      try await migrate(4) {
        $0[0].attributes = [$0[0].attributes[0]]
        $0[0].name = "Paper"
      }
      #expect(try past.count("SELECT count(*) FROM sqlite_schema WHERE name = 'x_Paper'") == 0)
    }
  }

  private func purge(_ writer: Writer) throws { while try writer.purgeHistory() {} }

  private func withWriter(
    _ bytes: Int64,
    _ body: (Writer, (String, String) throws -> Void) throws -> Void
  ) async throws {
    try await withStorePath { path in
      var configuration = StoreConfiguration(path: path)
      configuration.history.bytes = bytes
      let writer = try #require(try StoreOpening(configuration, nil).open().writer)
      func run(_ operation: DepotProtocol.Operation) throws {
        let outcome = try writer.run(.test(1, operation, of: 3))[0]
        #expect(outcome.isSuccess, "\(String(decoding: outcome.frame.prefix(1000), as: UTF8.self))")
      }
      try run(.defineSchema(Self.schema(), isDryRun: false))
      try run(Operation("insert", #"{"entity":"Doc","columns":["name"],"rows":[["a"]]}"#))
      try body(writer) { try run(Operation($0, $1)) }
      try writer.close()
    }
  }

  private static let write = #"{"entity":"Doc","id":1,"attribute":"scan","data":""#

  @Test func `they go with the history that needs them`() async throws {
    try await withWriter(1 << 30) { writer, run in
      let data = String(repeating: "AQID", count: 2 << 20)
      func chunks() throws -> Int64? {
        try writer.connection.integer("SELECT count(*) FROM x_Doc")
      }
      for number in 0..<4 {
        let place = #""upload":"u","offset":\#(number * (6 << 20)),"final":\#(number == 3)"#
        try run("blob.write", #"\#(Self.write)\#(data)",\#(place)}"#)
      }
      try run("update", #"{"entity":"Doc","where":{"value":true},"set":{"scan":"AQID"}}"#)
      #expect(try chunks() == 385)
      let updated = try HistoryBounds(on: writer.connection)
      try purge(writer)
      #expect(try chunks() == 385)
      try run("delete", #"{"entity":"Doc","ids":[1]}"#)
      try purge(writer)
      #expect(try chunks() == 385)
      try run("history.delete", "{\"before\":\"\(updated.token(updated.head))\"}")
      try purge(writer)
      #expect(try chunks() == 385)
      let last = try HistoryBounds(on: writer.connection)
      try run("history.delete", "{\"before\":\"\(last.token(last.head))\"}")
      var steps = 0
      while try writer.purgeHistory() { steps += 1 }
      #expect(steps > 1)
      #expect(try chunks() == 1)
      try run("undo", "{}")
      try purge(writer)
      #expect(try chunks() == 1)
      #expect(try writer.connection.integer("SELECT count(*) FROM depot_history_value") == 0)
    }
  }

  @Test func `the oldest go where all are over the limit, before the history does`() async throws {
    try await withWriter(3000) { writer, run in
      let data = String(repeating: "AQID", count: 300)
      for number in 0..<6 { try run("blob.write", #"\#(Self.write)\#(data)\#(number)AA="}"#) }
      let count = "SELECT count(*) FROM depot_history_value"
      #expect(try writer.connection.integer(count) == 5)
      let head = try HistoryBounds(on: writer.connection).oldest
      try purge(writer)
      #expect(try writer.connection.integer(count) == 3)
      #expect(try HistoryBounds(on: writer.connection).oldest == head)
      try run("undo", "{}")
    }
  }

  @Test func `a store of an earlier build keeps values from its next opening on`() async throws {
    try await withStore(Self.schema()) { store, path in
      let past = PastFixture(store: store, path: path)
      try await store.insert("Doc", ["name", "body"], #"[["a","small"]]"#)
      try await write(1, store)
      await store.close()
      do {
        let connection = try Connection(path: past.path, access: .writer)
        try connection.execute("DROP TABLE depot_history_value")
        let values = KeptValues(connection: connection)
        #expect(try !values.areKept)
        #expect(try values.all(of: BlobTable("Doc")).isEmpty)
        #expect(try !values.deleteSome(through: 9, limit: 0))
        _ = try connection.checkpoint(.truncate)
      }
      let next = try StoreFixture(StoreConfiguration(path: past.path))
      try await next.update("Doc", [1], ["body"], #"["short"]"#)
      #expect(try kept(past) == 1)
      await next.close()
      #expect(try Store.check(path: past.path) == [])
    }
  }
}
