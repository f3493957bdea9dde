import SwiftData

@Model final class Voyage {
  var name: String
  var days = 3
  var price = 1.5
  var note: String?
  var isDone = false
  var rating: Int?
  var start = Date(timeIntervalSinceReferenceDate: 0)
  var mood = Mood.rough
  var rank = Rank.low
  var home = Berth(city: "Bergen", isNear: true)
  var office: Berth?
  var tags: [String] = []
  var labels: [String]?
  var captain: Skipper?
  var guests: [Skipper]?
  @Relationship(inverse: \Halt.voyage) var stops: [Halt] = []

  init(name: String, days: Int = 3, note: String? = nil) {
    self.name = name
    self.days = days
    self.note = note
  }
}

struct Berth: Codable, Hashable {
  var city: String
  var isNear: Bool
  var marks: [String]? = nil
}

enum Rank: Int, Codable, Comparable {
  case low = 1
  case high = 5

  static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
}

enum Mood: String, Codable, CaseIterable { case calm, rough }

@Model final class Skipper {
  var name: String
  var age = 30
  var nickname: String?

  init(name: String, nickname: String? = nil) {
    self.name = name
    self.nickname = nickname
  }
}

@Model final class Halt {
  var city: String
  var nights = 1
  var isOptional = false
  var voyage: Voyage?

  init(city: String, nights: Int = 1) {
    self.city = city
    self.nights = nights
  }
}
