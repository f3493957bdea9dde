import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

@Suite struct SaveTests {
  private func insertion(
    _ entity: String,
    _ columns: [String],
    _ rows: String
  ) -> SaveRequest.Insertion {
    SaveRequest.Insertion(entity: entity, columns: columns, rows: .text(rows))
  }

  private func change(
    _ entity: String,
    _ columns: [String],
    _ rows: String
  ) -> SaveRequest.Change {
    SaveRequest.Change(entity: entity, columns: columns, rows: .text(rows))
  }

  @Test func `a graph is stored in one request, in any order`() async throws {
    try await withStore(.world) { store, path in
      let request = SaveRequest(inserts: [
        insertion(
          "City",
          ["$id", "name", "country"],
          ##"[["#x","x","#a"],["#y","y","#b"],[null,"z","#a"]]"##
        ),
        insertion(
          "Country",
          ["$id", "name", "capital", "rival", "rivers", "tags"],
          ##"[["#a","a","#x","#b",["#s","#r"],["#t"]],["#b","b",null,"#a",[],["#t"]]]"##
        ),
        insertion("River", ["$id", "name"], ##"[["#r","r"],["#s","s"]]"##),
        insertion("Tag", ["$id", "name", "countries"], ##"[["#t","t",["#b"]]]"##),
      ])
      let result = try await store.write(.save(request))
      #expect(result["inserted"] == .int64(8))
      let identifiers = result["ids"]?.object ?? [:]
      #expect(identifiers.count == 7)
      #expect(identifiers["#a"] == .int64(1))
      #expect(try texts("SELECT DISTINCT version FROM e_City", in: path) == [["1"]])
      #expect(
        try store.read("Country", in: path)
          == [#"["a",\#(identifiers["#x"]?.int64 ?? 0),2]"#, #"["b",null,1]"#]
      )
      let rivers = "SELECT a_name FROM e_River WHERE r_country = 1 ORDER BY o_country"
      #expect(try texts(rivers, in: path) == [["s"], ["r"]])
      let tags = #"SELECT source, target FROM "j_Country.tags" ORDER BY 1"#
      #expect(try texts(tags, in: path) == [["1", "1"], ["2", "1"]])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `rows change their places and others go in the same request`() async throws {
    try await withStore(.world) { store, path in
      try await store.insert("Country", ["name"], #"[["a"],["b"]]"#)
      try await store.insert("City", ["name", "country"], #"[["x",1],["y",1]]"#)
      let request = SaveRequest(
        inserts: [insertion("Country", ["$id", "name"], ##"[["#c","a"]]"##)],
        updates: [
          change("City", ["$id", "country"], ##"[[1,"#c"]]"##),
          change("Country", ["name", "$id", "capital"], ##"[["bb",2,1]]"##),
        ],
        deletes: [SaveRequest.Deletion(entity: "Country", identifiers: [1])]
      )
      let result = try await store.write(.save(request))
      #expect(result["inserted"] == .int64(1))
      #expect(result["updated"] == .int64(2))
      #expect(result["deleted"] == .int64(2))
      #expect(
        try texts("SELECT id, a_name FROM e_Country ORDER BY id", in: path) == [
          ["2", "bb"], ["3", "a"],
        ]
      )
      #expect(
        try texts("SELECT id, r_country, version FROM e_City", in: path) == [["1", "3", "2"]]
      )
      #expect(try store.read("Country", in: path, select: ["capital"]) == ["[1]", "[null]"])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a save that breaks rules stores nothing and tells all of them`() async throws {
    try await withStore(.world) { store, path in
      let request = SaveRequest(
        inserts: [
          insertion("City", ["$id", "name", "country"], ##"[["#x",null,"#nobody"]]"##),
          insertion("City", ["name"], ##"[["lonely"]]"##),
        ],
        updates: []
      )
      let error = await store.code { try await store.write(.save(request)) }
      #expect(
        error?.details?["violations"]?.array?.map { $0["pointer"]?.string } == [
          "/args/insert/0/rows/0/1", "/args/insert/0/rows/0/2", "/args/insert/1/rows/0",
        ]
      )
      let stored = try texts("SELECT id FROM e_City", in: path)
      #expect(stored.isEmpty)
    }
  }

  @Test(arguments: [
    (##"[["#a","a"],["#a","b"]]"##, "request.usage", "/args/insert/0/rows/1/0"),
    (##"[[5,"a"]]"##, "request.type", "/args/insert/0/rows/0/0"),
    (##"[["x","a"]]"##, "request.type", "/args/insert/0/rows/0/0"),
    (##"[["#a"]]"##, "request.usage", "/args/insert/0/rows/0"),
  ])
  func `a wrong identifier is named`(rows: String, code: String, pointer: String) async throws {
    try await withStore(.world) { store, _ in
      let request = SaveRequest(inserts: [insertion("Country", ["$id", "name"], rows)])
      let error = await store.code { try await store.write(.save(request)) }
      #expect(error?.code.rawValue == code)
      #expect(error?.at == pointer)
    }
  }

  @Test func `a temporary identifier of another entity is refused`() async throws {
    try await withStore(.world) { store, _ in
      let request = SaveRequest(inserts: [
        insertion("Tag", ["$id", "name"], ##"[["#t","t"]]"##),
        insertion("City", ["name", "country"], ##"[["x","#t"]]"##),
      ])
      let error = await store.code { try await store.write(.save(request)) }
      #expect(error?.code == .violations || error?.code == .reference)
      #expect(error?.at == "/args/insert/1/rows/0/1")
    }
  }

  @Test func `what doesn't exist can't be changed or deleted`() async throws {
    try await withStore(.world) { store, _ in
      let update = SaveRequest(updates: [change("Tag", ["$id", "name"], #"[[1,"x"]]"#)])
      let updated = await store.code { try await store.write(.save(update)) }
      #expect(updated?.code == .objectNotFound)
      #expect(updated?.at == "/args/update/0/rows")
      let delete = SaveRequest(deletes: [SaveRequest.Deletion(entity: "Tag", identifiers: [1])])
      let deleted = await store.code { try await store.write(.save(delete)) }
      #expect(deleted?.code == .objectNotFound)
      #expect(deleted?.at == "/args/delete/0/ids")
    }
  }

  @Test(arguments: [InsertRequest.OnConflict.skip, .replace])
  func `a temporary identifier means the row that is there already`(
    onConflict: InsertRequest.OnConflict
  ) async throws {
    try await withStore(.world) { store, path in
      try await store.insert("Country", ["name"], #"[["a"],["b"]]"#)
      try await store.insert("City", ["name", "country"], #"[["x",1]]"#)
      let request = SaveRequest(
        inserts: [
          insertion(
            "City",
            ["$id", "name", "country"],
            ##"[["#x","x","#a"],["#x2","x","#a2"],["#y","y","#n"]]"##
          ),
          insertion(
            "Country",
            ["$id", "name", "capital"],
            ##"[["#a","a","#x"],["#a2","a","#x2"],["#n","n","#y"],["#n2","n","#y"]]"##
          ),
        ],
        onConflict: onConflict
      )
      let result = try await store.write(.save(request))
      let identifiers = result["ids"]?.object?.compactMapValues(\.int64) ?? [:]
      #expect(identifiers["#a"] == 1)
      #expect(identifiers["#a2"] == 1)
      #expect(identifiers["#x"] == 1)
      #expect(identifiers["#x2"] == 1)
      #expect(identifiers["#n"] == identifiers["#n2"])
      #expect(result["inserted"] == .int64(2))
      let capitals = try store.read("Country", in: path, select: ["capital"])
      #expect(capitals.first == (onConflict == .skip ? "[null]" : "[1]"))
      #expect(try texts("SELECT count(*) FROM e_Country", in: path) == [["3"]])
      #expect(try await store.problems(path) == [])
    }
  }

  /// Rows that are told by their name and what they lead to.
  private static let rings = Schema(entities: [
    Entity(
      name: "Node",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "n", type: .int64, isOptional: true),
      ],
      relationships: [Relationship(name: "next", destination: "Node")],
      uniques: [["name", "next"]]
    )
  ])

  @Test(arguments: [InsertRequest.OnConflict.skip, .replace])
  func `rows that are told by each other in a circle are found`(
    onConflict: InsertRequest.OnConflict
  ) async throws {
    try await withStore(Self.rings) { store, path in
      let columns = ["$id", "name", "next", "n"]
      let rows =
        ##"[["#a","a","#b",1],["#b","b","#a",1],["#c","c","#c",1],["#d","d","#a",1],"##
        + ##"["#e","a","#f",1],["#f","b","#e",1]]"##
      var save = SaveRequest(inserts: [insertion("Node", columns, rows)], onConflict: onConflict)
      let first = try await store.write(.save(save))
      #expect(first["inserted"] == .int64(6))
      save.inserts[0].rows = .text(rows.replacing(",1]", with: ",2]"))
      let second = try await store.write(.save(save))
      #expect(second["inserted"] == .int64(0))
      #expect(second["ids"] == first["ids"])
      let wanted = onConflict == .skip ? "1" : "2"
      #expect(try texts("SELECT DISTINCT a_n FROM e_Node", in: path) == [[wanted]])
      // A circle that differs in one row is another.
      save.inserts[0].rows = .text(##"[["#a","a","#b",3],["#b","x","#a",3],["#g","g","#a",3]]"##)
      #expect(try await store.write(.save(save))["inserted"] == .int64(3))
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a row without a temporary identifier may be one that has it`() async throws {
    try await withStore(.world) { store, path in
      let save = SaveRequest(
        inserts: [
          insertion("City", ["name", "country"], ##"[["x","#a"]]"##),
          insertion("Country", ["$id", "name"], ##"[[null,"a"],["#a","a"],[null,"a"]]"##),
        ],
        onConflict: .replace
      )
      let result = try await store.write(.save(save))
      #expect(result["inserted"] == .int64(2))
      #expect(result["updated"] == .int64(2))
      let countries = "SELECT r_country, (SELECT count(*) FROM e_Country) FROM e_City"
      let identifier = result["ids"]?["#a"]?.int64 ?? 0
      #expect(try texts(countries, in: path) == [["\(identifier)", "1"]])
      #expect(try await store.problems(path) == [])
    }
  }

  /// Two entities whose rows need each other, so that neither can come first.
  private static let pairs = Schema(entities: [
    Entity(
      name: "Left",
      attributes: [Attribute(name: "n", type: .int64, isOptional: true)],
      relationships: [
        Relationship(name: "right", destination: "Right", inverse: "left", isOptional: false)
      ]
    ),
    Entity(
      name: "Right",
      attributes: [Attribute(name: "n", type: .int64, isOptional: true)],
      relationships: [
        Relationship(name: "left", destination: "Left", inverse: "right", isOptional: false)
      ]
    ),
  ])

  @Test func `rows that need each other come and go together`() async throws {
    try await withStore(Self.pairs) { store, path in
      let alone = await store.code { try await store.insert("Right", ["n"], "[[1]]") }
      #expect(alone?.code == .required)
      let both = SaveRequest(inserts: [
        insertion("Right", ["$id", "n"], ##"[["#r",1],["#q",2]]"##),
        insertion("Left", ["$id", "right"], ##"[["#l","#r"],["#k","#q"]]"##),
      ])
      try await store.write(.save(both))
      let stolen = await store.code { try await store.update("Left", [1], ["right"], "[3]") }
      #expect(stolen?.code == .violations)
      let half = await store.code { try await store.delete("Left", [1]) }
      #expect(half?.code == .denied)
      let swap = SaveRequest(updates: [change("Left", ["$id", "right"], "[[1,3],[2,2]]")])
      let result = await store.write([.save(swap)])[0]
      #expect((try? result.get())?["updated"] == .int64(2), "\(result)")
      let gone = SaveRequest(deletes: [
        SaveRequest.Deletion(entity: "Left", identifiers: [1]),
        SaveRequest.Deletion(entity: "Right", identifiers: [3]),
      ])
      let deleted = try await store.write(.save(gone))["deleted"]
      #expect(deleted == .int64(2))
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a repeated save is applied once and answered alike`() async throws {
    try await withStore(.world) { store, path in
      let request = SaveRequest(inserts: [
        insertion("Country", ["$id", "name"], ##"[["#9]\"1","a"]]"##)
      ])
      let first = try await store.write(.save(request), key: "k")
      let second = await store.write([.save(request)], key: "k", int64: .string)
      #expect(first["ids"]?["#9]\"1"] == .int64(1))
      #expect(try second[0].get()["ids"]?["#9]\"1"] == .string("1"))
      #expect(try texts("SELECT count(*) FROM e_Country", in: path) == [["1"]])
    }
  }
}
