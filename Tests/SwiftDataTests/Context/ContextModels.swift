import SwiftData

@Model final class Gadget {
  @Attribute(.unique) var name: String
  var count: Int
  var price: Double
  var made: Date
  var isSold: Bool
  var note: String?

  init(name: String, count: Int = 0, price: Double = 1, note: String? = nil) {
    self.name = name
    self.count = count
    self.price = price
    made = Date(timeIntervalSinceReferenceDate: 1000)
    isSold = false
    self.note = note
  }
}

@Model final class Haven {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Ship.haven) var ships: [Ship] = []
  @Relationship(deleteRule: .deny, inverse: \Jetty.haven) var jetties: [Jetty] = []

  init(name: String) { self.name = name }
}

@Model final class Jetty {
  var name: String
  var haven: Haven?

  init(name: String, haven: Haven? = nil) {
    self.name = name
    self.haven = haven
  }
}

@Model final class Ship {
  var name: String
  var length: Double = 10
  var haven: Haven?
  @Relationship(inverse: \Pennant.ships) var pennants: [Pennant] = []
  @Relationship(inverse: \Licence.ship) var licence: Licence?
  var shipyard: Shipyard?

  init(name: String, haven: Haven? = nil) {
    self.name = name
    self.haven = haven
  }
}

@Model final class Pennant {
  var name: String
  var ships: [Ship] = []

  init(name: String) { self.name = name }
}

@Model final class Licence {
  var number: Int
  var ship: Ship?

  init(number: Int) { self.number = number }
}

@Model final class Shipyard {
  var name: String
  @Relationship(minimumModelCount: 0, maximumModelCount: 2) var laurels: [Laurel] = []

  init(name: String) { self.name = name }
}

@Model final class Laurel {
  var year: Int

  init(year: Int) { self.year = year }
}

@Model class Beast {
  var name: String
  var groom: Groom?

  init(name: String) { self.name = name }
}

@Model final class Mare: Beast {
  var height: Int

  init(name: String, height: Int) {
    self.height = height
    super.init(name: name)
  }
}

@Model final class Groom {
  var name: String
  @Relationship(inverse: \Beast.groom) var beasts: [Beast] = []

  init(name: String) { self.name = name }
}

@Model final class Setlist {
  var name: String
  @Relationship(.ordered, inverse: \Tune.setlist) var tunes: [Tune] = []
  @Relationship(.ordered) var favourites: [Tune] = []

  init(name: String) { self.name = name }
}

@Model final class Tune {
  var title: String
  var setlist: Setlist?

  init(title: String) { self.title = title }
}
