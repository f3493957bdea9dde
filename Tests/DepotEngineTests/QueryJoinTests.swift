import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// How queries over relationships are asked, and what they refuse.
@Suite struct QueryJoinTests {
  private let catalog: Catalog
  private let connection: Connection

  init() throws {
    catalog = Catalog(Self.schema, generation: 1)
    connection = try Connection(path: ":memory:", access: .writer)
    try TextFunctions.register(on: connection)
    for layout in catalog.tables { try connection.execute(layout.tableDefinition) }
    for layout in catalog.allLayouts {
      for addition in layout.additions { try connection.execute(addition.sql) }
    }
  }

  private static let schema = Schema(entities: [
    Entity(
      name: "Section",
      attributes: [Attribute(name: "name", type: .string, isIndexed: true)],
      relationships: [
        Relationship(name: "packages", destination: "Package", inverse: "section", isToMany: true)
      ]
    ),
    Entity(
      name: "Package",
      attributes: [
        Attribute(name: "name", type: .string, isIndexed: true),
        Attribute(name: "tags", type: .string, collection: .set),
        Attribute(
          name: "home",
          type: .composite,
          properties: [Attribute(name: "city", type: .string)],
          isOptional: true
        ),
      ],
      relationships: [
        Relationship(name: "section", destination: "Section", inverse: "packages"),
        Relationship(name: "needs", destination: "Package", inverse: "neededBy", isToMany: true),
        Relationship(name: "neededBy", destination: "Package", inverse: "needs", isToMany: true),
        Relationship(name: "uses", destination: "Use", inverse: "target", isToMany: true),
      ]
    ),
    Entity(
      name: "Use",
      attributes: [Attribute(name: "kind", type: .string, isIndexed: true)],
      relationships: [
        Relationship(name: "target", destination: "Package", inverse: "uses", isOptional: true)
      ]
    ),
  ])

  private func compile(_ predicate: QueryExpression) throws -> PredicateSQL {
    try PredicateSQL.compile(predicate, for: catalog.layout(of: "Package"), in: catalog)
  }

  private func plan(_ predicate: QueryExpression) throws -> [String] {
    let compiled = try compile(predicate)
    var lines: [String] = []
    try connection.statement(
      "EXPLAIN QUERY PLAN SELECT t0.id FROM \(compiled.source) WHERE \(compiled.sql)"
    ).run(compiled.parameters) { lines.append($0.text(3)) }
    return lines
  }

  private static let sectionName = QueryExpression.comparison(
    .equal,
    .attribute("section.name"),
    .value(.string("main"))
  )

  @Test func `paths share a join`() throws {
    let compiled = try compile(
      .and([Self.sectionName, .text(.begins, .attribute("section.name"), .value(.string("m")))])
    )
    #expect(compiled.source.components(separatedBy: " JOIN ").count == 2)
  }

  @Test func `a predicate without paths joins nothing`() throws {
    let compiled = try compile(.comparison(.equal, .attribute("section"), .value(.int64(1))))
    #expect(compiled.source == "\"e_Package\" AS t0")
    #expect(compiled.sql == "t0.\"r_section\" = ?")
  }

  static let served: [QueryExpression] = [
    sectionName,
    .quantified(
      .any,
      .attribute("needs"),
      "n",
      .comparison(.equal, .member(.variable("n"), "name"), .value(.string("libc6")))
    ),
    .quantified(
      .any,
      .attribute("needs"),
      "n",
      .comparison(.equal, .member(.variable("n"), "section.name"), .value(.string("main")))
    ),
    .contains(.attribute("needs"), .value(.int64(7))),
    .contains(.attribute("section.packages"), .value(.int64(7))),
    .in(.attribute("$id"), (0..<10_000).map { .value(.int64($0)) }),
    .in(.attribute("section"), (0..<10_000).map { .value(.int64($0)) }),
    .in(.attribute("name"), (0..<10_000).map { .value(.string("p\($0)")) }),
  ]

  /// Whether a step looks at all rows of a table; a list of constants is no table.
  private func isScan(_ step: String) -> Bool {
    step.hasPrefix("SCAN ") && !step.contains("VIRTUAL TABLE")
  }

