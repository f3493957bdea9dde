import SwiftData

// A call of each declaration of containers, configurations, and contexts, as users write it. That it compiles is what
// it shows.

func containers(_ schema: Schema, _ plan: any SchemaMigrationPlan.Type) throws {
  let plain = ModelConfiguration(isStoredInMemoryOnly: true)
  let other: any DataStoreConfiguration = plain
  _ = try ModelContainer(for: Trip.self)
  _ = try ModelContainer(
    for: Trip.self,
    Everything.self,
    migrationPlan: plan,
    configurations: plain
  )
  _ = try ModelContainer(for: Trip.self, configurations: plain, ModelConfiguration())
  _ = try ModelContainer(for: schema, migrationPlan: plan, configurations: plain)
  _ = try ModelContainer(for: schema, migrationPlan: nil, configurations: [plain])
  _ = try ModelContainer(for: schema, configurations: [other])
  let container = try ModelContainer(for: Trip.self, configurations: other)
  let _: Schema = container.schema
  let _: (any SchemaMigrationPlan.Type)? = container.migrationPlan
  let configurations: Set<ModelConfiguration> = container.configurations
  container.configurations = configurations
  container.configurations.insert(plain)
  try container.erase()
  container.deleteAllData()
  let name: String? = container.configurationName(forStoreIdentifier: "store")
  let _: String? = container.storeIdentifier(forConfigurationNamed: name ?? "default")
  let _: Notification.Name = ModelContainer.remoteChange
  let _: Bool = container == container
  let _: any Sendable = container
}

@MainActor func mainContext(_ container: ModelContainer) -> ModelContext { container.mainContext }

func configurations(_ schema: Schema, _ url: URL) throws {
  _ = ModelConfiguration()
  _ = ModelConfiguration(for: Trip.self, Everything.self, isStoredInMemoryOnly: true)
  _ = ModelConfiguration(for: Trip.self)
  _ = ModelConfiguration("trips")
  _ = ModelConfiguration(
    "trips",
    schema: schema,
    isStoredInMemoryOnly: false,
    allowsSave: true,
    groupContainer: .identifier("group"),
    cloudKitDatabase: .private("base")
  )
  _ = ModelConfiguration(nil, schema: nil, groupContainer: .none, cloudKitDatabase: .none)
  _ = ModelConfiguration(url: url)
  var configuration = ModelConfiguration(
    "trips",
    schema: schema,
    url: url,
    allowsSave: false,
    cloudKitDatabase: .automatic
  )
  let _: URL = configuration.url
  let _: ModelConfiguration.ID = configuration.id
  let _: String = configuration.name + configuration.debugDescription
  let _: (Bool, Bool) = (configuration.allowsSave, configuration.isStoredInMemoryOnly)
  let _: ModelConfiguration.GroupContainer = configuration.groupContainer
  let _: ModelConfiguration.CloudKitDatabase = configuration.cloudKitDatabase
  let _: (String?, String?) =
    (configuration.groupAppContainerIdentifier, configuration.cloudKitContainerIdentifier)
  configuration.schema = nil
  try configuration.validate()
  let _: DefaultStore.Type = ModelConfiguration.Store.self
  let _: Set<ModelConfiguration> = [configuration]
}

