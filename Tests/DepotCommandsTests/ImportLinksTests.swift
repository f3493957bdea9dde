import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotClientCore
@testable import DepotCommands

/// The links of imported records, and the messages about them.
@Suite struct ImportLinksTests {
  private let store = FakeGraphStore()
  private static let schema = Schema(entities: [
    Entity(
      name: "Stop",
      attributes: [Attribute(name: "label", type: .string)],
      relationships: [
        Relationship(name: "city", destination: "City", isOptional: true),
        Relationship(name: "line", destination: "Line", isOptional: true),
      ]
    ),
    Entity(name: "City", attributes: [Attribute(name: "name", type: .string)]),
    Entity(name: "Line", attributes: [Attribute(name: "number", type: .int64, isUnique: true)]),
  ])

  private func records(
    _ lines: [String],
    of name: String,
    _ schema: Schema,
    stores: [String: String] = [:]
  ) throws -> [GraphRecord] {
    let entity = try schema.entity(named: name)
    let reader = try GraphReader(schema, try LinkRules([], of: entity, schema), stores: stores)
    return try lines.enumerated().map { index, line in
      try reader.record(Array(line.utf8), of: entity, index: index, line: index + 1)
    }
  }

  private func reference(
    _ json: String,
    of relationship: String,
    stores: [String: String] = ["City": "here"]
  ) throws -> GraphReference? {
    let records = try records(
      [#"{"label":"x","\#(relationship)":\#(json)}"#],
      of: "Stop",
      Self.schema,
      stores: stores
    )
    return records[0].root?.links.first?.references.first
  }

  @Test func `an identifier of this store is taken, and one of another refused`() throws {
    let third = GraphReference.key(
      .identifier(of: try Self.schema.entity(named: "City")),
      .int64(3)
    )
    #expect(try reference("3", of: "city") == third)
    #expect(try reference(#""City/3""#, of: "city") == third)
    #expect(try reference(#""City/3@here""#, of: "city") == third)
    let error = #expect(throws: DepotError.self) {
      try reference(#""City/3@there""#, of: "city")
    }
    #expect(error?.code == .objectNotFound)
    #expect(error?.message == "City/3@there is a row of another store.")
    #expect(error?.hint?.contains("depot export --all") == true)
    #expect(throws: DepotError.self) { try reference(#""Line/3@here""#, of: "city") }
    #expect(throws: DepotError.self) { try reference(#""Rome""#, of: "city") }
  }

  @Test func `a number is a key where the key is a number`() throws {
    let key = NaturalKey(entity: "Line", path: "number", type: .int64)
    #expect(try reference("3", of: "line") == .key(key, .int64(3)))
    let identifier = GraphReference.key(
      .identifier(of: try Self.schema.entity(named: "Line")),
      .int64(3)
    )
    #expect(try reference(#""Line/3""#, of: "line") == identifier)
  }

  @Test func `what leads nowhere is found before anything is stored`() throws {
    store.rows[1] = .init(entity: "Maintainer", values: ["email": .string("m@x")])
    let lines = [
      #"{"name":"a","depends":["b","c"],"maintainer":"m@x"}"#,
      #"{"name":"b","depends":["zz"],"maintainer":{"email":"n@x"}}"#,
      #"{"name":"c","depends":["yy",9],"maintainer":"n@x"}"#,
    ]
    var check = LinkCheck()
    for record in try records(lines, of: "Package", GraphFixture.schema) { check.add(record) }
    let missing = try #require(try check.error(check.missing(store)))
    #expect(missing.line == 2)
    #expect(
      missing.error.message == "There is no Package whose name is \"zz\"."
        + " 2 other rows that links lead to are missing too."
    )
    #expect(missing.error.hint?.contains("--ignore-missing") == true)
    store.rows[8] = .init(entity: "Package", values: ["name": .string("yy")])
    store.rows[9] = .init(entity: "Package", values: ["name": .string("zz")])
    #expect(try check.missing(store).isEmpty)
  }

  private func run(_ importer: GraphImporter, _ lines: [String], of entity: String) throws {
    let records = try records(lines, of: entity, GraphFixture.schema)
    for record in records { try importer.add(record) }
    try importer.finishRows()
    try importer.link(records.filter { importer.deferred[$0.index] != nil })
  }

  @Test(arguments: [1, 100])
  func `rows inside of records are counted by themselves`(batch: Int) throws {
    var options = GraphImporter.Options()
    options.batch = batch
    let importer = GraphImporter(options, store)
    let lines = [
      #"{"name":"a","maintainer":{"email":"m@x"}}"#, #"{"name":"b","maintainer":{"email":"m@x"}}"#,
      #"{"name":"c","maintainer":"m@x","depends":[{"name":"d","maintainer":"m@x"}]}"#,
    ]
    try run(importer, lines, of: "Package")
    #expect(importer.outcome.inserted == 3)
    #expect(importer.outcome.related == ["Maintainer": 1, "Package": 1])
    let sentence = ImportSummary.text(importer.outcome, of: "Package", seconds: 1)
    #expect(
      sentence == "3 rows of Package: 3 inserted, and with them 1 row of Maintainer, "
        + "1 row of Package in 1.0 s",
      "\(sentence)"
    )
  }

  @Test func `links that lead nowhere are left out, and records that need them, if wanted`() throws
  {
    var options = GraphImporter.Options()
    options.ignoresMissing = true
    options.batch = 2
    let importer = GraphImporter(options, store)
    let lines = [
      #"{"label":"root","parent":null}"#, #"{"label":"lost","parent":"none"}"#,
      #"{"label":"leaf","parent":"root"}"#, #"{"label":"below","parent":"lost"}"#,
    ]
    try run(importer, lines, of: "Node")
    #expect(
      store.rows.values.compactMap { $0.values["label"]?.string }.sorted() == ["leaf", "root"]
    )
    #expect(importer.outcome.rejected == 2)
    #expect(importer.outcome.exitStatus == 65)
    #expect(importer.outcome.firstReason == "line 2: There is no Node whose label is \"none\".")
    let optional = GraphImporter(options, store)
    try run(
      optional,
      [#"{"name":"a","source":"zz","depends":["b","zz",99]}"#, #"{"name":"b","source":99}"#],
      of: "Package"
    )
    #expect(store.dependencies["a"] == ["b"])
    #expect(optional.outcome.ignoring == 2)
    #expect(optional.outcome.exitStatus == 0)
  }

  @Test(arguments: [InsertRequest.OnConflict.error, .skip, .replace])
  func `what a request did to its records is told apart`(onConflict: InsertRequest.OnConflict) {
    var outcome = Importer.Outcome()
    let pending = ImportJournal.Pending(
      request: SaveRequest(),
      key: "",
      records: [0, 1, 2, 3],
      deferred: [],
      rows: [:],
      related: ["Author": 2]
    )
    var result = SaveResult()
    result.inserted = onConflict == .error ? 6 : 5
    result.updated = onConflict == .replace ? 1 : 0
    outcome.add(result, pending, onConflict: onConflict)
    #expect(outcome.related == ["Author": 2])
    #expect(outcome.inserted == (onConflict == .error ? 4 : 3))
    #expect(outcome.updated == (onConflict == .replace ? 1 : 0))
    #expect(outcome.skipped == (onConflict == .skip ? 1 : 0))
    #expect(outcome.rows == 4)
  }
}
