import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

/// Composites that requests give as objects.
@Suite struct CompositeObjectTests {
  private static let place = [
    Attribute(name: "city", type: .string),
    Attribute(name: "zip", type: .int64, isOptional: true, defaultValue: .int64(7)),
    Attribute(
      name: "geo",
      type: .composite,
      properties: [
        Attribute(name: "x", type: .double),
        Attribute(name: "tags", type: .string, collection: .set),
      ],
      isOptional: true
    ),
  ]

  private static let schema = Schema(entities: [
    Entity(
      name: "Person",
      attributes: [
        Attribute(name: "name", type: .string, isOptional: true, isUnique: true),
        Attribute(name: "home", type: .composite, properties: place),
        Attribute(name: "work", type: .composite, properties: place, isOptional: true),
      ]
    )
  ])

  private static let columns = [
    "home.city", "home.zip", "home.geo", "home.geo.x", "work", "work.city", "work.zip",
    "work.geo.x",
    "work.geo.tags",
  ]

  private func read(_ store: StoreFixture, _ path: String) throws -> [String] {
    try store.read("Person", in: path, select: Self.columns)
  }

  @Test func `an object gives all parts, and those it leaves out their defaults`() async throws {
    try await withStore(Self.schema) { store, path in
      try await store.insert(
        "Person",
        ["home", "work"],
        #"""
        [[{"city":"a","zip":null,"geo":{"tags":["q","p","q"],"x":1.5}},null],
         [{"zip":3,"city":"\u0062\n"},{"city":"c","geo":{"x":2.5,"tags":[]}}],
         [{"city":"d","geo":null},false]]
        """#
      )
      #expect(
        try read(store, path) == [
          #"["a",null,true,1.5,false,null,null,null,null]"#,
          #"["b\n",3,false,null,true,"c",7,2.5,[]]"#,
          #"["d",7,false,null,false,null,null,null,null]"#,
        ]
      )
      // The whole is replaced, also by parts that aren't named.
      try await store.update("Person", [1, 3], ["work"], #"[{"city":"e"}]"#)
      try await store.update("Person", [2], ["work", "home"], #"[true,{"city":"f"}]"#)
      #expect(
        try read(store, path) == [
          #"["a",null,true,1.5,true,"e",7,null,null]"#, #"["f",7,false,null,true,"c",7,2.5,[]]"#,
          #"["d",7,false,null,true,"e",7,null,null]"#,
        ]
      )
      let save = SaveRequest(
        inserts: [
          SaveRequest.Insertion(
            entity: "Person",
            columns: ["name", "home"],
            rows: .text(#"[["n",{"city":"g"}]]"#)
          )
        ],
        updates: [
          SaveRequest.Change(
            entity: "Person",
            columns: ["$id", "work"],
            rows: .text(#"[[1,null],[2,{"city":"h","zip":1}],[3,true]]"#)
          )
        ]
      )
      try await store.write(.save(save))
      #expect(
        try read(store, path) == [
          #"["a",null,true,1.5,false,null,null,null,null]"#,
          #"["f",7,false,null,true,"h",1,null,null]"#,
          #"["d",7,false,null,true,"e",7,null,null]"#,
          #"["g",7,false,null,false,null,null,null,null]"#,
        ]
      )
      try await store.insert(
        "Person",
        ["name", "work", "home.city"],
        #"[["n",{"city":"i"},"j"]]"#,
        onConflict: .replace
      )
      #expect(try read(store, path).last == #"["j",7,false,null,true,"i",7,null,null]"#)
      try await store.update("Person", [4], ["work.geo"], #"[{"x":1.5,"tags":["t"]}]"#)
      #expect(try read(store, path).last == #"["j",7,false,null,true,"i",7,1.5,["t"]]"#)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test(arguments: [
    ("home", #"{"city":"a","town":1}"#, "schema.unknown_attribute", "/town"),
    ("home", #"{"city":"a","zi":1}"#, "schema.unknown_attribute", "/zi"),
    ("home", #"{"city":"a","a/b~":1}"#, "schema.unknown_attribute", "/a~1b~0"),
    ("home", #"{"zip":1}"#, "constraint.required", ""),
    ("home", #"{"city":null}"#, "constraint.required", "/city"),
    ("home", #"{"city":1}"#, "request.type", "/city"),
    ("home", #"{"city":"a","geo":{"x":1}}"#, "constraint.required", "/geo"),
    ("home", #"{"city":"a","geo":{"x":"k","tags":[]}}"#, "request.type", "/geo/x"),
    ("home", #"{"city":"a","geo":true}"#, "request.type", "/geo"),
    ("home", "null", "constraint.required", ""),
    ("home", "true", "request.type", ""),
    ("home", #""a""#, "request.type", ""),
    ("work", #"{}"#, "constraint.required", ""),
    ("work", "3", "request.type", ""),
  ])
  func `what isn't right is named`(
    column: String,
    value: String,
    code: String,
    pointer: String
  ) async throws {
    try await withStore(Self.schema) { store, path in
      let columns = column == "home" ? ["home"] : ["home.city", "work"]
      let row = column == "home" ? value : #""a","# + value
      let inserted = await store.code { try await store.insert("Person", columns, "[[\(row)]]") }
      #expect(inserted?.code.rawValue == code, "\(inserted?.message ?? "")")
      #expect(inserted?.at == "/args/rows/0/\(columns.count - 1)\(pointer)")
      #expect(inserted?.hint != nil)
      #expect(inserted?.details?["entity"] == .string("Person"))
      try await store.insert("Person", ["home.city"], #"[["a"]]"#)
      let updated = await store.code {
        try await store.update("Person", [1], [column], "[\(value)]")
      }
      #expect(updated?.code.rawValue == code)
      #expect(updated?.at == "/args/set/\(column)\(pointer)")
      #expect(try read(store, path) == [#"["a",7,false,null,false,null,null,null,null]"#])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a composite isn't given as a whole and in parts`() async throws {
    try await withStore(Self.schema) { store, _ in
      let error = await store.code {
        try await store.insert("Person", ["home", "home.city"], #"[[{"city":"a"},"b"]]"#)
      }
      #expect(error?.code == .usage)
      let optional = await store.code {
        try await store.insert(
          "Person",
          ["home.city", "work", "work.city"],
          #"[["a",{"city":"a"},"b"]]"#
        )
      }
      #expect(optional?.code == .type)
    }
  }
}
