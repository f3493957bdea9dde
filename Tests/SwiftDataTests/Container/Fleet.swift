import SwiftData

/// Ships' models.
enum Fleet {
  @Model final class Voyage {
    @Attribute(.unique) var title: String
    var days = 3
    var started: Date?
    @Relationship(deleteRule: .cascade, inverse: \Harbour.voyage) var harbours: [Harbour] = []
    var captain: Sailor?

    init(title: String) { self.title = title }
  }

  @Model final class Harbour {
    var name: String
    var voyage: Voyage?

    init(name: String) { self.name = name }
  }

  @Model final class Sailor {
    var name: String
    var voyages: [Voyage] = []

    init(name: String) { self.name = name }
  }

  @Model final class Buoy {
    var number: Int

    init(number: Int) { self.number = number }
  }

  /// Models of another version.
  enum Old {
    @Model final class Buoy {
      var name: String

      init(name: String) { self.name = name }
    }
  }
}
