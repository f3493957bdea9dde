import Foundation
import SwiftData

// A local copy of what a server tells, as apps keep it: decoded, inserted over what is there, and pruned.

@Model
final class Departure {
  @Attribute(.unique) var code: String
  var delay: Double
  var time: Date
  var pier: Pier

  struct Pier: Codable {
    var name: String
    var latitude: Double
    var longitude: Double
  }

  init(code: String, delay: Double, time: Date, pier: Pier) {
    self.code = code
    self.delay = delay
    self.time = time
    self.pier = pier
  }
}

extension Departure: Identifiable {}

/// The answer of the server.
struct Timetable: Decodable {
  struct Line: Decodable {
    struct Properties: Decodable {
      var code: String
      var delay: Double
      var time: Date
      var pier: String
    }
    struct Geometry: Decodable { var coordinates: [Double] }

    var properties: Properties
    var geometry: Geometry
  }

  var lines: [Line]
}

extension Departure {
  convenience init(from line: Timetable.Line) {
    self.init(
      code: line.properties.code,
      delay: line.properties.delay,
      time: line.properties.time,
      pier: Pier(
        name: line.properties.pier,
        latitude: line.geometry.coordinates[1],
        longitude: line.geometry.coordinates[0]
      )
    )
  }

  static func predicate(searchText: String, searchDate: Date) -> Predicate<Departure> {
    let calendar = Calendar.autoupdatingCurrent
    let start = calendar.startOfDay(for: searchDate)
    let end = calendar.date(byAdding: .init(day: 1), to: start) ?? start
    return #Predicate<Departure> { departure in
      (searchText.isEmpty || departure.pier.name.contains(searchText))
        && (departure.time > start && departure.time < end)
    }
  }

  static func total(modelContext: ModelContext) -> Int {
    (try? modelContext.fetchCount(FetchDescriptor<Departure>())) ?? 0
  }
}

/// Takes over what the server tells, and forgets what is older than a day before.
@ModelActor
actor DepartureCache {
  func refresh(from data: Data) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let timetable = try decoder.decode(Timetable.self, from: data)
    for line in timetable.lines { modelContext.insert(Departure(from: line)) }
    try modelContext.save()
    guard let newest = timetable.lines.map(\.properties.time).max() else { return }
    let old = newest.addingTimeInterval(-86_400)
    try modelContext.delete(model: Departure.self, where: #Predicate { $0.time < old })
  }
}
