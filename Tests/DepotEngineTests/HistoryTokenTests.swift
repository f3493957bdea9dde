import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// The transactions of the history: their tokens, and what is known of them.
@Suite struct HistoryTokenTests {
  @Test func `every write that changes something tells its token`() async throws {
    try await withStore { store, path in
      var tokens: [HistoryToken] = []
      for name in ["a", "b"] {
        let result = try await store.call(
          "insert",
          "{\"entity\":\"Item\",\"columns\":[\"name\"],\"rows\":[[\"\(name)\"]]}"
        )
        tokens.append(try HistoryToken(try #require(result["token"]?.string)))
      }
      let updated = try await store.update("Item", [1], ["size"], "[1]")
      tokens.append(try HistoryToken(try #require(updated["token"]?.string)))
      #expect(tokens == tokens.sorted())
      #expect(Set(tokens).count == 3)
      #expect(tokens.allSatisfy { $0.isOf(store: store.store.storeIdentifier) })
      let none = try await store.call(
        "update",
        #"{"entity":"Item","where":{"value":false},"set":{"size":1}}"#
      )
      #expect(none["token"] == nil)
      #expect(try HistoryFixture(path: path).head() == tokens[2].sequence)
    }
  }

  @Test func `requests that are committed together have transactions of their own`() async throws {
    try await withStore { store, path in
      let operations = (0..<20).map { number in
        DepotProtocol.Operation.insert(
          InsertRequest(
            entity: "Item",
            columns: ["name"],
            rows: RowBatch([[.string("n\(number % 15)")]])
          )
        )
      }
      let results = await store.write(operations, author: "me", group: "g")
      let tokens = results.compactMap { try? $0.get()["token"]?.string }
      #expect(tokens.count == 15)
      #expect(Set(tokens).count == 15)
      let stored = try texts(
        """
        SELECT DISTINCT author, process, connection, grouping, origin FROM depot_history \
        WHERE id = token AND author IS NOT NULL
        """,
        in: path
      )
      #expect(stored == [["me", "test/1", "7", "g", nil]])
      let lines = try HistoryFixture(path: path).lines()
      #expect(lines.filter { $0.hasPrefix("insert Item") }.count == 15)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a repeated write gives its first token and records nothing`() async throws {
    try await withStore { store, path in
      let call = #"{"entity":"Item","columns":["name"],"rows":[["a"]]}"#
      let first = try await store.call("insert", call, key: "k")
      let head = try HistoryFixture(path: path).head()
      let second = try await store.call("insert", call, key: "k")
      #expect(first["token"] != nil)
      #expect(second == first)
      #expect(try HistoryFixture(path: path).head() == head)
    }
  }

  @Test func `each chunk is a transaction, and the last tells its token`() async throws {
    try await withStore { store, path in
      try await store.insert((0..<10).map { [.string("n\($0)"), .int64($0)] })
      let lines = try await store.recorded(path) {
        let result = try await store.call(
          "update",
          #"{"entity":"Item","where":{"value":true},"set":{"size":99},"chunk":4}"#
        )
        let head = try HistoryFixture(path: path).head()
        let token = try HistoryToken(try #require(result["token"]?.string))
        #expect(token.sequence == head)
      }
      #expect(lines.count == 3)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a change of the schema is a transaction of its kind`() async throws {
    try await withStore { store, path in
      var schema = Schema.items
      schema.entities[0].attributes.append(
        Attribute(name: "new", type: .int64, defaultValue: .int64(5))
      )
      try await store.insert([[.string("a"), .int64(1)]])
      let told = try await store.told {
        let result = try await store.write(.defineSchema(schema, isDryRun: false))
        #expect(result["token"] != nil)
        let again = try await store.write(.defineSchema(schema, isDryRun: false))
        #expect(again["token"] == nil)
        var next = schema
        next.entities[0].attributes.append(Attribute(name: "x", type: .int64, isOptional: true))
        let tryOut = try await store.write(.defineSchema(next, isDryRun: true))
        #expect(tryOut["token"] == nil)
      }
      #expect(told.count == 1)
      #expect(told.first?.isSchemaChange == true)
      #expect(told.first?.tables.isEmpty == true)
      let origins = try texts("SELECT origin FROM depot_history ORDER BY id", in: path)
      #expect(origins == [["schema"], [nil], ["schema"]])
      let lines = try await store.recorded(path) {
        try await store.update("Item", [1], ["new"], "[6]")
      }
      #expect(lines == [#"update Item [{"id":1,"v":2,"p":{"new":[5,6]}}]"#])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a change of policy needs no migration and no new hash`() async throws {
    try await withStore { store, path in
      var quiet = Schema.items
      quiet.entities[0].history = HistoryPolicy.none
      #expect(quiet.entities[0].hash(in: quiet) == Schema.items.entities[0].hash(in: .items))
      let result = try await store.write(.defineSchema(quiet, isDryRun: false))
      #expect(result["changes"]?.array == [.string("changed history of Item to none")])
      let lines = try await store.recorded(path) {
        try await store.insert([[.string("a"), .int64(1)]])
      }
      #expect(lines == [""])
    }
  }

  @Test func `identifiers go on where they were`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .int64(1)]])
      let head = try HistoryFixture(path: path).head()
      await store.close()
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute("DELETE FROM depot_history")
        try CatalogTables(connection: connection).set(.historyFloor, head + 10)
        _ = try connection.checkpoint(.truncate)
      }
      let again = try StoreFixture(StoreConfiguration(path: path))
      try await again.insert([[.string("b"), .int64(1)]])
      #expect(try HistoryFixture(path: path).head() == head + 11)
      await again.close()
    }
  }

  @Test func `a time leads to the last transaction before it`() async throws {
    try await withStore { store, path in
      for number in 1...70 {
        let values = (0...number % 3).map { [Value.string("\(number) \($0)"), .int64(1)] }
        try await store.insert(values)
        // A transaction of several rows of the history.
        if number % 9 == 0 { try await store.call("undo", "{}") }
      }
      let connection = try Connection.reader(path: path, isFrozen: false, cacheKiB: 2048)
      let bounds = try HistoryBounds(on: connection)
      let transactions = try rows(
        "SELECT token, at FROM depot_history WHERE id = token ORDER BY id",
        in: path
      ).map { row in
        guard case .integer(let token) = row[0], case .real(let at) = row[1] else {
          throw DepotError(.bug, "This is no transaction.")
        }
        return (token: token, at: bounds.epochs.date(at, of: token))
      }
      #expect(transactions.count >= 70)
      for transaction in transactions {
        for time in [transaction.at, transaction.at.nextUp, transaction.at - 1e-4] {
          let model = transactions.last { $0.at < time }?.token ?? 0
          #expect(try bounds.token(before: time, on: connection) == model)
        }
      }
      #expect(try bounds.token(before: 0, on: connection) == 0)
      #expect(try bounds.token(before: .infinity, on: connection) == bounds.head)
    }
  }

  @Test(arguments: [
    "DELETE FROM depot_history_insert WHERE first = 1",
    "INSERT INTO depot_history_insert VALUES ('Item', 9, 1, 9)",
    "UPDATE depot_history_insert SET last = 0 WHERE first = 1",
    "UPDATE depot_history_insert SET id = -id WHERE first = 1",
    "UPDATE depot_history_insert SET id = id - 1 WHERE first = 1",
  ])
  func `insertions are found by entries made for many at once`(damage: String) async throws {
    try await withStore { store, path in
      let requests = (1...1100).map { number in
        Operation.insert(
          InsertRequest(
            entity: "Item",
            columns: ["name", "size"],
            rows: RowBatch([[.string("\(number)"), .int64(1)]])
          )
        )
      }
      for request in requests { _ = try await store.write(request) }
      let counts = "SELECT count(*) FROM depot_history_insert"
      guard case .integer(let count)? = try rows(counts, in: path).first?.first else {
        throw DepotError(.bug, "There is no count.")
      }
      #expect(4...10 ~= count)
      let past = PastFixture(store: store, path: path)
      for row: Int64 in [1, 2, 511, 512, 513, 1024, 1099, 1100] {
        #expect(try past.inserted(row) == row + 1, "\(row)")
      }
      #expect(try await store.problems(path) == [])
      await store.close()
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute(damage)
      }
      #expect(try Store.check(path: path)?.isEmpty == false)
    }
  }

  @Test(arguments: [
    "UPDATE depot_history SET changes = x'05' WHERE kind = 1",
    "UPDATE depot_history SET changes = x'0100000102'", "UPDATE depot_history SET token = id - 1",
    "INSERT INTO depot_history_row VALUES ('Item', 9, 1)", "DELETE FROM depot_history_row",
  ])
  func `a check finds a damaged history`(sql: String) async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .int64(1)]])
      // So many that they have entries in the index.
      for size in 2...140 { try await store.update("Item", [1], ["size"], "[\(size)]") }
      await store.close()
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute(sql)
      }
      #expect(try Store.check(path: path)?.isEmpty == false)
    }
  }
}

