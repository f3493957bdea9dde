import Observation
import SwiftData

// A call of each declaration of stores, histories, errors, and observers, as users write it. That it compiles is what
// it shows.

func stores<Store: DataStore & DataStoreBatching & HistoryProviding>(
  _ configuration: Store.Configuration,
  _: Store.Type,
  _ state: EditingState,
  _ fetch: DataStoreFetchRequest<Trip>,
  _ save: DataStoreSaveChangesRequest<Store.Snapshot>,
  _ deletion: DataStoreBatchDeleteRequest<Trip>
) throws {
  var configuration = configuration
  let _: String = configuration.name
  configuration.schema = configuration.schema
  try configuration.validate()
  let _: Store.Type = Store.Configuration.Store.self
  let store = try Store(configuration, migrationPlan: nil)
  let _: (String, Schema, Store.Configuration) = (
    store.identifier, store.schema, store.configuration
  )
  let result: DataStoreFetchResult<Trip, Store.Snapshot> = try store.fetch(fetch)
  let _: Int = try store.fetchCount(fetch)
  let identifiers: [PersistentIdentifier] = try store.fetchIdentifiers(fetch)
  let _: DataStoreSaveChangesResult<Store.Snapshot> = try store.save(save)
  try store.delete(deletion)
  store.initializeState(for: state)
  store.invalidateState(for: state)
  let _: [PersistentIdentifier: Store.Snapshot] =
    try store.cachedSnapshots(for: identifiers, editingState: state)
  try store.erase()
  let descriptor = HistoryDescriptor<Store.HistoryType>()
  let _: [Store.HistoryType] = try store.fetchHistory(descriptor)
  try store.deleteHistory(descriptor)
  let _: Store.HistoryType.Type = Store.historyType

  let _: (EditingState, FetchDescriptor<Trip>) = (fetch.editingState, fetch.descriptor)
  let _: [Store.Snapshot] = save.inserted + save.updated + save.deleted
  let _: EditingState = save.editingState
  let _: (EditingState, Predicate<Trip>?, Bool) =
    (deletion.editingState, deletion.predicate, deletion.includeSubclasses)
  _ = DataStoreFetchResult(descriptor: fetch.descriptor, fetchedSnapshots: result.fetchedSnapshots)
  _ = DataStoreFetchResult(
    descriptor: result.descriptor,
    fetchedSnapshots: result.fetchedSnapshots,
    relatedSnapshots: result.relatedSnapshots
  )
  _ = DataStoreSaveChangesResult<Store.Snapshot>(for: store.identifier)
  let saved = DataStoreSaveChangesResult<Store.Snapshot>(
    for: store.identifier,
    remappedIdentifiers: [:],
    snapshotsToReregister: [:],
    historyToken: nil
  )
  let _: (String, [PersistentIdentifier: PersistentIdentifier]) =
    (saved.storeIdentifier, saved.remappedIdentifiers)
  let _: [PersistentIdentifier: Store.Snapshot] = saved.snapshotsToReregister
  let _: (any HistoryToken)? = saved.historyToken
}

func snapshots<Snapshot: DataStoreSnapshot>(_ data: any BackingData, _: Snapshot.Type) {
  var related: [PersistentIdentifier: any BackingData] = [:]
  let snapshot = Snapshot(from: data, relatedBackingDatas: &related)
  let identifier: PersistentIdentifier = snapshot.persistentIdentifier
  let _: Snapshot = snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: nil)
  let plain = DefaultSnapshot(from: data, relatedBackingDatas: &related)
  let _: DefaultSnapshot = plain.copy(persistentIdentifier: plain.persistentIdentifier)
  let _: [DataStoreSnapshotCodingKey] = [.persistentIdentifier, .modeledProperty("name")]
  let _: any DataStoreSnapshotValue = "text"
}

