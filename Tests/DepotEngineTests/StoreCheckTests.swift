import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

/// What a full check finds about relationships that were changed behind the store's back.
@Suite struct StoreCheckTests {
  @Test(arguments: [
    (
      "DELETE FROM e_Tag",
      "Country.tags of 1 leads to Tag/1, which doesn't exist."
    ),
    (
      #"DELETE FROM "j_Country.allies" WHERE source = 1"#,
      "Country.allies of 2 leads to Country/1, but not back."
    ),
    (
      "DELETE FROM e_Country WHERE id = 3",
      "City.country of 3 leads to Country/3, which doesn't exist."
    ),
  ])
  func `damage is named`(sql: String, problem: String) async throws {
    try await withStore(.world) { store, path in
      try await store.insert("Country", ["name"], #"[["a"],["b"],["c"]]"#)
      try await store.insert("City", ["name", "country"], #"[["x",2],["y",2],["z",3]]"#)
      try await store.insert("Tag", ["name"], #"[["p"]]"#)
      try await store.update("Country", [1], ["tags", "allies", "capital"], "[[1],[2],2]")
      let before = try await store.problems(path)
      #expect(before == [])
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute(sql)
      }
      #expect(try Store.check(path: path) == [problem])
    }
  }

  @Test func `rows of no entity are named`() async throws {
    let schema = Schema(entities: [
      Entity(name: "Trip", attributes: [Attribute(name: "name", type: .string)]),
      Entity(name: "Flight", parent: "Trip", attributes: []),
    ])
    try await withStore(schema) { store, path in
      try await store.insert("Trip", ["name"], #"[["a"],["b"]]"#)
      try await store.insert("Flight", ["name"], #"[["c"]]"#)
      let before = try await store.problems(path)
      #expect(before == [])
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute("UPDATE e_Trip SET kind = 9 WHERE id = 2")
      }
      #expect(try Store.check(path: path) == ["Trip/2 is of no entity."])
    }
  }
}
