import SwiftData

// Predicates as people write them, or wish they could.

struct Filters {
  var text = ""
  var minimum = 0

  func predicate() -> Predicate<Everything> {
    let minimum = minimum
    let text = text
    return #Predicate<Everything> { item in
      (text.isEmpty || item.text.localizedStandardContains(text)) && item.number >= minimum
    }
  }
}

let simple = #Predicate<Trip> { $0.name == "Oslo" }
let chained = #Predicate<Trip> { trip in
  trip.livingAccommodation?.isConfirmed == true && trip.bucketList.count > 2
}
let nested = #Predicate<Trip> { trip in
  trip.bucketList.contains { item in item.isInPlan && item.title.starts(with: "M") }
}
let conditional = #Predicate<BucketListItem> { item in
  if let trip = item.trip { trip.name == "Oslo" } else { false }
}
let all = #Predicate<Trip> { $0.bucketList.allSatisfy { $0.hasReservation } }
let filtered = #Predicate<Trip> { $0.bucketList.filter { $0.isInPlan }.count >= 1 }
let coalesced = #Predicate<Everything> { ($0.optionalText ?? "").contains("x") }
let range = #Predicate<Everything> { (1...9).contains($0.number) }
let arithmetic = #Predicate<Everything> { $0.number * 2 + 1 > 5 && $0.ratio / 2 < 1 }
let composite = #Predicate<Everything> { $0.home.city == "Kyiv" }

func captured(_ priority: Priority, _ names: [String]) -> Predicate<Everything> {
  #Predicate { $0.priority == priority && names.contains($0.text) }
}

func identifiers(_ ids: Set<PersistentIdentifier>) -> FetchDescriptor<Trip> {
  FetchDescriptor(predicate: #Predicate { ids.contains($0.persistentModelID) })
}
