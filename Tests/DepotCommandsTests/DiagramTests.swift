import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotCommands

@Suite struct DiagramTests {
  /// A schema with every kind of relationship, and inheritance.
  static let schema = Schema(entities: [
    Entity(
      name: "Trip",
      isAbstract: true,
      attributes: [
        Attribute(name: "name", type: .string, isUnique: true),
        Attribute(name: "nights", type: .int64, width: .int16, isOptional: true),
        Attribute(
          name: "home",
          type: .composite,
          properties: [Attribute(name: "city", type: .string)],
          isOptional: true
        ),
      ],
      relationships: [
        Relationship(name: "country", destination: "Country", inverse: "trips"),
        Relationship(name: "guide", destination: "Person", isOptional: false),
      ]
    ),
    Entity(
      name: "Cruise",
      parent: "Trip",
      attributes: [Attribute(name: "ports", type: .string, collection: .set)],
      relationships: [
        Relationship(name: "crew", destination: "Person", inverse: "cruises", isToMany: true)
      ]
    ),
    Entity(
      name: "Country",
      attributes: [Attribute(name: "code", type: .string, isIndexed: true)],
      relationships: [
        Relationship(
          name: "trips",
          destination: "Trip",
          inverse: "country",
          isToMany: true,
          isOrdered: true,
          deleteRule: .cascade
        )
      ]
    ),
    Entity(
      name: "Person",
      attributes: [Attribute(name: "born", type: .date, options: .transient)],
      relationships: [
        Relationship(
          name: "cruises",
          destination: "Cruise",
          inverse: "crew",
          isToMany: true,
          minCount: 1
        ),
        Relationship(name: "friends", destination: "Person", inverse: "friends", isToMany: true),
      ]
    ),
  ])

  /// A schema whose names have letters of several scripts.
  private static let wide = Schema(entities: [
    Entity(
      name: "山",
      attributes: [
        Attribute(name: "名前", type: .string, options: .spotlight),
        Attribute(name: "höhe", type: .double),
      ],
      relationships: [Relationship(name: "город", destination: "Город")]
    ),
    Entity(name: "Город", attributes: [Attribute(name: "имя", type: .string)]),
  ])

