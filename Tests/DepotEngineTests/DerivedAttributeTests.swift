import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

@Suite struct DerivedAttributeTests {
  private static func derived(
    _ name: String,
    _ type: AttributeType,
    _ expression: String,
    isIndexed: Bool = false
  ) -> Attribute {
    Attribute(
      name: name,
      type: type,
      isOptional: true,
      isIndexed: isIndexed,
      derivation: expression
    )
  }

  /// Every kind of path: own values, to-one, one-to-many in an order, many-to-many, and two steps.
  private static let schema = Schema(entities: [
    Entity(
      name: "Person",
      attributes: [
        Attribute(name: "name", type: .string, isOptional: true),
        derived("upper", .string, "uppercase(name)"),
        derived("plain", .string, "canonical(name)", isIndexed: true),
        derived("managerName", .string, "manager.name"),
        derived("managerUpper", .string, "manager.upper"),
        derived("orderCount", .int64, "orders.@count"),
        derived("total", .int64, "orders.@sum.total"),
        derived("tagNames", .int64, "tags.@count"),
        derived("reportCount", .double, "reports.@count"),
      ],
      relationships: [
        Relationship(name: "manager", destination: "Person", inverse: "reports"),
        Relationship(name: "reports", destination: "Person", inverse: "manager", isToMany: true),
        Relationship(name: "orders", destination: "Order", inverse: "buyer", isToMany: true),
        Relationship(name: "tags", destination: "Tag", inverse: "people", isToMany: true),
      ]
    ),
    Entity(
      name: "Order",
      attributes: [
        derived("total", .int64, "items.@sum.amount"),
        derived("open", .int64, "SUBQUERY(items, $x, $x.isOpen == TRUE AND $x.amount > 2).@count"),
        derived("least", .int64, "items.@min.amount"),
        derived("mean", .double, "items.@avg.amount"),
        derived("isLarge", .bool, "items.@count > 2"),
        derived("bossTags", .int64, "buyer.manager.tags.@count"),
        derived("greatestTag", .int64, "buyer.tags.@max.weight"),
      ],
      relationships: [
        Relationship(name: "buyer", destination: "Person", inverse: "orders"),
        Relationship(
          name: "items",
          destination: "Item",
          inverse: "order",
          isToMany: true,
          isOrdered: true,
          deleteRule: .cascade
        ),
      ]
    ),
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "amount", type: .int64, isOptional: true),
        Attribute(name: "isOpen", type: .bool, isOptional: true),
      ],
      relationships: [Relationship(name: "order", destination: "Order", inverse: "items")]
    ),
    Entity(
      name: "Gift",
      parent: "Item",
      attributes: [derived("receiver", .string, "lowercase(order.buyer.managerName)")]
    ),
    Entity(
      name: "Tag",
      attributes: [
        Attribute(name: "weight", type: .int64, isOptional: true),
        derived("users", .int64, "people.orders.items.@count"),
      ],
      relationships: [
        Relationship(name: "people", destination: "Person", inverse: "tags", isToMany: true)
      ]
    ),
  ])

  /// Compares the stored values with those that the expressions have now.
  private func check(_ store: SpecialFixture, _ what: String) throws {
    let connection = try Connection(path: store.path, access: .reader)
    try TextFunctions.register(on: connection)
    for derivation in try store.catalog.derivations() {
      let layout = derivation.layout
      var compiler = QueryCompiler(layout, in: store.catalog, now: Date())
      let value = try compiler.operand(derivation.expression).fragment
      let kind = layout.kindCondition(in: "t0", includingDescendants: true) ?? "1"
      let select =
        "SELECT t0.id, t0.\(layout.stored[derivation.place].quoted), " + value + " FROM "
        + compiler.source + " WHERE \(kind)"
      try connection.statement(select.sql).run(select.parameters) { row in
        var expected = row[2]
        if case .integer(let value) = expected, derivation.attribute.type == .double {
          expected = .real(Double(value))
        }
        #expect(row[1] == expected, "\(what): \(derivation.key) of \(row.integer(0))")
      }
    }
    #expect(try connection.integer("SELECT count(*) FROM depot_stale") == 0)
  }

  @Test func `derived values are those that the expressions have after any change`() async throws {
    var random = ValueGenerator(seed: 11)
    try await SpecialFixture.run(Self.schema) { store in
      func identifiers(_ entity: String) throws -> [Int64] {
        try store.rows(FetchRequest(entity: entity, select: [])).compactMap { $0[0].int64 }
      }
      func reference(_ entity: String) throws -> String {
        let all = try identifiers(entity)
        return all.isEmpty || random.chance(1, in: 4) ? "null" : "\(random.pick(all))"
      }
      func list(_ entity: String) throws -> String {
        "[\(random.some(of: try identifiers(entity)).map(String.init).joined(separator: ","))]"
      }
      func insertion() throws -> (String, String) {
        let number = random.chance(1, in: 5) ? "null" : "\(random.int(0...9))"
        switch random.int(0...4) {
        case 0:
          let name = random.pick(["null", "\"Ann\"", "\"Élan\"", "\"bob\""])
          return (
            "Person",
            """
            "columns":["name","manager","tags"],"rows":[[\(name),\(try reference("Person")),\(try list("Tag"))]]
            """
          )
        case 1:
          return (
            "Order",
            "\"columns\":[\"buyer\",\"items\"],\"rows\":[[\(try reference("Person")),\(try list("Item"))]]"
          )
        case 2:
          return (
            "Tag",
            "\"columns\":[\"weight\",\"people\"],\"rows\":[[\(number),\(try list("Person"))]]"
          )
        case let kind:
          let flag = random.pick(["true", "false", "null"])
          return (
            kind == 3 ? "Item" : "Gift",
            """
            "columns":["amount","isOpen","order"],"rows":[[\(number),\(flag),\(try reference("Order"))]]
            """
          )
        }
      }
      func update(_ entity: String, _ set: String) throws -> (String, String)? {
        let all = try identifiers(entity)
        guard !all.isEmpty else { return nil }
        return (
          "update", "{\"entity\":\"\(entity)\",\"ids\":[\(random.pick(all))],\"set\":{\(set)}}"
        )
      }
      func change() throws -> (String, String)? {
        switch random.int(0...9) {
        case 0...3:
          let (entity, body) = try insertion()
          return ("insert", "{\"entity\":\"\(entity)\",\(body)}")
        case 4:
          let entity = random.pick(["Person", "Order", "Item", "Tag"])
          let all = try identifiers(entity)
          guard all.count > 3 else { return nil }
          return ("delete", "{\"entity\":\"\(entity)\",\"ids\":[\(random.pick(all))]}")
        case 5:
          return try update("Person", "\"name\":\"N\(random.int(0...9))\",\"tags\":\(list("Tag"))")
        case 6: return try update("Person", "\"manager\":\(reference("Person"))")
        case 7:
          return try update(
            "Item",
            "\"amount\":\(random.int(0...9)),\"order\":\(reference("Order"))"
          )
        case 8:
          return try update("Order", "\"buyer\":\(reference("Person")),\"items\":\(list("Item"))")
        default:
          return (
            "update", "{\"entity\":\"Item\",\"where\":\"amount > 4\",\"set\":{\"isOpen\":true}}"
          )
        }
      }
      for number in 0..<250 {
        guard let (name, json) = try change() else { continue }
        try await store.write(name, json)
        if number % 5 == 0 { try check(store, "\(number) \(name) \(json)") }
      }
      try check(store, "the end")
    }
  }

  @Test func `the version grows only with another value`() async throws {
    try await SpecialFixture.run(Self.schema) { store in
      try await store.write(
        "save",
        """
        {"insert":[{"entity":"Person","columns":["$id","name","manager"],
          "rows":[["#a","Ann",null],["#b","Bob","#a"],["#c","Cid","#b"]]}]}
        """
      )
      func versions() throws -> [Int64] {
        try store.rows(FetchRequest(entity: "Person", select: [])).compactMap { $0[1].int64 }
      }
      let before = try versions()
      #expect(before == [1, 1, 1])
      try await store.write(
        "update",
        "{\"entity\":\"Person\",\"ids\":[1],\"set\":{\"name\":\"Al\"}}"
      )
      #expect(try versions() == [2, 2, 1])
      try await store.write(
        "update",
        "{\"entity\":\"Person\",\"ids\":[1],\"set\":{\"name\":\"Al\"}}"
      )
      #expect(try versions() == [2, 2, 1])
      #expect(try store.find("Person", "managerUpper == 'AL'") == [2])
      #expect(try store.explain("Person", "plain == 'al'")["uses"]?.array?.count == 1)
    }
  }

  @Test func `the time is that of the last change of the row`() async throws {
    let schema = Schema(entities: [
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "text", type: .string), Self.derived("changed", .date, "now()"),
        ]
      )
    ])
    try await SpecialFixture.run(schema) { store in
      func times() throws -> [String?] {
        try store.rows(FetchRequest(entity: "Note", select: ["changed"])).map { $0[2].string }
      }
      try await store.write(
        "insert",
        "{\"entity\":\"Note\",\"columns\":[\"text\"],\"rows\":[[\"a\"],[\"b\"]]}"
      )
      let first = try times()
      #expect(first.allSatisfy { $0 != nil })
      try await Task.sleep(for: .milliseconds(2))
      try await store.write("update", "{\"entity\":\"Note\",\"ids\":[2],\"set\":{\"text\":\"c\"}}")
      let second = try times()
      #expect(second[0] == first[0])
      #expect(second[1] != first[1])
    }
  }

  @Test func `clients can't set derived values`() async throws {
    try await SpecialFixture.run(Self.schema) { store in
      let error = await #expect(throws: DepotError.self) {
        try await store.write(
          "insert",
          "{\"entity\":\"Person\",\"columns\":[\"upper\"],\"rows\":[[\"X\"]]}"
        )
      }
      #expect(error?.code == .usage)
      #expect(error?.at == "/args/columns/0")
      #expect(error?.hint?.contains("uppercase(name)") == true)
    }
  }

  @Test func `a derived value that must be there and isn't fails the request`() async throws {
    let schema = Schema(entities: [
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "text", type: .string, isOptional: true),
          Attribute(name: "upper", type: .string, derivation: "uppercase(text)"),
        ]
      )
    ])
    try await SpecialFixture.run(schema) { store in
      try await store.write(
        "insert",
        "{\"entity\":\"Note\",\"columns\":[\"text\"],\"rows\":[[\"a\"]]}"
      )
      let error = await #expect(throws: DepotError.self) {
        try await store.write("update", "{\"entity\":\"Note\",\"ids\":[1],\"set\":{\"text\":null}}")
      }
      #expect(error?.code == .required)
      #expect(try store.find("Note", "upper == 'A'") == [1])
    }
  }

  @Test(arguments: [true, false])
  func `a value is there again when the row that it comes from is made again`(
    isUndone: Bool
  ) async throws {
    let schema = Schema(entities: [
      Entity(
        name: "Country",
        attributes: [Attribute(name: "name", type: .string, isOptional: true)],
        relationships: [
          Relationship(
            name: "regions",
            destination: "Region",
            inverse: "country",
            isToMany: true,
            deleteRule: .noAction
          )
        ]
      ),
      Entity(
        name: "Region",
        attributes: [Self.derived("countryName", .string, "country.name")],
        relationships: [
          Relationship(name: "country", destination: "Country", inverse: "regions")
        ]
      ),
    ])
    try await withStore(schema) { store, path in
      func names() throws -> [String] {
        try store.read("Region", in: path, select: ["countryName"])
      }
      try await store.insert("Country", ["name"], #"[["a"]]"#)
      try await store.insert("Region", ["country"], "[[1]]")
      #expect(try names() == [#"["a"]"#])
      try await store.delete("Country", [1])
      #expect(try names() == ["[null]"])
      if isUndone {
        try await store.call("undo", "{}")
      } else {
        try await store.save(
          """
          {"update":[{"entity":"Country","columns":["$id","$version","name"],"rows":[[1,1,"a"]]}],
          "policy":"overwrite"}
          """
        )
      }
      #expect(try names() == [#"["a"]"#])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a new derived attribute is computed for the rows that exist`() async throws {
    let schema = Schema(entities: [
      Entity(name: "Note", attributes: [Attribute(name: "text", type: .string)])
    ])
    try await SpecialFixture.run(schema) { store in
      let rows = (0..<2500).map { "[\"n\($0)\"]" }.joined(separator: ",")
      try await store.write(
        "insert",
        "{\"entity\":\"Note\",\"columns\":[\"text\"],\"rows\":[\(rows)]}"
      )
      var next = schema
      next.entities[0].attributes.append(Self.derived("upper", .string, "uppercase(text)"))
      try await store.define(next)
      #expect(try store.find("Note", "upper == 'N2499'") == [2500])
      #expect(try store.find("Note", "upper == nil").isEmpty)
      try await store.write("update", "{\"entity\":\"Note\",\"ids\":[7],\"set\":{\"text\":\"x\"}}")
      #expect(try store.find("Note", "upper == 'X'") == [7])
    }
  }

  @Test(arguments: [
    ("string", "size", "type"), ("int64", "tags.@count", "no attribute"),
    ("int64", "b", "computed from each other"), ("double", "random()", "chance"),
    ("int64", "self", "derived"), ("int64", "other", "object"), ("int64", "$version", "versions"),
  ])
  func `an expression that doesn't fit is refused`(
    _ type: String,
    _ expression: String,
    _ word: String
  ) async throws {
    try await withStorePath { path in
      let store = try StoreFixture(StoreConfiguration(path: path))
      let schema = try Schema(
        parsing: Array(
          """
          {"entities":[{"name":"Note","attributes":[{"name":"size","type":"int64","optional":true},
            {"name":"a","type":"\(type)","optional":true,"derived":"\(expression)"},
            {"name":"b","type":"int64","optional":true,"derived":"a"}],
           "relationships":[{"name":"other","destination":"Note","optional":true}]}]}
          """.utf8
        )
      )
      let error = await #expect(throws: DepotError.self) {
        try await store.write(.defineSchema(schema, isDryRun: false))
      }
      #expect(error?.code == .invalidSchema)
      #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
      await store.close()
    }
  }
}
