import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

extension Schema {
  /// Countries with cities, an ordered list of rivers, a capital, allies, and tags.
  static let world = Schema(entities: [
    Entity(
      name: "Country",
      attributes: [Attribute(name: "name", type: .string, isUnique: true)],
      relationships: [
        Relationship(
          name: "cities",
          destination: "City",
          inverse: "country",
          isToMany: true,
          deleteRule: .cascade
        ),
        Relationship(
          name: "rivers",
          destination: "River",
          inverse: "country",
          isToMany: true,
          isOrdered: true
        ),
        Relationship(name: "capital", destination: "City", inverse: "capitalOf"),
        Relationship(name: "allies", destination: "Country", inverse: "allies", isToMany: true),
        Relationship(name: "rival", destination: "Country", inverse: "rival"),
        Relationship(
          name: "tags",
          destination: "Tag",
          inverse: "countries",
          isToMany: true,
          isOrdered: true
        ),
      ]
    ),
    Entity(
      name: "City",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(name: "country", destination: "Country", inverse: "cities", isOptional: false),
        Relationship(name: "capitalOf", destination: "Country", inverse: "capital"),
      ],
      uniques: [["name", "country"]]
    ),
    Entity(
      name: "River",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [Relationship(name: "country", destination: "Country", inverse: "rivers")]
    ),
    Entity(
      name: "Tag",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(
          name: "countries",
          destination: "Country",
          inverse: "tags",
          isToMany: true,
          maxCount: 2
        )
      ]
    ),
    Entity(
      name: "Note",
      attributes: [Attribute(name: "text", type: .string)],
      relationships: [
        Relationship(name: "about", destination: "Country"),
        Relationship(name: "mentions", destination: "Country", isToMany: true),
      ]
    ),
  ])
}

