import SwiftData

// Models as travel planners have them: relationships both ways, defaults, computed properties.

@Model
final class Trip {
  @Attribute(.preserveValueOnDeletion)
  var name: String
  var destination: String

  @Attribute(.preserveValueOnDeletion)
  var startDate: Date

  @Attribute(.preserveValueOnDeletion)
  var endDate: Date

  // People spell the empty collection so.
  // swift-format-ignore: AlwaysUseLiteralForEmptyCollectionInit
  @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
  var bucketList: [BucketListItem] = [BucketListItem]()

  @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
  var livingAccommodation: LivingAccommodation?

  @Transient var tripViews: Int = 0

  init(name: String, destination: String, startDate: Date = .now, endDate: Date = .distantFuture) {
    self.name = name
    self.destination = destination
    self.startDate = startDate
    self.endDate = endDate
  }

  var color: String { "#" + String(name.count, radix: 16) }

  static func preview(_ name: String = "Preview") -> Trip {
    Trip(name: name, destination: "Somewhere")
  }
}

@Model
final class BucketListItem {
  var title: String
  var details: String = ""
  var hasReservation = false
  var isInPlan: Bool
  var trip: Trip?

  init(title: String, isInPlan: Bool = false, trip: Trip? = nil) {
    self.title = title
    self.isInPlan = isInPlan
    self.trip = trip
  }
}

@Model
final class LivingAccommodation {
  var address: String
  var placeName: String
  var isConfirmed: Bool = false
  var trip: Trip?

  init(address: String, placeName: String, trip: Trip? = nil) {
    self.address = address
    self.placeName = placeName
    self.trip = trip
  }
}

extension Trip {
  @MainActor
  static var previewContainer: ModelContainer {
    get throws {
      let schema = Schema([Trip.self, BucketListItem.self, LivingAccommodation.self])
      let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
      let container = try ModelContainer(for: schema, configurations: [configuration])
      container.mainContext.insert(Trip.preview())
      return container
    }
  }

  static var upcoming: FetchDescriptor<Trip> {
    let now = Date.now
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.endDate >= now },
      sortBy: [.init(\.startDate), SortDescriptor(\.name, order: .reverse)]
    )
    descriptor.fetchLimit = 50
    descriptor.relationshipKeyPathsForPrefetching = [\.livingAccommodation]
    descriptor.propertiesToFetch = [\.name, \.startDate, \.endDate]
    return descriptor
  }
}