  @Test func `letters that take two columns of a terminal leave the lines straight`() {
    let lines = TextDiagram.text(DiagramGraph(Self.wide)).split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.hasSuffix(" │ 名前   string  searchable │") })
    #expect(lines.contains { $0.hasSuffix(" │ höhe   double             │") })
  }

  @Test func `Mermaid gets names beyond ASCII in backticks`() {
    let text = MermaidDiagram.text(Self.wide)
    #expect(text.contains("  class `山` {\n    string 名前 searchable\n    double höhe\n  }\n"))
    #expect(text.contains("  `山` --> \"0..1\" `Город` : город\n"))
  }

  @Test func `boxes stand in layers and lines run between them`() {
    #expect(
      TextDiagram.text(DiagramGraph(Self.small)) == """
        ┌────────────────────────┐        ┌──────────────────────────────┐
        │ Country                │        │ City                         │
        ├────────────────────────┤        ├──────────────────────────────┤
        │ code    string  unique │        │ name     string   searchable │
        ├────────────────────────┤        ├──────────────────────────────┤
        │ cities  [City]         │┼┼────o<│ country  Country             │
        └────────────────────────┘        └──────────────────────────────┘

        """
    )
  }

  static let small = Schema(entities: [
    Entity(
      name: "Country",
      attributes: [Attribute(name: "code", type: .string, isUnique: true)],
      relationships: [
        Relationship(name: "cities", destination: "City", inverse: "country", isToMany: true)
      ]
    ),
    Entity(
      name: "City",
      attributes: [Attribute(name: "name", type: .string, options: .spotlight)],
      relationships: [
        Relationship(
          name: "country",
          destination: "Country",
          inverse: "cities",
          isOptional: false
        )
      ]
    ),
  ])

  @Test func `a narrow terminal gets one column`() {
    let lines = TextDiagram.text(DiagramGraph(Self.schema), width: 60)
      .split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 60 })
    let names = lines.compactMap { line in
      ["Trip ", "Cruise ", "Country ", "Person "].first { line.hasPrefix("│ \($0)") }
    }
    #expect(names == ["Trip ", "Cruise ", "Country ", "Person "])
  }

  @Test func `Mermaid gets a class diagram`() {
    #expect(
      MermaidDiagram.text(Self.schema) == """
        classDiagram
          direction LR
          class Trip {
            <<abstract>>
            string name unique
            int16? nights
            composite? home
            string home.city
          }
          class Cruise {
            set string ports
          }
          class Country {
            string code indexed
          }
          class Person {
            date born transient
          }
          Trip "*" -- "0..1" Country : country / trips
          Trip --> "1" Person : guide
          Trip <|-- Cruise
          Cruise "1..*" -- "*" Person : crew / cruises
          Person "*" -- "*" Person : friends / friends

        """
    )
  }

  /// The statements of a class diagram, as far as one is written here: a name is a word that begins
  /// none of Mermaid's own statements, or is in backticks; a member has no braces and no colon; and
  /// what follows the colon of a relation has neither a colon nor a semicolon.
  static let statements = [
    #"classDiagram"#, #"  direction (LR|RL|TB|BT)"#, #"  class NAME( \{)?"#, #"    <<\w+>>"#,
    #"    [^{}:();\n]+"#, #"  \}"#, #"  NAME <\|-- NAME"#,
    #"  NAME ("[0-9.*]+" --|-->) "[0-9.*]+" NAME : [^:;\n]+"#,
  ].map { "^\($0.replacing("NAME", with: name))$" }
  static let name =
    "(`\\w+`|(?!(class|classDef|cssClass|callback|call|click|link|href|style|note|namespace|"
    + "direction|end|title|accTitle|accDescr)\\b)[A-Za-z_]\\w*)"

  @Test func `each line for Mermaid is a statement of its class diagrams`() throws {
    let words = [
      "class", "note", "link", "callback", "style", "Class", "Classroom", "end", "title",
      "accTitle",
    ]
    let list = Schema(
      entities: words.map { word in
        Entity(
          name: word,
          attributes: [
            Attribute(name: "class", type: .string, collection: .set, isOptional: true),
            Attribute(name: "tags", type: .double, width: .float, collection: .array),
            Attribute(name: "link", type: .json, validation: .init(pattern: "{a;b:c}")),
          ],
          relationships: [
            Relationship(name: "note", destination: "class", isToMany: true, maxCount: 7)
          ]
        )
      }
    )
    let statements = try Self.statements.map { try Regex($0) }
    for schema in [Self.schema, list] {
      var isOpen = false
      for line in MermaidDiagram.text(schema).split(separator: "\n") {
        #expect(statements.contains { line.firstMatch(of: $0) != nil }, "\(line)")
        #expect(line.hasPrefix("    ") == isOpen || line == "  }", "\(line)")
        if line.hasSuffix("{") { isOpen = true }
        if line == "  }" { isOpen = false }
      }
      #expect(!isOpen)
    }
  }

  @Test func `SVG is well-formed XML with all names`() throws {
    let text = SVGDiagram.text(DiagramGraph(Self.schema))
    let folder = try TemporaryFolder()
    try text.write(toFile: folder.path + "/d.svg", atomically: true, encoding: .utf8)
    let check = "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])"
    #expect(
      try Program.run(["/usr/bin/python3", "-c", check, folder.path + "/d.svg"]).status == 0
    )
    for name in ["Trip", "Cruise", "Country", "Person", "cruises", "city"] {
      #expect(text.contains(">\(name)</text>"))
    }
  }

  @Test func `a page gets the elements of the same image, with names as texts`() throws {
    let graph = DiagramGraph(Self.schema)
    let page = SVGDiagram.json(graph)
    let boxes = page["boxes"]?.array ?? []
    #expect(boxes.map { $0["entity"]?.string } == Self.schema.entities.map(\.name))
    let edges = page["edges"]?.array ?? []
    let titles = edges.map { $0.array?[2].array?[2].string ?? "" }
    #expect(
      titles == [
        "Trip.country ↔ Country.trips", "Trip.guide → Person", "Cruise is a Trip",
        "Cruise.crew ↔ Person.cruises", "Person.friends ↔ Person.friends",
      ]
    )
    // Each element is in the image, with the same text.
    var texts: [String] = []
    func read(_ element: JSONValue) throws {
      let parts = try #require(element.array)
      #expect(parts.count >= 2 && parts[1].object != nil)
      for part in parts.dropFirst(2) {
        if let text = part.string { texts.append(text) } else { try read(part) }
      }
    }
    for box in boxes { for element in box["elements"]?.array ?? [] { try read(element) } }
    for edge in edges { try read(edge) }
    let image = SVGDiagram.text(graph)
    let expected = image.matches(of: #/>([^<>]+)<\/(?:text|title)>/#).map { String($0.1) }
    #expect(texts.sorted() == expected.sorted())
    let size = page["width"]?.int64.map { "width=\"\($0)\"" } ?? ""
    #expect(image.contains(size))
  }

  @Test func `names never become markup of an image`() {
    let name = "<b>\"&"
    let element = SVGElement("text", name, [("x", 1)], text: name)
    let quoted = "&lt;b&gt;&quot;&amp;"
    #expect(element.markup == "<text class=\"\(quoted)\" x=\"1\">\(quoted)</text>\n")
    #expect(element.json.text == #"["text",{"class":"<b>\"&","x":"1"},"<b>\"&"]"#)
  }

  @Test func `a schema without entities is an empty diagram`() {
    #expect(TextDiagram.text(DiagramGraph(Schema())).isEmpty)
    #expect(MermaidDiagram.text(Schema()) == "classDiagram\n  direction LR\n")
    #expect(SVGDiagram.text(DiagramGraph(Schema())).contains("<svg"))
  }

  @Test func `the table has what the schema says`() {
    #expect(
      SchemaTable.rows(Self.schema).prefix(7).map { $0.joined(separator: "|") } == [
        "Trip||entity|abstract", "Trip|name|string|unique", "Trip|nights|int16|optional",
        "Trip|home|composite|optional", "Trip|home.city|string|",
        "Trip|country|Country|optional, inverse trips", "Trip|guide|Person|",
      ]
    )
  }

  /// A schema with so many entities and relationships, each between any two of them.
  private func randomSchema(_ generator: inout some RandomNumberGenerator) -> Schema {
    let count = Int.random(in: 1...9, using: &generator)
    var schema = Schema(
      entities: (0..<count).map { index in
        Entity(
          name: "E\(index)",
          parent: index > 0 && Int.random(in: 0..<4, using: &generator) == 0
            ? "E\(Int.random(in: 0..<index, using: &generator))" : nil,
          attributes: (0..<Int.random(in: 0...4, using: &generator)).map {
            Attribute(name: "a\($0)", type: .string)
          }
        )
      }
    )
    for number in 0..<Int.random(in: 0...12, using: &generator) {
      let first = Int.random(in: 0..<count, using: &generator)
      let second = Int.random(in: 0..<count, using: &generator)
      let hasInverse = Bool.random(using: &generator)
      schema.entities[first].relationships.append(
        Relationship(
          name: "r\(number)",
          destination: "E\(second)",
          inverse: hasInverse ? "i\(number)" : nil,
          isToMany: Bool.random(using: &generator)
        )
      )
      guard hasInverse else { continue }
      schema.entities[second].relationships.append(
        Relationship(
          name: "i\(number)",
          destination: "E\(first)",
          inverse: "r\(number)",
          isToMany: Bool.random(using: &generator)
        )
      )
    }
    return schema
  }

  @Test(arguments: seeds(200))
  func `no line runs through a box or along another line`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let schema = randomSchema(&generator)
    for isColumn in [false, true] {
      let layout = DiagramLayout(DiagramGraph(schema), isColumn: isColumn)
      #expect(layout == DiagramLayout(DiagramGraph(schema), isColumn: isColumn))
      checkBoxes(layout)
      checkRoutes(layout)
    }
  }

  private func checkBoxes(_ layout: DiagramLayout) {
    var owners: [DiagramLayout.Point: Int] = [:]
    for (index, placed) in layout.boxes.enumerated() {
      for y in placed.y..<placed.y + placed.box.height {
        for x in placed.x..<placed.x + placed.width {
          #expect(owners.updateValue(index, forKey: .init(x: x, y: y)) == nil)
          #expect(x < layout.width && y < layout.height)
        }
      }
    }
    for route in layout.routes {
      for (start, end) in zip(route.points, route.points.dropFirst()) {
        #expect(start.x == end.x || start.y == end.y)
        for point in Self.points(start, end) { #expect(owners[point] == nil) }
      }
    }
  }

  /// Two edges may go along the same line only if they begin or end at the same place.
  private func checkRoutes(_ layout: DiagramLayout) {
    var users: [DiagramLayout.Point: [Bool: Int]] = [:]
    for (index, route) in layout.routes.enumerated() {
      for (start, end) in zip(route.points, route.points.dropFirst()) where start != end {
        for point in Self.points(start, end).dropFirst().dropLast() {
          let isLevel = start.y == end.y
          let other = users[point]?[isLevel]
          users[point, default: [:]][isLevel] = index
          guard let other, other != index else { continue }
          let ends = [layout.routes[other], route].map { Set([$0.points.first, $0.points.last]) }
          #expect(!ends[0].isDisjoint(with: ends[1]))
        }
      }
    }
  }

  private static func points(
    _ start: DiagramLayout.Point,
    _ end: DiagramLayout.Point
  ) -> [DiagramLayout.Point] {
    (min(start.x, end.x)...max(start.x, end.x)).flatMap { x in
      (min(start.y, end.y)...max(start.y, end.y)).map { .init(x: x, y: $0) }
    }
  }
}
