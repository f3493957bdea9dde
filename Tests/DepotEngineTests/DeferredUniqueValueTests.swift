import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// Unique values that rows of one save give each other.
@Suite struct DeferredUniqueValueTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Seat",
      attributes: [
        Attribute(name: "number", type: .int64, isUnique: true),
        Attribute(name: "name", type: .string, isOptional: true, isUnique: true),
        Attribute(name: "row", type: .string, isOptional: true),
        Attribute(name: "note", type: .string, isOptional: true, options: .externalStorage),
      ],
      relationships: [
        Relationship(name: "guest", destination: "Guest", inverse: "seats"),
        Relationship(name: "next", destination: "Seat", deleteRule: .cascade),
      ],
      uniques: [["row", "guest"], ["guest", "next"]]
    ),
    Entity(
      name: "Guest",
      attributes: [
        Attribute(name: "weight", type: .double, isOptional: true, isUnique: true),
        Attribute(name: "key", type: .uuid, isOptional: true, isUnique: true),
        Attribute(
          name: "home",
          type: .composite,
          properties: [Attribute(name: "city", type: .string, isUnique: true)],
          isOptional: true
        ),
      ],
      relationships: [
        Relationship(name: "seats", destination: "Seat", inverse: "guest", isToMany: true),
        Relationship(
          name: "guards",
          destination: "Seat",
          isToMany: true,
          deleteRule: .deny
        ),
      ]
    ),
  ])

  private func change(_ entity: String, _ columns: [String], _ rows: String) -> SaveRequest {
    SaveRequest(updates: [
      SaveRequest.Change(entity: entity, columns: ["$id"] + columns, rows: .text(rows))
    ])
  }

  private func insertion(
    _ entity: String,
    _ columns: [String],
    _ rows: String
  ) -> SaveRequest.Insertion {
    SaveRequest.Insertion(entity: entity, columns: columns, rows: .text(rows))
  }

  private func seats(_ path: String) throws -> [[String?]] {
    try texts("SELECT id, a_number, a_name, version FROM e_Seat ORDER BY id", in: path)
  }

  private func fill(_ store: StoreFixture) async throws {
    try await store.insert("Guest", ["weight"], "[[1.5],[2.5],[3.5]]")
    try await store.insert("Seat", ["number", "name"], #"[[1,"a"],[2,"b"],[3,"c"]]"#)
  }

  @Test(arguments: [
    (
      #"[[1,2,"b"],[2,1,"a"]]"#,
      [["1", "2", "b", "2"], ["2", "1", "a", "2"], ["3", "3", "c", "1"]]
    ),
    (
      #"[[1,2,"b"],[2,3,"c"],[3,1,"a"]]"#,
      [["1", "2", "b", "2"], ["2", "3", "c", "2"], ["3", "1", "a", "2"]]
    ),
    (
      #"[[1,2,"b"],[2,3,"c"],[3,4,"d"]]"#,
      [["1", "2", "b", "2"], ["2", "3", "c", "2"], ["3", "4", "d", "2"]]
    ),
    (
      #"[[1,2,"b"],[1,1,"a"],[2,5,null]]"#,
      [["1", "1", "a", "2"], ["2", "5", nil, "2"], ["3", "3", "c", "1"]]
    ),
  ])
  func `rows exchange unique values`(rows: String, wanted: [[String?]]) async throws {
    try await withStore(Self.schema) { store, path in
      try await fill(store)
      let result = try await store.write(.save(change("Seat", ["number", "name"], rows)))
      #expect(result["deleted"] == .int64(0))
      #expect(try seats(path) == wanted)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `values of every form change hands`() async throws {
    try await withStore(Self.schema) { store, path in
      let keys = ["11111111", "22222222"].map { "\($0)-0000-0000-0000-000000000000" }
      try await store.insert(
        "Guest",
        ["weight", "key", "home.city"],
        #"[[1.5,"\#(keys[0])","x"],["NaN","\#(keys[1])","y"]]"#
      )
      let save = change(
        "Guest",
        ["weight", "key", "home.city"],
        #"[[1,"NaN","\#(keys[1])","y"],[2,1.5,"\#(keys[0])","x"]]"#
      )
      try await store.write(.save(save))
      #expect(
        try store.read("Guest", in: path, select: ["weight", "key", "home.city"]) == [
          #"["NaN","\#(keys[1])","y"]"#, #"[1.5,"\#(keys[0])","x"]"#,
        ]
      )
      let cities = change("Guest", ["home.city", "home"], #"[[1,"x",true],[2,null,false]]"#)
      try await store.write(.save(cities))
      #expect(
        try store.read("Guest", in: path, select: ["home", "home.city"])
          == [#"[true,"x"]"#, "[false,null]"]
      )
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a value of a row that is inserted can be taken from one that changes`() async throws {
    try await withStore(Self.schema) { store, path in
      try await fill(store)
      var save = change("Seat", ["number", "name"], #"[[1,9,"z"],[2,8,null]]"#)
      save.inserts = [
        insertion("Seat", ["number", "name", "note"], #"[[1,"b","n"],[2,"a",null]]"#)
      ]
      try await store.write(.save(save))
      #expect(
        try seats(path) == [
          ["1", "9", "z", "2"], ["2", "8", nil, "2"], ["3", "3", "c", "1"],
          ["4", "1", "b", "1"], ["5", "2", "a", "1"],
        ]
      )
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a deleted row leaves its values, also when a rule takes it along`() async throws {
    try await withStore(Self.schema) { store, path in
      try await fill(store)
      try await store.update("Seat", [1], ["next"], "[2]")
      let save = SaveRequest(
        inserts: [insertion("Seat", ["number", "name"], #"[[1,"b"],[2,"a"]]"#)],
        deletes: [SaveRequest.Deletion(entity: "Seat", identifiers: [1])]
      )
      let result = try await store.write(.save(save))
      #expect(result["deleted"] == .int64(2))
      #expect(
        try seats(path) == [["3", "3", "c", "1"], ["4", "1", "b", "1"], ["5", "2", "a", "1"]]
      )
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `what leads to a row is found while another has its values`() async throws {
    try await withStore(Self.schema) { store, path in
      try await fill(store)
      try await store.update("Seat", [1], ["row", "guest", "next"], #"["r",1,3]"#)
      try await store.update("Seat", [2], ["row", "guest", "next"], #"["r",2,3]"#)
      try await store.write(.save(change("Seat", ["guest"], "[[1,2],[2,1]]")))
      let guests = "SELECT id, r_guest FROM e_Seat WHERE id < 3 ORDER BY id"
      #expect(try texts(guests, in: path) == [["1", "2"], ["2", "1"]])
      // By the other side, where a relationship is among what must be unique.
      try await store.write(.save(change("Guest", ["seats"], "[[1,[1]],[2,[2]]]")))
      #expect(try texts(guests, in: path) == [["1", "1"], ["2", "2"]])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test(arguments: [
    (#"[[1,2,"x"],[2,3,"y"]]"#, "Seat/3", "/args/update/0/rows/1"),
    (#"[[1,2,"x"]]"#, "Seat/2", "/args/update/0/rows/0"),
  ])
  func `in the end values must be unique`(
    rows: String,
    existing: String,
    pointer: String
  ) async throws {
    try await withStore(Self.schema) { store, path in
      try await fill(store)
      let error = await store.code {
        try await store.write(.save(change("Seat", ["number", "name"], rows)))
      }
      #expect(error?.code == .unique)
      #expect(error?.at == pointer)
      #expect(error?.hint != nil)
      #expect(error?.details?["existing"] == .string(existing))
      #expect(try seats(path).map { $0[1] } == ["1", "2", "3"])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `two inserted rows with the same value are told once`() async throws {
    try await withStore(Self.schema) { store, _ in
      let save = SaveRequest(inserts: [insertion("Seat", ["number"], "[[1],[2],[1]]")])
      let error = await store.code { try await store.write(.save(save)) }
      #expect(error?.code == .unique)
      #expect(error?.at == "/args/insert/0/rows/2")
    }
  }

  @Test func `a row whose own change is refused isn't blamed for its old value`() async throws {
    try await withStore(Self.schema) { store, _ in
      try await fill(store)
      let save = change("Seat", ["number", "name"], #"[[1,2,"a"],[2,null,"b"]]"#)
      let error = await store.code { try await store.write(.save(save)) }
      #expect(error?.code == .required)
    }
  }

  @Test func `a denied deletion is told alone`() async throws {
    try await withStore(Self.schema) { store, _ in
      try await fill(store)
      try await store.update("Guest", [1], ["guards"], "[[3]]")
      try await store.update("Seat", [1], ["next"], "[2]")
      let save = SaveRequest(
        inserts: [insertion("Seat", ["number"], "[[2]]")],
        deletes: [
          SaveRequest.Deletion(entity: "Seat", identifiers: [1]),
          SaveRequest.Deletion(entity: "Guest", identifiers: [1]),
        ]
      )
      let error = await store.code { try await store.write(.save(save)) }
      #expect(error?.code == .denied)
    }
  }

  @Test func `the history of a large save has nothing of what rows had meanwhile`() async throws {
    try await withStore(Self.schema) { store, path in
      let count = ChangeJournal.entryLimit / 2 + 1000
      // So long that the changes need more than one page.
      let padding = String(repeating: "-", count: 20)
      let rows = (1...count).map { "[\($0),\"\($0)\(padding)\"]" }
      try await store.insert("Seat", ["number", "name"], "[\(rows.joined(separator: ","))]")
      let moved = (1...count).map { "[\($0),\"\($0 % count + 1)\(padding)\"]" }
      let lines = try await store.recorded(path) {
        try await store.write(.save(change("Seat", ["name"], "[\(moved.joined(separator: ","))]")))
      }
      #expect(lines.count { $0.hasPrefix("update Seat") } > 1)
      #expect(!lines.contains { $0.contains("displaced") })
      #expect(lines.map { $0.count { $0 == "{" } / 2 }.reduce(0, +) == count)
      #expect(try await store.problems(path) == [])
    }
  }
}
