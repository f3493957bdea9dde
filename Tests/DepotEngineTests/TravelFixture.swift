import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// A small store with every kind of relationship, a hierarchy, and composite values.
struct TravelFixture {
  let store: ReaderFixture
  let reader: QuickReader

  init() throws {
    store = try ReaderFixture(Self.schema)
    reader = try QuickReader(path: store.path, budget: 10_000_000_000)
    try fill()
  }

  /// Sends a read and returns its frames.
  func frames(_ operation: DepotProtocol.Operation) throws -> [JSONValue] {
    try #require(try store.quick(operation, reader))
  }

  /// Returns what a long read delivers.
  func delivered(_ operation: DepotProtocol.Operation) async throws -> Delivered {
    try await .reading(operation, store.catalog, path: store.path)
  }

  /// Returns all rows of a fetch.
  func rows(_ request: FetchRequest) throws -> [[JSONValue]] {
    try frames(.fetch(request)).flatMap { $0["next"]?.array ?? [] }.map { $0.array ?? [] }
  }

  /// Returns the identifiers of all rows of a fetch.
  func identifiers(_ request: FetchRequest) throws -> [Int64] {
    try rows(request).compactMap { $0.first?.int64 }
  }

  static let schema = Schema(entities: [
    Entity(
      name: "Country",
      attributes: [
        Attribute(name: "name", type: .string, isUnique: true),
        Attribute(name: "area", type: .double, isOptional: true, isIndexed: true),
        Attribute(name: "founded", type: .date, isOptional: true),
        Attribute(name: "names", type: .string, collection: .array, isOptional: true),
        Attribute(
          name: "note",
          type: .string,
          isOptional: true,
          defaultValue: .string("new"),
          options: .ephemeral
        ),
      ],
      relationships: [
        Relationship(name: "capital", destination: "City", inverse: "capitalOf"),
        Relationship(
          name: "subdivisions",
          destination: "Subdivision",
          inverse: "country",
          isToMany: true,
          isOrdered: true
        ),
        Relationship(
          name: "tags",
          destination: "Tag",
          inverse: "countries",
          isToMany: true,
          isOrdered: true
        ),
        Relationship(name: "trips", destination: "Trip", inverse: "country", isToMany: true),
      ]
    ),
    Entity(
      name: "City",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(
          name: "capitalOf",
          destination: "Country",
          inverse: "capital",
          isOptional: false
        )
      ]
    ),
    Entity(
      name: "Subdivision",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(name: "country", destination: "Country", inverse: "subdivisions")
      ]
    ),
    Entity(
      name: "Tag",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(
          name: "countries",
          destination: "Country",
          inverse: "tags",
          isToMany: true
        )
      ]
    ),
    Entity(
      name: "Trip",
      isAbstract: true,
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "price", type: .int64, isOptional: true),
        Attribute(
          name: "home",
          type: .composite,
          properties: [
            Attribute(name: "city", type: .string),
            Attribute(name: "zip", type: .int64, isOptional: true),
          ],
          isOptional: true
        ),
      ],
      relationships: [
        Relationship(name: "country", destination: "Country", inverse: "trips")
      ]
    ),
    Entity(
      name: "BusinessTrip",
      parent: "Trip",
      attributes: [
        Attribute(name: "perDiem", type: .decimal, isOptional: true),
        Attribute(name: "note", type: .string, isOptional: true),
      ]
    ),
    Entity(
      name: "PersonalTrip",
      parent: "Trip",
      attributes: [Attribute(name: "note", type: .string, isOptional: true)]
    ),
  ])

  private func fill() throws {
    try store.insert("Country", 1, ["name": .string("France"), "area": .double(551)])
    try store.insert(
      "Country",
      2,
      [
        "name": .string("Italy"), "area": .double(301),
        "founded": .date(Date(timeIntervalSinceReferenceDate: 0)),
        "names": .list([.string("Italia"), .string("Italien")]),
      ]
    )
    try store.insert("Country", 3, ["name": .string("Atlantis")])
    try store.insert("City", 1, ["name": .string("Paris"), "capitalOf": .int64(1)])
    try store.insert("City", 2, ["name": .string("Rome"), "capitalOf": .int64(2)])
    let subdivisions: [(Int64, String, Int64, Int64)] = [
      (1, "Bretagne", 1, 2), (2, "Alsace", 1, 0), (3, "Corse", 1, 1), (4, "Lazio", 2, 0),
    ]
    for (identifier, name, country, place) in subdivisions {
      try store.insert(
        "Subdivision",
        identifier,
        ["name": .string(name), "country": .int64(country), "o_country": .int64(place)]
      )
    }
    for (identifier, name) in [(1, "sea"), (2, "wine"), (3, "myth")] as [(Int64, String)] {
      try store.insert("Tag", identifier, ["name": .string(name)])
    }
    try store.writer.execute(
      """
      INSERT INTO "j_Country.tags" (source, target, source_order)
      VALUES (1, 1, 1), (1, 2, 0), (2, 2, 0), (3, 3, 0), (3, 1, 1)
      """
    )
    try store.insert(
      "BusinessTrip",
      1,
      [
        "name": .string("Fair"), "price": .int64(900), "country": .int64(1),
        "perDiem": .decimal(Decimal(string: "30.5") ?? 0), "note": .string("receipts"),
        "home": .bool(true), "home.city": .string("Bonn"), "home.zip": .int64(53111),
      ]
    )
    try store.insert(
      "PersonalTrip",
      2,
      ["name": .string("Beach"), "price": .int64(400), "country": .int64(2), "home": .bool(false)]
    )
    try store.insert(
      "PersonalTrip",
      3,
      ["name": .string("Hike"), "note": .string("boots"), "home": .bool(false)]
    )
  }
}
