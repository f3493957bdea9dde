import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotCommands

@Suite struct WholeStoreTests {
  static let schema = Schema(entities: [
    Entity(
      name: "Trip",
      isAbstract: true,
      attributes: [
        Attribute(name: "label", type: .string),
        Attribute(name: "shout", type: .string, isOptional: true, derivation: "uppercase(label)"),
      ],
      relationships: [
        Relationship(
          name: "stops",
          destination: "Stop",
          inverse: "trip",
          isToMany: true,
          isOrdered: true
        ),
        Relationship(name: "friends", destination: "Trip", inverse: "friends", isToMany: true),
      ]
    ),
    Entity(
      name: "Cruise",
      parent: "Trip",
      attributes: [Attribute(name: "ship", type: .string, isOptional: true)]
    ),
    Entity(name: "Hike", parent: "Trip", attributes: []),
    Entity(
      name: "Stop",
      attributes: [
        Attribute(name: "code", type: .string, isUnique: true),
        Attribute(name: "tags", type: .string, collection: .array, isOptional: true),
      ],
      relationships: [
        Relationship(name: "trip", destination: "Trip", inverse: "stops", isOptional: true),
        Relationship(name: "next", destination: "Stop", inverse: "before"),
        Relationship(name: "before", destination: "Stop", inverse: "next"),
        Relationship(name: "city", destination: "City", isOptional: false),
        Relationship(name: "guides", destination: "Guide", inverse: "stops", isToMany: true),
      ]
    ),
    Entity(
      name: "Guide",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(name: "stops", destination: "Stop", inverse: "guides", isToMany: true)
      ]
    ),
    Entity(name: "City", attributes: [Attribute(name: "name", type: .string)]),
  ])

  @Test func `each relationship is written once, where its order is known`() {
    let plan = ExportPlan(Self.schema)
    let names = plan.files.map { file in
      "\(file.entity) \(file.sort) \(file.attributes.joined(separator: ","))"
        + " \(file.relationships.map(\.name).joined(separator: ","))"
    }
    #expect(
      names == [
        "Cruise $id label,ship stops,friends", "Hike $id label stops,friends",
        "City $id name ", "Stop code code,tags trip,before,city", "Guide $id name stops",
      ]
    )
  }

  /// Fetches from a store in memory as the service does.
  private func fetch(_ store: FakeGraphStore) -> StoreExport.Fetch {
    { request, body in
      let schema = Self.schema
      var rows = store.rows.filter { _, row in
        row.entity == request.entity
          || request.includesSubentities
            && schema.descendants(of: request.entity).contains { $0.name == row.entity }
      }.sorted { $0.key < $1.key }
      if case .attribute(let path)? = request.sort.first?.expression, path != "$id" {
        rows.sort { ($0.value.values[path]?.string ?? "") < ($1.value.values[path]?.string ?? "") }
      }
      for (identifier, row) in rows {
        var values: [String: [UInt8]] = [:]
        for name in request.select ?? [] {
          values[name] = Array((row.values[name] ?? .null).text.utf8)
        }
        try body(identifier, values)
      }
    }
  }

  private func export(_ store: FakeGraphStore, to folder: String) throws -> [String: String] {
    let export = try StoreExport(Self.schema, fetch: fetch(store))
    var files: [String: String] = [:]
    for file in export.plan.files {
      var text: [UInt8] = []
      try export.lines(file) { text += $0 }
      files[file.entity] = String(decoding: text, as: UTF8.self)
      try Data(text).write(to: URL(filePath: "\(folder)/\(file.entity).ndjson"))
    }
    return files
  }

  /// Fills a store with rows whose identifiers have gaps and are in no order of their entities.
  private func randomStore(_ generator: inout some RandomNumberGenerator) -> FakeGraphStore {
    let store = FakeGraphStore()
    store.uniques = ["Stop": "code"]
    var ids: [String: [Int64]] = [:]
    var identifier: Int64 = 0
    for _ in 0..<Int.random(in: 1...40, using: &generator) {
      identifier += Int64.random(in: 1...5, using: &generator)
      let entity =
        ["Cruise", "Hike", "Stop", "Guide", "City"].randomElement(using: &generator) ?? ""
      ids[entity, default: []].append(identifier)
      store.rows[identifier] = .init(
        entity: entity,
        values: ["name": .string("n\(identifier % 3)"), "label": .string("l\(identifier % 2)")]
      )
    }
    let trips = (ids["Cruise"] ?? []) + (ids["Hike"] ?? [])
    let stops = ids["Stop"] ?? []
    func some(_ list: [Int64]) -> JSONValue {
      .array(list.filter { _ in Bool.random(using: &generator) }.map(JSONValue.int64))
    }
    for trip in trips {
      store.rows[trip]?.values["friends"] = some(trips.shuffled(using: &generator))
      store.rows[trip]?.values["stops"] = some(stops.shuffled(using: &generator))
    }
    for guide in ids["Guide"] ?? [] { store.rows[guide]?.values["stops"] = some(stops) }
    for (number, stop) in stops.shuffled(using: &generator).enumerated() {
      guard let city = ids["City"]?.randomElement(using: &generator) else {
        // A stop without a city can't be.
        store.rows = store.rows.filter { $0.value.entity == "Guide" || $0.value.entity == "City" }
          .mapValues { .init(entity: $0.entity, values: ["name": $0.values["name"] ?? .null]) }
        return store
      }
      store.rows[stop]?.values["code"] = .string("s\(number)")
      store.rows[stop]?.values["tags"] = .array([.string("x\(number)")])
      store.rows[stop]?.values["city"] = .int64(city)
      if let before = stops.randomElement(using: &generator) {
        store.rows[stop]?.values["before"] = .int64(before)
      }
      if let trip = trips.randomElement(using: &generator) {
        store.rows[stop]?.values["trip"] = .int64(trip)
      }
    }
    return store
  }

  @Test(arguments: seeds(80))
  func `what is imported is exported with the same bytes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let store = randomStore(&generator)
    let folder = try TemporaryFolder()
    let files = try export(store, to: folder.path)
    let copy = FakeGraphStore()
    copy.uniques = store.uniques
    var options = GraphImporter.Options()
    options.batch = Int.random(in: 1...20, using: &generator)
    let importing = StoreImport(Self.schema, copy, options) { entity in
      try InputFile("\(folder.path)/\(entity).ndjson")
    }
    try importing.run()
    #expect(importing.outcome.inserted == store.rows.count)
    #expect(try export(copy, to: folder.path) == files)
  }

  @Test(arguments: seeds(80))
  func `an interrupted import of all files goes on where it was`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let store = randomStore(&generator)
    let folder = try TemporaryFolder()
    let files = try export(store, to: folder.path)
    let copy = FakeGraphStore()
    copy.uniques = store.uniques
    copy.failures = (0..<12).map { _ in
      [nil, nil, .before, .after].randomElement(using: &generator) ?? nil
    }
    var options = GraphImporter.Options()
    options.batch = Int.random(in: 1...20, using: &generator)
    func attempt() throws -> Int {
      let importing = StoreImport(Self.schema, copy, options) { entity in
        try InputFile("\(folder.path)/\(entity).ndjson")
      }
      let (journal, history) = try ImportJournal.open(path: folder.path + "/j", source: "s")
      importing.resume(journal, history, keyPrefix: "k")
      try importing.run()
      return importing.outcome.inserted
    }
    var inserted: Int?
    for _ in 0..<30 where inserted == nil {
      do {
        inserted = try attempt()
      } catch let error as DepotError {
        #expect(error.code == .disconnected)
      }
    }
    #expect(inserted == store.rows.count)
    #expect(try export(copy, to: folder.path) == files)
    // Once more changes nothing.
    let rows = copy.rows
    let saves = copy.saves
    #expect(try attempt() == store.rows.count)
    #expect(copy.rows == rows)
    #expect(copy.saves == saves)
  }

  @Test func `a record that can't be stored is named with its file`() throws {
    let folder = try TemporaryFolder()
    _ = try export(FakeGraphStore(), to: folder.path)
    try Data("{\"code\":\"a\",\"city\":\"City/9\"}\n".utf8)
      .write(to: URL(filePath: folder.path + "/Stop.ndjson"))
    let importing = StoreImport(Self.schema, FakeGraphStore(), .init()) { entity in
      try InputFile("\(folder.path)/\(entity).ndjson")
    }
    let error = #expect(throws: DepotError.self) { try importing.run() }
    #expect(error?.at == "Stop.ndjson, line 1, city")
    #expect(error?.hint?.contains("--rejects") == false)
  }
}