@Suite struct RelationshipTests {
  /// Runs `body` with countries 1 to 3, cities 1 and 2 of the first, and tags and rivers 1 to 3.
  private func withWorld(
    _ body: (_ store: StoreFixture, _ path: String) async throws -> Void
  ) async throws {
    try await withStore(.world) { store, path in
      try await store.insert("Country", ["name"], #"[["a"],["b"],["c"]]"#)
      try await store.insert("City", ["name", "country"], #"[["x",1],["y",1]]"#)
      try await store.insert("River", ["name"], #"[["r"],["s"],["t"]]"#)
      try await store.insert("Tag", ["name"], #"[["p"],["q"],["o"]]"#)
      try await body(store, path)
      let problems = try await store.problems(path)
      #expect(problems == [])
    }
  }

  @Test func `a city moves between countries from either side`() async throws {
    try await withWorld { store, path in
      try await store.update("City", [1], ["country"], "[2]")
      #expect(
        try texts("SELECT r_country, version FROM e_City", in: path) == [["2", "2"], ["1", "1"]]
      )
      try await store.update("Country", [3], ["cities"], "[[1,2]]")
      #expect(
        try texts("SELECT r_country, version FROM e_City", in: path) == [["3", "3"], ["3", "2"]]
      )
      #expect(try texts("SELECT version FROM e_Country", in: path) == [["1"], ["1"], ["1"]])
      try await store.update("Country", [1], ["cities"], #"[{"add":[2]}]"#)
      #expect(try texts("SELECT r_country FROM e_City ORDER BY id", in: path) == [["3"], ["1"]])
    }
  }

  @Test func `a city that must have a country can't lose it`() async throws {
    try await withWorld { store, path in
      let null = await store.code { try await store.update("City", [1], ["country"], "[null]") }
      #expect(null?.code == .required)
      #expect(null?.at == "/args/set/country")
      let removed = await store.code {
        try await store.update("Country", [1], ["cities"], #"[{"remove":[2]}]"#)
      }
      #expect(removed?.code == .required)
      #expect(removed?.details?["id"] == .int64(2))
      for change in [#"{"remove":["x"]}"#, #"{"add":5}"#] {
        let wrong = await store.code {
          try await store.update("Country", [1], ["cities"], "[\(change)]")
        }
        #expect(wrong?.code == .type)
        #expect(wrong?.at == "/args/set/cities")
      }
      let missing = await store.code { try await store.insert("City", ["name"], #"[["z"]]"#) }
      #expect(missing?.code == .required)
      #expect(missing?.at == "/args/rows/0")
      let stored = try texts("SELECT r_country FROM e_City ORDER BY id", in: path)
      #expect(stored == [["1"], ["1"]])
    }
  }

  @Test(arguments: [
    ("City", "[\"z\",9]", "name,country", "constraint.reference"),
    ("City", "[\"z\",\"#t\"]", "name,country", "constraint.reference"),
    ("City", "[\"z\",true]", "name,country", "request.type"),
    ("Country", "[\"z\",[1,9]]", "name,cities", "constraint.reference"),
    ("Country", "[\"z\",3]", "name,cities", "request.type"),
    ("Country", "[\"z\",{\"ad\":[1]}]", "name,cities", "request.unknown_member"),
    ("Country", "[\"z\",{\"add\":[1],\"at\":0}]", "name,cities", "request.usage"),
  ])
  func `a reference to what isn't there is named`(
    entity: String,
    row: String,
    columns: String,
    code: String
  ) async throws {
    try await withWorld { store, _ in
      let error = await store.code {
        let names = columns.split(separator: ",").map(String.init)
        try await store.insert(entity, names, "[\(row)]")
      }
      #expect(error?.code.rawValue == code)
      #expect(error?.at == "/args/rows/0/1")
    }
  }

  @Test func `a capital is taken from the country that had it`() async throws {
    try await withWorld { store, path in
      try await store.update("Country", [1], ["capital"], "[1]")
      try await store.update("Country", [2], ["capital"], "[1]")
      #expect(
        try store.read("Country", in: path, select: ["capital"]) == ["[null]", "[1]", "[null]"]
      )
      try await store.update("City", [2], ["capitalOf"], "[2]")
      #expect(try store.read("City", in: path, select: ["capitalOf"]) == ["[null]", "[2]"])
      #expect(
        try store.read("Country", in: path, select: ["capital"]) == ["[null]", "[2]", "[null]"]
      )
      let second = try store.read("City", in: path)[1]
      #expect(second == #"["y",1,2]"#)
      try await store.insert("City", ["name", "country", "capitalOf"], #"[["z",2,2]]"#)
      #expect(try store.read("Country", in: path, select: ["capital"])[1] == "[3]")
      try await store.update("City", [3], ["capitalOf"], "[null]")
      #expect(try store.read("Country", in: path, select: ["capital"])[1] == "[null]")
    }
  }

  @Test func `what is its own inverse is the same from both sides`() async throws {
    try await withWorld { store, path in
      try await store.update("Country", [1], ["rival", "allies"], "[2,[2,3,1]]")
      #expect(
        try texts("SELECT r_rival FROM e_Country ORDER BY id", in: path) == [["2"], ["1"], [nil]]
      )
      try await store.update("Country", [3], ["rival"], "[1]")
      #expect(
        try texts("SELECT r_rival FROM e_Country ORDER BY id", in: path) == [["3"], [nil], ["1"]]
      )
      try await store.update("Country", [3], ["rival"], "[3]")
      #expect(
        try texts("SELECT r_rival FROM e_Country ORDER BY id", in: path) == [[nil], [nil], ["3"]]
      )
      let allies = #"SELECT source, target FROM "j_Country.allies" ORDER BY 1, 2"#
      #expect(
        try texts(allies, in: path) == [
          ["1", "1"], ["1", "2"], ["1", "3"], ["2", "1"], ["3", "1"],
        ]
      )
      try await store.update("Country", [2], ["allies"], "[[]]")
      #expect(try texts(allies, in: path) == [["1", "1"], ["1", "3"], ["3", "1"]])
    }
  }

  @Test func `an ordered list keeps its order through every change`() async throws {
    try await withWorld { store, path in
      let order = "SELECT id FROM e_River WHERE r_country = 1 ORDER BY o_country"
      try await store.update("Country", [1], ["rivers"], "[[3,1,2]]")
      #expect(try texts(order, in: path) == [["3"], ["1"], ["2"]])
      let versions = try texts("SELECT version FROM e_River", in: path)
      try await store.update("Country", [1], ["rivers"], "[[2,3,1]]")
      #expect(try texts(order, in: path) == [["2"], ["3"], ["1"]])
      #expect(try texts("SELECT version FROM e_River", in: path) == versions)
      try await store.update("Country", [1], ["rivers"], #"[{"remove":[3]}]"#)
      try await store.update("Country", [1], ["rivers"], #"[{"add":[3],"at":0}]"#)
      #expect(try texts(order, in: path) == [["3"], ["2"], ["1"]])
      try await store.update("River", [3], ["country", "name"], #"[1,"n"]"#)
      #expect(try texts(order, in: path) == [["3"], ["2"], ["1"]])
      try await store.update("River", [3], ["country"], "[2]")
      try await store.update("River", [3], ["country"], "[1]")
      #expect(try texts(order, in: path) == [["2"], ["1"], ["3"]])
      try await store.insert("River", ["name", "country"], #"[["u",1],["v",null]]"#)
      #expect(try texts(order, in: path) == [["2"], ["1"], ["3"], ["4"]])
    }
  }

  @Test func `an order leaves rows that it doesn't name behind the ones before them`() async throws
  {
    try await withWorld { store, path in
      let rivers = "SELECT id FROM e_River WHERE r_country = 1 ORDER BY o_country"
      let tags = #"SELECT target FROM "j_Country.tags" WHERE source = 1 ORDER BY source_order"#
      for (name, order) in [("rivers", rivers), ("tags", tags)] {
        try await store.update("Country", [1], [name], "[[1,2,3]]")
        try await store.update("Country", [1], [name], #"[{"order":[3,1]}]"#)
        #expect(try texts(order, in: path) == [["3"], ["1"], ["2"]])
        // A row that isn't there any more gets no place.
        try await store.update("Country", [1], [name], #"[{"remove":[1],"order":[2,1,3]}]"#)
        #expect(try texts(order, in: path) == [["2"], ["3"]])
        try await store.update("Country", [1], [name], #"[{"add":[1],"order":[1,3,2]}]"#)
        #expect(try texts(order, in: path) == [["1"], ["3"], ["2"]])
      }
      let error = await store.code {
        try await store.update("Country", [1], ["allies"], #"[{"order":[2]}]"#)
      }
      #expect(error?.code == .usage)
    }
  }

  @Test func `an ordered relationship of many to many keeps its order`() async throws {
    try await withWorld { store, path in
      let order =
        #"SELECT target FROM "j_Country.tags" WHERE source = 1 ORDER BY source_order"#
      try await store.update("Country", [1], ["tags"], "[[3,1]]")
      try await store.update("Tag", [2], ["countries"], "[[1,2]]")
      #expect(try texts(order, in: path) == [["3"], ["1"], ["2"]])
      try await store.update("Country", [1], ["tags"], #"[{"add":[2],"at":1}]"#)
      #expect(try texts(order, in: path) == [["3"], ["2"], ["1"]])
      try await store.insert("Country", ["name", "tags"], #"[["d",[3,1]]]"#)
      let first = #"SELECT target FROM "j_Country.tags" WHERE source = 4 ORDER BY source_order"#
      #expect(try texts(first, in: path) == [["3"], ["1"]])
    }
  }

  @Test func `a relationship with too many rows is refused`() async throws {
    try await withWorld { store, path in
      let error = await store.code {
        try await store.update("Tag", [1], ["countries"], "[[1,2,3]]")
      }
      #expect(error?.code == .count)
      #expect(error?.at == "/args/set/countries")
      try await store.update("Tag", [1], ["countries"], "[[1,2]]")
      let inverse = await store.code { try await store.update("Country", [3], ["tags"], "[[1]]") }
      #expect(inverse?.code == .count)
      #expect(inverse?.details?["count"] == .int64(3))
      #expect(try texts(#"SELECT count(*) FROM "j_Country.tags""#, in: path) == [["2"]])
    }
  }

  @Test func `compound unique values with a relationship are one row's`() async throws {
    try await withWorld { store, path in
      let error = await store.code {
        try await store.insert("City", ["name", "country"], #"[["x",2],["x",1]]"#)
      }
      #expect(error?.code == .unique)
      #expect(error?.at == "/args/rows/1")
      #expect(error?.details?["attributes"] == .array([.string("name"), .string("country")]))
      #expect(error?.details?["existing"] == .string("City/1"))
      let identifiers = try await store.insert(
        "City",
        ["name", "country", "capitalOf"],
        #"[["x",1,1],["x",2,null]]"#,
        onConflict: .replace
      )
      #expect(identifiers == [1, 5])
      #expect(try store.read("Country", in: path, select: ["capital"])[0] == "[1]")
      let moved = await store.code { try await store.update("City", [5], ["country"], "[1]") }
      #expect(moved?.code == .unique)
      let fromOther = await store.code {
        try await store.update("Country", [1], ["cities"], #"[{"add":[5]}]"#)
      }
      #expect(fromOther?.code == .unique)
    }
  }

  @Test func `rules that several rows break are all told`() async throws {
    try await withWorld { store, _ in
      let error = await store.code {
        try await store.insert(
          "City",
          ["name", "country"],
          #"[[null,1],["z",9],["y",1],["ok",1]]"#
        )
      }
      #expect(error?.code == .violations)
      let violations = error?.details?["violations"]?.array ?? []
      #expect(
        violations.map { $0["code"]?.string } == [
          "constraint.required", "constraint.reference", "conflict.unique",
        ]
      )
      #expect(
        violations.map { $0["pointer"]?.string } == [
          "/args/rows/0/0", "/args/rows/1/1", "/args/rows/2",
        ]
      )
      let many = await store.code {
        let rows = Array(repeating: "[null,1]", count: 150).joined(separator: ",")
        try await store.insert("City", ["name", "country"], "[\(rows)]")
      }
      #expect(many?.details?["violations"]?.array?.count == 100)
    }
  }

  @Test func `a row that is rejected leaves no trace in others`() async throws {
    try await withWorld { store, path in
      try await store.update("Tag", [1], ["countries"], "[[1,2]]")
      let request = InsertRequest(
        entity: "Country",
        columns: ["name", "cities", "tags"],
        rows: .text(#"[["d",[1],[1]],["e",[2],[2]],["f",[],[9]]]"#),
        reportsRejects: true
      )
      let result = try await store.write(.insert(request))
      #expect(result["inserted"] == .int64(1))
      #expect(
        result["rejected"]?.array?.map { $0["error"]?["code"]?.string } == [
          "constraint.count", "constraint.reference",
        ]
      )
      #expect(try texts("SELECT r_country FROM e_City ORDER BY id", in: path) == [["1"], ["5"]])
    }
  }
}
