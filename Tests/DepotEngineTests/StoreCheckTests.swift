import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

/// What a full check finds about relationships that were changed behind the store's back.
@Suite struct StoreCheckTests {
  @Test(arguments: [
    (
      #"UPDATE "j_Country.tags" SET source_order = 5"#,
      "The stored link Country.tags 1-1 is damaged."
    ),
    (
      "DELETE FROM e_Tag",
      "Country.tags of 1 leads to Tag/1, which doesn't exist."
    ),
    (
      #"DELETE FROM "j_Country.allies" WHERE source = 1"#,
      "Country.allies of 2 leads to Country/1, but not back."
    ),
    (
      "UPDATE e_City SET r_capitalOf = 2 WHERE id = 2",
      "The stored row City/2 is damaged."
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
}