@Suite struct HistoryTokenTextTests {
  @Test func `a token is read as it is written`() throws {
    let store = "3f2b8c01-8d4e-4a10-9c55-0123456789ab"
    let token = HistoryToken(store: store, epoch: 0x0d20_c4e7_a1b2, sequence: 1042)
    #expect(token.description == "3f2b8c01-0d20c4e7a1b2-1042")
    #expect(try HistoryToken("3f2b8c01-0d20c4e7a1b2-1042") == token)
    let last = HistoryToken(store: store, epoch: 1 << 48 - 1, sequence: .max)
    #expect(try HistoryToken(last.description) == last)
    #expect(token.isOf(store: "3f2b8c01-8d4e-4a10-9c55-0123456789ab"))
    #expect(!token.isOf(store: "3f2b8c02-8d4e-4a10-9c55-0123456789ab"))
    #expect(try HistoryToken("3f2b8c01-fd20c4e7a1b2-9") < token)
  }

  @Test func `a token of before there were epochs is read as one of no epoch`() throws {
    let token = try HistoryToken("3f2b8c01-1042")
    #expect(token == HistoryToken(store: "3f2b8c01", sequence: 1042))
    #expect(token.description == "3f2b8c01-1042")
  }

  @Test(arguments: [
    "", "3f2b8c01", "3f2b8c01-", "3f2b8c0-1", "3F2B8C01-1", "3f2b8c01--1", "3f2b8c01-1-2",
    "3f2b8c01-99999999999999999999", "3f2b8c01-+1", "ghijklmn-1", "3f2b8c01-0d20c4e7a1b-1",
    "3f2b8c01-0d20c4e7a1b22-1", "3f2b8c01-0D20C4E7A1B2-1", "3f2b8c01-0d20c4e7a1b2-",
    "3f2b8c01-0d20c4e7a1b2-1-1", "3f2b8c01-+d20c4e7a1b2-1",
  ])
  func `what is no token is refused`(text: String) {
    #expect(throws: DepotError.self) { try HistoryToken(text) }
  }
}
