import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

@Suite struct SearchTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Author",
      attributes: [Attribute(name: "name", type: .string, options: .spotlight)],
      relationships: [
        Relationship(name: "texts", destination: "Text", inverse: "author", isToMany: true)
      ]
    ),
    Entity(
      name: "Text",
      attributes: [
        Attribute(name: "title", type: .string, options: .spotlight),
        Attribute(name: "body", type: .string, isOptional: true, options: .spotlight),
        Attribute(name: "kind", type: .string, isOptional: true),
      ],
      relationships: [Relationship(name: "author", destination: "Author", inverse: "texts")]
    ),
    Entity(
      name: "Letter",
      parent: "Text",
      attributes: [
        Attribute(name: "address", type: .string, isOptional: true, options: .spotlight)
      ]
    ),
    Entity(name: "Plain", attributes: [Attribute(name: "name", type: .string)]),
  ])

  private func run(_ body: (SpecialFixture) async throws -> Void) async throws {
    try await SpecialFixture.run(Self.schema) { store in
      try await store.write(
        "save",
        """
        {"insert":[
          {"entity":"Author","columns":["$id","name"],"rows":[["#a","Émile Zola"],["#b","Bo"]]},
          {"entity":"Text","columns":["title","body","author"],"rows":[
            ["The quick fox","jumps over dogs","#a"],["Slow fox",null,"#b"],
            ["Fox fox fox","fox","#b"],["Dogs","no quick foxes",null]]},
          {"entity":"Letter","columns":["title","address","author"],"rows":[
            ["Dear","Fox Street 5","#a"]]}]}
        """
      )
      try await body(store)
    }
  }

  @Test func `words are found in all texts of a row or in those named`() async throws {
    try await run { store throws in
      #expect(try store.find("Text", "SELF MATCHES TEXT 'fox'") == [1, 2, 3, 5])
      #expect(try store.find("Letter", "SELF MATCHES TEXT 'fox'") == [5])
      #expect(try store.find("Text", "title MATCHES TEXT 'fox'") == [1, 2, 3])
      #expect(try store.find("Text", "{title, body} MATCHES TEXT 'quick'") == [1, 4])
      #expect(try store.find("Text", "body MATCHES TEXT 'fox*'") == [3, 4])
      #expect(try store.find("Text", "SELF MATCHES TEXT 'quick fox'") == [1])
      #expect(try store.find("Text", "NOT SELF MATCHES TEXT 'fox'") == [4])
      #expect(try store.find("Text", "SELF MATCHES TEXT 'fox -quick'") == [2, 3, 5])
      #expect(try store.find("Author", "SELF MATCHES TEXT 'emile'") == [1])
    }
  }

  @Test func `rows that a path leads to are searched too`() async throws {
    try await run { store throws in
      #expect(try store.find("Text", "author.name MATCHES TEXT 'zola'") == [1, 5])
      #expect(try store.find("Text", "NOT author.name MATCHES TEXT 'zola'") == [2, 3, 4])
      #expect(
        try store.find("Text", "{title, author.name} MATCHES TEXT 'zola OR slow'") == [1, 2, 5]
      )
      #expect(try store.find("Author", "texts MATCHES TEXT 'quick'") == [1])
      #expect(try store.find("Author", "texts.title MATCHES TEXT 'fox'") == [1, 2])
      #expect(
        try store.find(
          "Author",
          "SUBQUERY(texts, $x, SELF MATCHES TEXT 'fox' AND $x.body == nil).@count > 0"
        ) == [1, 2]
      )
    }
  }

  @Test func `the best match is first by rank`() async throws {
    try await run { store throws in
      let rank = SortKey(.function(.rank, []), descending: true)
      let found = try store.find("Text", "SELF MATCHES TEXT 'fox'", sort: [rank])
      #expect(found.first == 3)
      #expect(Set(found) == [1, 2, 3, 5])
      #expect(
        try store.find("Text", "SELF MATCHES TEXT 'fox' OR title == 'Dogs'", sort: [rank]).last == 4
      )
      #expect(
        try store.find("Text", "SELF MATCHES TEXT 'fox' AND rank() > 0.0").isEmpty == false
      )
      let error = #expect(throws: DepotError.self) {
        try store.find("Text", "title == 'x'", sort: [rank])
      }
      #expect(error?.code == .predicate)
    }
  }

  @Test func `the index follows changes, deletions, and rejected requests`() async throws {
    try await run { store throws in
      try await store.write(
        "update",
        "{\"entity\":\"Text\",\"ids\":[1],\"set\":{\"title\":\"A cat\"}}"
      )
      #expect(try store.find("Text", "title MATCHES TEXT 'fox'") == [2, 3])
      #expect(try store.find("Text", "title MATCHES TEXT 'cat'") == [1])
      try await store.write("delete", "{\"entity\":\"Text\",\"ids\":[3]}")
      #expect(try store.find("Text", "title MATCHES TEXT 'fox'") == [2])
      await #expect(throws: DepotError.self) {
        try await store.write(
          "insert",
          "{\"entity\":\"Text\",\"columns\":[\"title\"],\"rows\":[[\"fox\"],[null]]}"
        )
      }
      #expect(try store.find("Text", "title MATCHES TEXT 'fox'") == [2])
      let problems = try rows(
        "SELECT count(*) FROM \"f_Text\" WHERE \"f_Text\" MATCH 'fox'",
        in: store.path
      )
      #expect(problems == [[.integer(2)]])
    }
  }

  @Test func `attributes that become searchable are indexed`() async throws {
    try await run { store throws in
      var schema = Self.schema
      schema.entities[1].attributes[2].options.insert(.spotlight)
      schema.entities[3].attributes[0].options.insert(.spotlight)
      try await store.write(
        "insert",
        "{\"entity\":\"Plain\",\"columns\":[\"name\"],\"rows\":[[\"fox\"]]}"
      )
      try await store.write(
        "update",
        "{\"entity\":\"Text\",\"ids\":[4],\"set\":{\"kind\":\"Fox\"}}"
      )
      try await store.define(schema)
      #expect(try store.find("Plain", "SELF MATCHES TEXT 'fox'") == [1])
      #expect(try store.find("Text", "SELF MATCHES TEXT 'fox'") == [1, 2, 3, 4, 5])
      try await store.write(
        "insert",
        "{\"entity\":\"Plain\",\"columns\":[\"name\"],\"rows\":[[\"Fox\"]]}"
      )
      #expect(try store.find("Plain", "SELF MATCHES TEXT 'fox'") == [1, 2])
    }
  }

  @Test func `what can't be searched is refused`() async throws {
    try await run { store throws in
      for predicate in [
        "kind MATCHES TEXT 'x'", "SELF MATCHES TEXT '-x'", "author.nam MATCHES TEXT 'x'",
      ] {
        #expect(throws: DepotError.self) { try store.find("Text", predicate) }
      }
      let error = #expect(throws: DepotError.self) {
        try store.find("Plain", "SELF MATCHES TEXT 'x'")
      }
      #expect(error?.hint?.contains("spotlight") == true)
    }
  }

  @Test func `the plan uses the index`() async throws {
    try await run { store throws in
      let plan = try store.explain("Text", "title MATCHES TEXT 'fox'")
      #expect(plan["uses"]?.array?.contains(.string("f_Text")) == true)
      #expect(plan["fullScan"]?.bool == false)
    }
  }

  @Test func `the store finds what a search in memory finds`() async throws {
    let schema = Schema(entities: [
      Entity(
        name: "Text",
        attributes: ["a", "b"].map {
          Attribute(name: $0, type: .string, isOptional: true, options: .spotlight)
        }
      )
    ])
    var random = ValueGenerator(seed: 7)
    let words = ["fox", "Fox", "dog", "fóx", "DO", "x1", "Straße", "naïve", "ΑΒΓ", "été"]
    func text() -> String {
      (0..<random.int(0...5)).map { _ in
        random.pick(words) + random.pick([" ", ", ", "-", ". ", "'"])
      }.joined()
    }
    let texts = (0..<80).map { _ in (text(), text()) }
    try await SpecialFixture.run(schema) { store in
      let request = InsertRequest(
        entity: "Text",
        columns: ["a", "b"],
        rows: RowBatch(texts.map { [.string($0.0), .string($0.1)] })
      )
      try await store.writer.write(.insert(request))
      var found = 0
      for _ in 0..<400 {
        var parts: [String] = []
        for index in 0..<random.int(1...3) {
          let sign = index > 0 ? random.pick(["", "", "-", "OR "]) : ""
          let word = random.pick(words)
          let form = random.pick([word, word + "*", "\"\(word) \(random.pick(words))\"", "ab"])
          parts.append(sign + form)
        }
        let text = parts.joined(separator: " ")
        guard let query = try? SearchQuery(text) else { continue }
        let isOne = random.int(0...1) == 1
        let expected = texts.indices.filter { index in
          query.matches(isOne ? [texts[index].1] : [texts[index].0, texts[index].1])
        }.map { Int64($0 + 1) }
        let predicate = QueryExpression.search(isOne ? ["b"] : [], text)
        let rows = try store.rows(FetchRequest(entity: "Text", predicate: predicate))
        #expect(rows.compactMap { $0.first?.int64 } == expected, "\(text)")
        found += expected.count
      }
      #expect(found > 500)
    }
  }
}
