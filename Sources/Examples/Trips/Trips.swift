import SwiftData

// Trips with bucket lists and places to stay, kept apart from the people in a store of their own.

@Model final class Trip {
  #Unique<Trip>([\.name, \.start])
  var name: String
  var start: Date
  var days: Int
  @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
  var bucketList: [BucketListItem] = []
  @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
  var accommodation: LivingAccommodation?

  init(name: String, start: Date, days: Int) {
    self.name = name
    self.start = start
    self.days = days
  }
}

@Model final class BucketListItem {
  var title: String
  var isDone: Bool
  var trip: Trip?

  init(title: String, isDone: Bool = false) {
    self.title = title
    self.isDone = isDone
  }
}

@Model final class LivingAccommodation {
  var place: String
  var isConfirmed = false
  var trip: Trip?

  init(place: String) { self.place = place }
}

@Model final class Person {
  var name: String

  init(name: String) { self.name = name }
}

@main struct Program {
  @MainActor static func main() throws {
    let travel = ModelConfiguration(
      "travel",
      schema: Schema([Trip.self, BucketListItem.self, LivingAccommodation.self]),
      isStoredInMemoryOnly: true
    )
    let people = ModelConfiguration(
      "people",
      schema: Schema([Person.self]),
      isStoredInMemoryOnly: true
    )
    let container = try ModelContainer(
      for: Trip.self,
      Person.self,
      configurations: travel,
      people
    )
    let context = container.mainContext
    context.undoManager = UndoManager()

    let day: TimeInterval = 86_400
    let summer = Date(timeIntervalSinceReferenceDate: 800_000_000)
    for (index, name) in ["Oslo", "Kyiv", "Lisbon", "Porto"].enumerated() {
      let trip = Trip(name: name, start: summer + Double(index) * 30 * day, days: 3 + index)
      trip.bucketList = ["Harbour", "Museum", "Market"].prefix(index + 1).map {
        BucketListItem(title: $0)
      }
      if index > 0 { trip.accommodation = LivingAccommodation(place: "Hotel \(name)") }
      context.insert(trip)
    }
    context.insert(Person(name: "Ada"))
    try context.save()

    // A predicate over a to-many relationship.
    let museums = try context.fetch(
      FetchDescriptor<Trip>(
        predicate: #Predicate { trip in
          trip.bucketList.contains { $0.title == "Museum" && !$0.isDone } && trip.days >= 4
        },
        sortBy: [SortDescriptor(\.name)]
      )
    )
    print("A museum waits in \(museums.map(\.name).joined(separator: ", ")).")

    // One side of a relationship is set; the other knows at once.
    let oslo = try context.fetch(
      FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Oslo" })
    )[0]
    let hut = LivingAccommodation(place: "Hut")
    hut.trip = oslo
    print("In Oslo we stay at the \(oslo.accommodation?.place ?? "?").")
    try context.save()

    // Batches keep the memory bounded.
    var nights = 0
    try context.enumerate(FetchDescriptor<Trip>(), batchSize: 2) { nights += $0.days - 1 }
    print("\(nights) nights in all.")

    // Undo and redo.
    oslo.days = 10
    context.processPendingChanges()
    context.undoManager?.undo()
    print("After undo, Oslo takes \(oslo.days) days.")
    context.undoManager?.redo()
    print("After redo, Oslo takes \(oslo.days) days.")
    try context.save()

    // The parts of a trip go with it.
    context.delete(oslo)
    try context.save()
    print(
      "\(try context.fetchCount(FetchDescriptor<BucketListItem>())) wishes and "
        + "\(try context.fetchCount(FetchDescriptor<LivingAccommodation>())) places are left, "
        + "and \(try context.fetchCount(FetchDescriptor<Person>())) person."
    )
  }
}