func contexts(_ container: ModelContainer, _ trip: Trip, _ identifier: PersistentIdentifier) throws
{
  let context = ModelContext(container)
  let _: ModelContainer = context.container
  context.author = "me"
  context.undoManager = UndoManager()
  context.undoManager = nil
  context.autosaveEnabled = true
  var state: EditingState = context.editingState
  state.author = nil
  context.editingState = state
  let _: UUID = state.id
  let _: EditingState.ID.Type = UUID.self
  let _: [any PersistentModel] =
    context.insertedModelsArray + context.changedModelsArray + context.deletedModelsArray
  let _: any PersistentModel = context.model(for: identifier)
  let _: Trip? = context.registeredModel(for: identifier)
  context.insert(trip)
  context.delete(trip)
  try context.delete(model: Trip.self)
  try context.delete(
    model: Trip.self,
    where: #Predicate { $0.name == "a" },
    includeSubclasses: false
  )
  context.processPendingChanges()
  if context.hasChanges { context.rollback() }
  try context.save()
  try context.transaction { context.insert(trip) }
  var descriptor = FetchDescriptor<Trip>()
  let _: [Trip] = try context.fetch(descriptor)
  let lazily: FetchResultsCollection<Trip> = try context.fetch(descriptor, batchSize: 10)
  let _: Trip? = lazily.first
  let _: Trip = lazily[lazily.startIndex]
  let _: Int = try context.fetchCount(descriptor)
  let _: [PersistentIdentifier] = try context.fetchIdentifiers(descriptor)
  let _: FetchResultsCollection<PersistentIdentifier> =
    try context.fetchIdentifiers(descriptor, batchSize: 5)
  try context.enumerate(descriptor) { trip in trip.name = "" }
  try context.enumerate(descriptor, batchSize: 10, allowEscapingMutations: true) { _ in }
  let _: [DefaultHistoryTransaction] =
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  let _: [Notification.Name] = [ModelContext.willSave, ModelContext.didSave]
  let _: String = context.debugDescription
  let _: Bool = context == context
  let _: [ModelContext.NotificationKey] = [
    .queryGeneration, .invalidatedAllIdentifiers, .insertedIdentifiers, .updatedIdentifiers,
    .deletedIdentifiers, .historyTokens,
  ]
  let _: ModelContext.NotificationKey? = .init(rawValue: "inserted")

  descriptor = FetchDescriptor(
    predicate: #Predicate { $0.name != "" },
    sortBy: [SortDescriptor(\.name)]
  )
  descriptor = FetchDescriptor(sortBy: [SortDescriptor(\.startDate, order: .reverse)])
  descriptor.predicate = nil
  descriptor.sortBy.append(SortDescriptor(\.name))
  descriptor.fetchLimit = 1
  descriptor.fetchOffset = nil
  descriptor.includePendingChanges = false
  descriptor.propertiesToFetch = [\.name]
  descriptor.relationshipKeyPathsForPrefetching = [\.bucketList]
  let _: Bool = descriptor == descriptor
  let _: any Sendable = descriptor
}

func identifiers(_ identifier: PersistentIdentifier) throws {
  let _: PersistentIdentifier.ID = identifier.id
  let _: String = identifier.entityName
  let _: String? = identifier.storeIdentifier
  let other = try PersistentIdentifier.identifier(for: "store", entityName: "Trip", primaryKey: 7)
  let _: Bool = identifier < other || identifier == other
  let _: Data = try JSONEncoder().encode(other)
  let _: Set<PersistentIdentifier> = [identifier]
}

func models(_ trip: Trip) {
  let _: any BackingData<Trip> = trip.persistentBackingData
  let _: [Schema.PropertyMetadata] = Trip.schemaMetadata
  let created: some BackingData<Trip> = Trip.createBackingData()
  backings(created)
  let _: Trip.Root.Type = Trip.self
  let _: (PersistentIdentifier, PersistentIdentifier) = (trip.persistentModelID, trip.id)
  let _: ModelContext? = trip.modelContext
  let _: (Bool, Bool) = (trip.hasChanges, trip.isDeleted)
  trip.setValue(forKey: \.name, to: trip.getValue(forKey: \.name))
  trip.setValue(forKey: \.livingAccommodation, to: trip.getValue(forKey: \.livingAccommodation))
  trip.setValue(forKey: \.bucketList, to: trip.getValue(forKey: \.bucketList))
  trip.setTransformableValue(forKey: \.name, to: trip.getTransformableValue(forKey: \.name))
  let backing = trip.persistentBackingData
  let _: PersistentIdentifier? = backing.persistentModelID
  let _: Any = backing.metadata
  let _: Trip = Trip(backingData: backing)
  let _: BucketListItem.Type = [BucketListItem].PersistentElement.self
  let _: BucketListItem.Type = [BucketListItem]?.PersistentElement.self
}

func backings<Backing: BackingData>(_ backing: Backing) where Backing.Model == Trip {
  var backing = backing
  backing.persistentModelID = nil
  backing.setValue(forKey: \.name, to: backing.getValue(forKey: \.name))
  backing.setValue(
    forKey: \.livingAccommodation,
    to: backing.getValue(forKey: \.livingAccommodation)
  )
  backing.setValue(forKey: \.bucketList, to: backing.getValue(forKey: \.bucketList))
  backing.setTransformableValue(forKey: \.name, to: backing.getTransformableValue(forKey: \.name))
  _ = Backing(for: Trip.self)
}

func executors<Worker: ModelActor>(_ worker: Worker, _ context: ModelContext) {
  let _: any ModelExecutor = worker.modelExecutor
  let _: ModelContainer = worker.modelContainer
  let _: UnownedSerialExecutor = worker.unownedExecutor
  let executor = DefaultSerialModelExecutor(modelContext: context)
  let _: ModelContext = executor.modelContext
  let _: UnownedSerialExecutor = executor.asUnownedSerialExecutor()
  let _: any SerialModelExecutor & Sendable = executor
}

extension ModelActor {
  func look(_ identifier: PersistentIdentifier) -> Trip? {
    let _: ModelContext = modelContext
    return self[identifier, as: Trip.self]
  }
}