  @Test(arguments: served)
  func `an index finds the rows`(predicate: QueryExpression) throws {
    let plan = try plan(predicate)
    #expect(!plan.contains(where: isScan), "\(plan)")
  }

  /// Predicates about uses, whose packages and their sections are two and three tables away.
  static let far = [
    "target.name == 'libc6'", "target.section.name == 'main'",
    "target.section.name IN {'main', 'games'}", "target.section.name BEGINSWITH 'ma'",
    "target.section.name BETWEEN {'m', 'n'}", "'main' == target.section.name",
    "target.section.name == 'main' AND target.section != NULL",
    "target.section.name == 'main' OR target.section.name == 'games'",
    "(target.section.name == 'a' AND target.name == 'b') OR target.section.name == 'games'",
    "target.section.name == 'main' OR kind == 'x'",
    "target.section.name == 'main' OR target.name == 'libc6' OR kind == 'x'",
    "kind == 'x' OR (target.section.name == 'main' AND kind != 'y')",
  ]

  @Test(arguments: far)
  func `a path is followed from its selective end`(text: String) throws {
    let compiled = try PredicateSQL.compile(
      PredicateParser.parse(text),
      for: catalog.layout(of: "Use"),
      in: catalog
    )
    var plan: [String] = []
    try connection.statement(
      "EXPLAIN QUERY PLAN SELECT t0.id FROM \(compiled.source) WHERE \(compiled.sql)"
    ).run(compiled.parameters) { plan.append($0.text(3)) }
    #expect(!plan.contains(where: isScan), "\(plan)")
    #expect(plan.contains { $0.contains("a_name") }, "\(plan)")
    #expect(plan.contains { $0.contains("r_target=?") }, "\(plan)")
  }

  @Test func `ten thousand constants are one parameter`() throws {
    let constants = (0..<10_000).map { QueryExpression.value(.int64($0)) }
    let compiled = try compile(.in(.attribute("$id"), constants))
    #expect(compiled.parameters.count == 1)
    let fewer = try compile(.in(.attribute("$id"), Array(constants.prefix(100))))
    #expect(fewer.sql == compiled.sql)
  }

  static let wrong: [(QueryExpression, String)] = [
    (.comparison(.equal, .attribute("home"), .value(.string("x"))), "composite"),
    (.comparison(.less, .attribute("section"), .value(.int64(1))), "order"),
    (.comparison(.equal, .attribute("section"), .attribute("needs")), "collection"),
    (.comparison(.equal, .attribute("section"), .variable("SELF")), "compared"),
    (.comparison(.equal, .attribute("section"), .value(.string("x"))), "compared"),
    (.arithmetic(.add, .attribute("section"), .value(.int64(1))), "not a number"),
    (.element(.attribute("tags"), 0), "no order"),
    (.quantified(.any, .attribute("name"), "x", .and([])), "one value"),
    (.is(.variable("SELF"), entity: "Section"), "never"),
    (.comparison(.equal, .variable("y"), .value(.int64(1))), "variable"),
    (.aggregate(.sum, .attribute("needs.name")), "number"),
    (.function(.uppercase, [.attribute("name"), .attribute("name")]), "argument"),
    (.function(.sqrt, [.attribute("name")]), "sqrt"),
    (.search([], "word"), "searchable"),
  ]

  @Test(arguments: wrong)
  func `what makes no sense is refused with a reason`(
    predicate: QueryExpression,
    part: String
  ) throws {
    let error = #expect(throws: DepotError.self) { try compile(predicate) }
    #expect(error?.code == .predicate)
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
  }

  @Test func `a path that leads nowhere brings the nearest name`() throws {
    let error = #expect(throws: DepotError.self) { try compile(.attribute("section.nam")) }
    #expect(error?.code == .unknownAttribute)
    #expect(error?.hint?.contains("name") == true)
  }

  @Test func `too many relationships at once are refused`() throws {
    let paths = (1...70).map { Array(repeating: "needs", count: $0).joined(separator: ".") }
    let error = #expect(throws: DepotError.self) {
      try compile(
        .comparison(.greater, .aggregate(.count, .attribute(paths[69])), .value(.int64(3)))
      )
    }
    #expect(error?.code == .predicateTooLarge)
  }
}
