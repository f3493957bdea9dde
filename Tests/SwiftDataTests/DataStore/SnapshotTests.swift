import SwiftData
import Testing

@Suite struct `Snapshots` {
  @Test func `a snapshot is encoded by the names of the properties`() throws {
    let journey = Journey("Oslo")
    journey.budget = 1.5
    journey.temper = .wild
    journey.guide = Guide("Ann")
    journey.stops = [Stopover("Lom")]
    let snapshot = journey.made
    let json = try JSONEncoder().encode(snapshot)
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.contains("\"title\":\"Oslo\""))
    #expect(text.contains("\"temper\":\"wild\""))
    #expect(text.contains("\"cover\":null"))

    let decoded = try JSONDecoder().decode(DefaultSnapshot.self, from: json)
    #expect(decoded.persistentIdentifier == journey.persistentModelID)
    #expect(decoded[property: "title"] as? String == "Oslo")
    #expect(decoded[property: "start"] as? Date == journey.start)
    #expect(decoded[property: "ticket"] as? UUID == journey.ticket)
    #expect(decoded[property: "budget"] as? Double == 1.5)
    #expect(decoded[property: "temper"] as? Temper == .wild)
    #expect(decoded[property: "cover"] == nil)
    #expect(decoded[property: "guide"] as? PersistentIdentifier == journey.guide?.persistentModelID)
    let stops = decoded[property: "stops"] as? [PersistentIdentifier]
    #expect(stops == journey.stops.map(\.persistentModelID))
  }

  @Test func `a copy has other identifiers where they are replaced`() throws {
    let journey = Journey("Oslo")
    journey.guide = Guide("Ann")
    journey.stops = [Stopover("Lom"), Stopover("Vik")]
    let guide = try #require(journey.guide).persistentModelID
    let stop = journey.stops[1].persistentModelID
    func permanent(_ entity: String, _ key: Int) throws -> PersistentIdentifier {
      try .identifier(for: "s", entityName: entity, primaryKey: key)
    }
    let copy = journey.made.copy(
      persistentIdentifier: try permanent("Journey", 1),
      remappedIdentifiers: [guide: try permanent("Guide", 2), stop: try permanent("Stopover", 3)]
    )
    #expect(copy.persistentIdentifier == (try permanent("Journey", 1)))
    #expect(copy[property: "guide"] as? PersistentIdentifier == (try permanent("Guide", 2)))
    #expect(
      copy[property: "stops"] as? [PersistentIdentifier]
        == [journey.stops[0].persistentModelID, try permanent("Stopover", 3)]
    )
    #expect(journey.made.copy(persistentIdentifier: guide)[property: "title"] as? String == "Oslo")
  }

  @Test func `what leads to other objects is told`() {
    let journey = Journey("Oslo")
    journey.guide = Guide("Ann")
    journey.stops = [Stopover("Lom")]
    var related: [PersistentIdentifier: any BackingData] = [:]
    _ = DefaultSnapshot(from: journey.persistentBackingData, relatedBackingDatas: &related)
    #expect(related.count == 2)
    let stop = related[journey.stops[0].persistentModelID] as? any BackingData<Stopover>
    #expect(stop?.getValue(forKey: \.place) == "Lom")
  }

  @Test func `what a class doesn't know stays in a snapshot`() throws {
    let journey = Journey("Oslo")
    let json = String(decoding: try JSONEncoder().encode(journey.made), as: UTF8.self)
    let more = json.dropLast() + ",\"later\":{\"a\":[1,2.5,true,null,\"x\"]}}"
    let decoded = try JSONDecoder().decode(DefaultSnapshot.self, from: Data(more.utf8))
    let again = String(decoding: try JSONEncoder().encode(decoded), as: UTF8.self)
    #expect(again.contains("\"later\":{\"a\":[1,2.5,true,null,\"x\"]}"))
  }

  @Test func `a snapshot of a class that isn't known stays as it was read`() throws {
    let text = """
      {"persistentIdentifier":{"entity":"NoSuchThing","store":"s","row":1},"a":"b","n":12345678901}
      """
    let decoded = try JSONDecoder().decode(DefaultSnapshot.self, from: Data(text.utf8))
    #expect(decoded[property: "a"] as? String == "b")
    #expect(decoded[property: "n"] as? Int64 == 12_345_678_901)
    let again = String(decoding: try JSONEncoder().encode(decoded), as: UTF8.self)
    #expect(again.contains("\"a\":\"b\""))
    #expect(again.contains("12345678901"))
  }

  @Test func `a value of another type is an error that names the property`() throws {
    let journey = Journey("Oslo")
    journey.days = 1
    let json = String(decoding: try JSONEncoder().encode(journey.made), as: UTF8.self)
    let wrong = json.replacingOccurrences(of: "\"days\":1", with: "\"days\":\"many\"")
    #expect(wrong != json)
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(DefaultSnapshot.self, from: Data(wrong.utf8))
    }
    #expect("\(String(describing: error))".contains("days"))
  }

  @Test func `values of all kinds come back as they were`() throws {
    let kinds = Kinds()
    kinds.double = 0.1 + 0.2
    kinds.decimal = try #require(Decimal(string: "12345678901234567890.12345"))
    kinds.unsigned = .max
    kinds.map = ["a": [1, 2]]
    kinds.place = Spot(city: "Oslo", zip: nil)
    kinds.maybe = Spot(city: "Lom", zip: 2686)
    kinds.link = URL(string: "https://example.org/a?b=c")
    let folder = try TemporaryFolder()
    let configuration = JSONStoreConfiguration(
      name: "kinds",
      fileURL: folder.url.appendingPathComponent("kinds.json")
    )
    kinds.float = 1.25
    let context = ModelContext(try ModelContainer(for: Kinds.self, configurations: configuration))
    context.insert(kinds)
    try context.save()
    let other = ModelContext(try ModelContainer(for: Kinds.self, configurations: configuration))
    let found = try #require(try other.fetch(FetchDescriptor<Kinds>()).first)
    #expect(found.float == kinds.float)
    #expect(found.double == kinds.double)
    #expect(found.decimal == kinds.decimal)
    #expect(found.unsigned == kinds.unsigned)
    #expect(found.map == kinds.map)
    #expect(found.place == kinds.place)
    #expect(found.maybe == kinds.maybe)
    #expect(found.nothing == nil)
    #expect(found.link == kinds.link)
    #expect(found.set == kinds.set)
  }
}

extension PersistentModel {
  /// A snapshot of the object.
  fileprivate var made: DefaultSnapshot {
    var related: [PersistentIdentifier: any BackingData] = [:]
    return DefaultSnapshot(from: persistentBackingData, relatedBackingDatas: &related)
  }
}

struct Spot: Codable, Equatable {
  var city: String
  var zip: Int?
}

@Model final class Kinds {
  var float: Float = 0
  var double: Double = 0
  var decimal: Decimal = 0
  var unsigned: UInt64 = 0
  var map: [String: [Int]] = [:]
  var set: Set<String> = ["a", "b"]
  var place: Spot = Spot(city: "", zip: nil)
  var maybe: Spot?
  var nothing: Spot?
  var link: URL?

  init() {}
}
