import SwiftData

// Actors, containers, and contexts as people use them.

@ModelActor
actor DataHandler {
  func newTrip(name: String) throws -> PersistentIdentifier {
    let trip = Trip(name: name, destination: "Nowhere")
    modelContext.insert(trip)
    try modelContext.save()
    return trip.persistentModelID
  }

  func rename(_ id: PersistentIdentifier, to name: String) throws {
    guard let trip = self[id, as: Trip.self] else { return }
    trip.name = name
    try modelContext.save()
  }
}

actor HandMadeHandler: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor

  init(container: ModelContainer) {
    modelContainer = container
    let context = ModelContext(container)
    context.autosaveEnabled = false
    modelExecutor = DefaultSerialModelExecutor(modelContext: context)
  }

  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Trip>()) }
}

@ModelActor
actor GenericStore<Item: PersistentModel> {
  func all() throws -> [PersistentIdentifier] {
    try modelContext.fetchIdentifiers(FetchDescriptor<Item>())
  }
}

@MainActor
final class SaveListener {
  private(set) var inserted = 0
  private var observer: (any NSObjectProtocol)?

  func listen(to context: ModelContext) {
    observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
      let identifiers = notification.userInfo?[key] as? [PersistentIdentifier]
      MainActor.assumeIsolated { self.inserted += identifiers?.count ?? 0 }
    }
  }

  func stop() {
    if let observer { NotificationCenter.default.removeObserver(observer) }
    observer = nil
  }
}

@MainActor
func historyOfDeletions(in container: ModelContainer) throws -> [String] {
  var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
  descriptor.fetchLimit = 100
  var names: [String] = []
  for transaction in try container.mainContext.fetchHistory(descriptor) {
    for change in transaction.changes {
      switch change {
      case .insert(_ as DefaultHistoryInsert<Trip>): break
      case .update(_ as DefaultHistoryUpdate<Trip>): break
      case .delete(let delete as DefaultHistoryDelete<Trip>):
        if let name = delete.tombstone[\.name] as? String { names.append(name) }
      default: break
      }
    }
  }
  return names
}