func defaultStores(
  _ configuration: ModelConfiguration,
  _ fetch: DataStoreFetchRequest<Trip>,
  _ save: DataStoreSaveChangesRequest<DefaultSnapshot>,
  _ deletion: DataStoreBatchDeleteRequest<Trip>
) throws {
  let store = try DefaultStore(configuration)
  _ = try DefaultStore(configuration, migrationPlan: nil)
  let _: (String, String, Schema) = (store.identifier, store.name, store.schema)
  let _: ModelConfiguration = store.configuration
  let _: DefaultHistoryTransaction.Type = DefaultStore.historyType
  let _: DefaultHistoryToken.Type = DefaultStore.TokenType.self
  let _: DataStoreFetchResult<Trip, DefaultSnapshot> = try store.fetch(fetch)
  try stores(configuration, DefaultStore.self, fetch.editingState, fetch, save, deletion)
}

func history(_ transaction: DefaultHistoryTransaction, _ context: ModelContext) throws {
  var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
  _ = HistoryDescriptor<DefaultHistoryTransaction>(predicate: nil)
  let token: DefaultHistoryToken = transaction.token
  descriptor = HistoryDescriptor(
    predicate: #Predicate { $0.token > token && $0.author == "me" },
    sortBy: [SortDescriptor(\.transactionIdentifier)]
  )
  descriptor.predicate = nil
  descriptor.sortBy = []
  descriptor.fetchLimit = 10
  let _: (Date, String?, String) =
    (transaction.timestamp, transaction.author, transaction.storeIdentifier)
  let _: (String, String) = (transaction.bundleIdentifier, transaction.processIdentifier)
  let _: (DefaultHistoryTransaction.TransactionIdentifier, DefaultHistoryTransaction.ID) =
    (transaction.transactionIdentifier, transaction.id)
  let _: DefaultHistoryTransaction.TokenType = token
  let _: DefaultHistoryToken.TokenType? = token.tokenValue
  let _: (String, DefaultHistoryToken.ID) = (token.storeIdentifier, token.id)
  let _: Bool = token < token || token == token
  for change in transaction.changes {
    let _: PersistentIdentifier = change.changedPersistentIdentifier
    switch change {
    case .insert(let insert as DefaultHistoryInsert<Trip>):
      let _: (Int64, Int64) = (insert.changeIdentifier, insert.transactionIdentifier)
      let _: PersistentIdentifier = insert.changedPersistentIdentifier
    case .update(let update as DefaultHistoryUpdate<Trip>):
      let _: [any DefaultHistoryUpdate<Trip>.PropertyUpdate] = update.updatedAttributes
    case .delete(let delete as DefaultHistoryDelete<Trip>):
      let tombstone: HistoryTombstone<Trip> = delete.tombstone
      let _: (any Sendable)? = tombstone[\.name]
      for value in tombstone { let _: Any = value }
    default: continue
    }
  }
}

func changes(_ update: some HistoryUpdate<Trip>, _ delete: some HistoryDelete<Trip>) {
  let _: [any PartialKeyPath<Trip> & Sendable] = update.updatedAttributes
  let _: (any Sendable)? = delete.tombstone[\.name]
}

func transactions<Transaction: HistoryTransaction>(_ transaction: Transaction) {
  let _: (Transaction.TransactionIdentifier, Transaction.TokenType) =
    (transaction.transactionIdentifier, transaction.token)
  let _: ([HistoryChange], Date, String?) =
    (transaction.changes, transaction.timestamp, transaction.author)
}

func tokens<Token: HistoryToken>(_ token: Token) -> String {
  let _: Token.TokenType? = token.tokenValue
  return token.storeIdentifier
}

