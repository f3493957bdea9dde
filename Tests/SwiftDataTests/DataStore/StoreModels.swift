import SwiftData

enum Temper: String, Codable {
  case calm, wild
}

@Model final class Journey {
  var title: String
  var start: Date
  var days: Int = 1
  var budget: Double?
  var ticket: UUID
  var cover: Data?
  var tags: [String] = []
  var temper: Temper = Temper.calm
  @Relationship(deleteRule: .cascade, inverse: \Stopover.journey) var stops: [Stopover] = []
  var guide: Guide?

  init(_ title: String, start: Date = Date(timeIntervalSinceReferenceDate: 700_000_000)) {
    self.title = title
    self.start = start
    ticket = UUID()
  }
}

@Model final class Stopover {
  var place: String
  var order: Int
  var journey: Journey?

  init(_ place: String, order: Int = 0, journey: Journey? = nil) {
    self.place = place
    self.order = order
    self.journey = journey
  }
}

@Model final class Guide {
  var name: String
  @Relationship(inverse: \Journey.guide) var journeys: [Journey] = []

  init(_ name: String) { self.name = name }
}
