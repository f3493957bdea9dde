import Testing

@testable import SwiftData

/// A raw value that has to be an address.
struct MailAddress: RawRepresentable, Codable, Hashable {
  let rawValue: String
  init?(rawValue: String) {
    guard rawValue.contains("@") else { return nil }
    self.rawValue = rawValue
  }
}

/// A raw value that has to be positive.
struct Standing: RawRepresentable, Codable, Hashable {
  let rawValue: Int
  init?(rawValue: Int) {
    guard rawValue > 0 else { return nil }
    self.rawValue = rawValue
  }
}

/// A value that checks what it is decoded from.
struct Route: Codable, Hashable {
  var stops: [String]
  var speed: Double

  init(stops: [String], speed: Double) {
    self.stops = stops
    self.speed = speed
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    stops = try container.decode([String].self, forKey: .stops)
    speed = try container.decode(Double.self, forKey: .speed)
    guard speed > 0, !stops.isEmpty, stops.allSatisfy({ !$0.isEmpty }) else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no route"))
    }
  }
}

/// A value that is stored as JSON.
enum Itinerary: Codable, Hashable {
  case by(Route)

  var route: Route? {
    switch self {
    case .by(let route): route
    }
  }
}

/// A value that only a transformer makes.
final class Sketch {
  let lines: [String]
  init(lines: [String]) { self.lines = lines }
}

final class SketchTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Sketch).map { Data($0.lines.joined(separator: "\n").utf8) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map {
      Sketch(lines: String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init))
    }
  }
}

@Model final class Courier {
  var address: MailAddress
  var rank: Standing
  var itinerary: Itinerary
  @Attribute(.transformable(by: SketchTransformer.self)) var sketch: Sketch

  init(address: MailAddress, rank: Standing, itinerary: Itinerary, sketch: Sketch) {
    self.address = address
    self.rank = rank
    self.itinerary = itinerary
    self.sketch = sketch
  }
}

@Suite struct `Values that stand in for others` {
  @Test func `types that check their values have some that pass`() throws {
    #expect(Placeholder.lastResort(MailAddress.self)?.rawValue.contains("@") == true)
    #expect(Placeholder.lastResort(Standing.self).map { $0.rawValue > 0 } == true)
    #expect(Placeholder.lastResort(Route.self)?.stops.isEmpty == false)
    #expect(Placeholder.of([Standing].self) == [])
    #expect(Placeholder.of(String.self) == "")
    #expect(Placeholder.of(Int.self) == 0)
  }

  @Test func `an object whose row isn't there can be read`() throws {
    let container = try ModelContainer(storing: Courier.self)
    let context = ModelContext(container)
    let courier = Courier(
      address: try #require(MailAddress(rawValue: "a@example.org")),
      rank: try #require(Standing(rawValue: 3)),
      itinerary: .by(Route(stops: ["Oslo"], speed: 2)),
      sketch: Sketch(lines: ["x"])
    )
    context.insert(courier)
    try context.save()
    let identifier = courier.persistentModelID
    context.delete(courier)
    try context.save()
    #expect(courier.rank.rawValue == 3)

    let unknown = PersistentIdentifier(identifier.entity, .row(4_711))
    let missing = try #require(ModelContext(container).model(for: unknown) as? Courier)
    #expect(missing.rank.rawValue > 0)
    #expect(missing.address.rawValue.contains("@"))
    #expect(missing.itinerary.route?.stops.isEmpty == false)
    #expect(missing.sketch.lines.isEmpty)
    #expect(missing.snapshot.rank.rawValue > 0)
  }
}