func errors(_ error: any Error) -> Bool {
  let known: [SwiftDataError] = [
    .includePendingChangesWithBatchSize, .unsupportedPredicate, .unsupportedKeyPath,
    .sortingPendingChangesWithIdentifiers, .unsupportedSortDescriptor, .duplicateConfiguration,
    .configurationFileNameTooLong, .configurationFileNameContainsInvalidCharacters,
    .configurationSchemaNotFoundInContainerSchema, .loadIssueModelContainer,
    .modelValidationFailure, .missingModelContext, .backwardMigration, .unknownSchema,
    .historyTokenExpired, .invalidTransactionFetchRequest, .unknownDataStoreSchema,
  ]
  let _: [DataStoreError] = [
    .unsupportedFeature, .preferInMemoryFilter, .preferInMemorySort, .invalidPredicate,
  ]
  do { throw error } catch SwiftDataError.unknownSchema { return true } catch {}
  return known.contains { $0 ~= error } || known[0] == known[1]
}

@MainActor func observers(_ context: ModelContext, _ container: ModelContainer) throws {
  typealias Observer = ResultsObserver
  let order = [SortDescriptor(\Trip.name)]
  let named = #Predicate<Trip> { $0.name != "" }
  _ = try Observer<Trip, Never>(modelContext: context)
  _ = try Observer<Trip, Never>(fetchDescriptor: FetchDescriptor(), modelContext: context)
  _ = try Observer<Trip, Never>(fetchDescriptor: FetchDescriptor(), modelContainer: container)
  _ = try Observer<Trip, Never>(filterBy: named, sortBy: order, modelContext: context)
  _ = try Observer<Trip, Never>(sortBy: nil, modelContainer: container)
  _ = try Observer<Trip, String>(sectionBy: \.name, modelContext: context)
  _ = try Observer<Trip, String>(
    fetchDescriptor: FetchDescriptor(),
    sectionBy: \.name,
    modelContainer: container
  )
  _ = try Observer<Everything, String>(sectionBy: \.optionalText, modelContext: context)
  _ = try Observer<Everything, String>(
    fetchDescriptor: FetchDescriptor(),
    sectionBy: \.optionalText,
    modelContainer: container
  )
  _ = try Observer<Everything, String>(
    filterBy: nil,
    sortBy: nil,
    sectionBy: \.optionalText,
    modelContext: context
  )
  _ = try Observer<Everything, String>(
    filterBy: nil,
    sectionBy: \.optionalText,
    modelContainer: container
  )
  _ = try Observer<Trip, String>(filterBy: named, sectionBy: \.name, modelContainer: container)
  let observer = try Observer<Trip, String>(
    filterBy: named,
    sortBy: order,
    sectionBy: \.name,
    modelContext: context,
    isolation: MainActor.shared
  )
  let _: ModelContext = observer.modelContext
  let _: FetchDescriptor<Trip> = observer.fetchDescriptor
  observer.filterBy = nil
  observer.sortBy = []
  let _: PartialKeyPath<Trip>? = observer.sectionBy
  observer.results = observer.results
  observer.sections = observer.sections
  if let sections: SectionedResults<Trip, String> = observer.sections {
    let _: [String] = sections.sectionTitles
    let section: ResultsSection<Trip, String>? = sections[sectionTitle: "a"]
    let _: (String?, String?, Trip?) = (section?.title, section?.id, section?.first)
    let _: (Bool, Int?) =
      (sections.contains(sectionTitle: "a"), sections.index(ofSectionTitled: "a"))
  }
  let trip: Trip? = observer.element(at: IndexPath(indexes: [0, 0]))
  let _: IndexPath? = trip.flatMap { observer.indexPath(for: $0) }
  let _: String = observer.debugDescription
  let _: any Observable = observer

  _ = try HistoryObserver(modelContainer: container)
  let history = try HistoryObserver(
    historyTokens: [:],
    observedModels: [Trip.self],
    authors: ["me"],
    modelContainer: container,
    isolation: MainActor.shared
  )
  let _: (Int, ModelContainer) = (history.eventCounter, history.modelContainer)
  let _: [any PersistentModel.Type] = history.observedModels
}
