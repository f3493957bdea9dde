import Foundation
import SwiftData

// Relationships and enumerations, as apps for collections have them, with a sample that can be loaded anew.

@Model
final class InstrumentFamily {
  @Attribute(.unique) var name: String
  // `.cascade` tells SwiftData to delete all instruments of a family that is deleted.
  @Relationship(deleteRule: .cascade, inverse: \Instrument.family)
  var instruments: [Instrument] = []

  init(name: String) { self.name = name }
}

@Model
final class Instrument {
  var name: String
  var voice: Voice
  var family: InstrumentFamily?

  init(name: String, voice: Voice) {
    self.name = name
    self.voice = voice
  }
}

extension Instrument {
  enum Voice: String, CaseIterable, Codable {
    case high = "High"
    case middle = "Middle"
    case low = "Low"
  }

  static func with(voice: Voice) -> FetchDescriptor<Instrument> {
    FetchDescriptor(
      predicate: #Predicate { $0.voice == voice },
      sortBy: [SortDescriptor(\.name)]
    )
  }
}

extension InstrumentFamily {
  static func insertSampleData(modelContext: ModelContext) {
    let strings = InstrumentFamily(name: "Strings")
    let winds = InstrumentFamily(name: "Winds")
    modelContext.insert(strings)
    modelContext.insert(winds)
    let violin = Instrument(name: "Violin", voice: .high)
    let cello = Instrument(name: "Cello", voice: .low)
    let flute = Instrument(name: "Flute", voice: .high)
    for instrument in [violin, cello, flute] { modelContext.insert(instrument) }
    violin.family = strings
    cello.family = strings
    flute.family = winds
  }

  static func reloadSampleData(modelContext: ModelContext) throws {
    try modelContext.delete(model: InstrumentFamily.self)
    insertSampleData(modelContext: modelContext)
  }
}
