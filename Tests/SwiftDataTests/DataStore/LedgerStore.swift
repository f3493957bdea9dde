import SwiftData

@Model final class Entry {
  var text: String
  var amount: Int

  init(_ text: String, amount: Int) {
    self.text = text
    self.amount = amount
  }
}

/// The values of an entry, in a form of the program's own.
struct EntrySnapshot: DataStoreSnapshot {
  let persistentIdentifier: PersistentIdentifier
  var text: String
  var amount: Int

  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    guard let data = backingData as? any BackingData<Entry>,
      let identifier = data.persistentModelID
    else { fatalError("A ledger has nothing but entries.") }
    persistentIdentifier = identifier
    text = data.getValue(forKey: \.text)
    amount = data.getValue(forKey: \.amount)
  }

  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> EntrySnapshot {
    EntrySnapshot(persistentIdentifier, text: text, amount: amount)
  }

  init(_ identifier: PersistentIdentifier, text: String, amount: Int) {
    persistentIdentifier = identifier
    self.text = text
    self.amount = amount
  }
}

/// A store of entries in memory, which does more than it has to: it evaluates the predicates that it knows,
/// deletes by itself, and rounds amounts.
final class LedgerStore: DataStore, DataStoreBatching {
  typealias Configuration = LedgerConfiguration
  typealias Snapshot = EntrySnapshot

  struct Refusal: Error, Equatable {
    var reason: String
  }

  let configuration: LedgerConfiguration
  let identifier = "ledger"
  let schema: Schema
  private var entries: [PersistentIdentifier: EntrySnapshot] = [:]
  private var nextKey = 1

  init(
    _ configuration: LedgerConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    configuration.log.store = self
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, EntrySnapshot> where T: PersistentModel {
    var found = Array(entries.values).sorted { $0.persistentIdentifier < $1.persistentIdentifier }
    if let predicate = request.descriptor.predicate {
      typealias Contains = PredicateExpressions.SequenceContains<
        PredicateExpressions.Value<Set<PersistentIdentifier>>,
        PredicateExpressions.KeyPath<PredicateExpressions.Variable<T>, PersistentIdentifier>
      >
      guard let contains = predicate.expression as? Contains else {
        configuration.log.add("prefers memory")
        throw DataStoreError.preferInMemoryFilter
      }
      configuration.log.add("identifiers \(contains.sequence.value.count)")
      found = found.filter { contains.sequence.value.contains($0.persistentIdentifier) }
    }
    for key in request.descriptor.sortBy.reversed() {
      guard key.keyPath == \Entry.amount else { throw DataStoreError.preferInMemorySort }
      configuration.log.add("sorts")
      found.sort { key.order == .forward ? $0.amount < $1.amount : $0.amount > $1.amount }
    }
    found = Array(found.dropFirst(request.descriptor.fetchOffset ?? 0))
    if let limit = request.descriptor.fetchLimit { found = Array(found.prefix(limit)) }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: found)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<EntrySnapshot>
  ) throws -> DataStoreSaveChangesResult<EntrySnapshot> {
    if let entry = (request.inserted + request.updated).first(where: { $0.amount < 0 }) {
      throw Refusal(reason: "\(entry.text) is negative")
    }
    configuration.log.add(
      "saves \(request.inserted.count) \(request.updated.count) \(request.deleted.count) "
        + (request.editingState.author ?? "nobody")
    )
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    var rounded: [PersistentIdentifier: EntrySnapshot] = [:]
    func keep(_ entry: EntrySnapshot) {
      var entry = entry
      if entry.amount % 10 != 0 {
        entry.amount = entry.amount / 10 * 10
        rounded[entry.persistentIdentifier] = entry
      }
      entries[entry.persistentIdentifier] = entry
    }
    for entry in request.inserted {
      let permanent = try PersistentIdentifier.identifier(
        for: identifier,
        entityName: configuration.log.entityName,
        primaryKey: nextKey
      )
      nextKey += 1
      remapped[entry.persistentIdentifier] = permanent
      keep(entry.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped))
    }
    for entry in request.updated { keep(entry) }
    for entry in request.deleted { entries[entry.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: remapped,
      snapshotsToReregister: rounded
    )
  }

  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
    guard request.predicate == nil else { throw DataStoreError.preferInMemoryFilter }
    configuration.log.add("deletes all")
    entries = [:]
  }

  func initializeState(for editingState: EditingState) { configuration.log.add("begins") }
  func invalidateState(for editingState: EditingState) { configuration.log.add("ends") }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: EntrySnapshot] {
    guard configuration.isCaching else { return [:] }
    configuration.log.add("cache \(persistentIdentifiers.count)")
    return entries.filter { persistentIdentifiers.contains($0.key) }
  }
}

/// What a ledger store was asked.
final class LedgerLog: Hashable {
  var lines: [String] = []
  weak var store: LedgerStore?
  /// The entity of the identifiers that the store makes.
  var entityName = "Entry"

  func add(_ line: String) { lines.append(line) }

  static func == (left: LedgerLog, right: LedgerLog) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

struct LedgerConfiguration: DataStoreConfiguration {
  typealias Store = LedgerStore

  var name = "ledger"
  var schema: Schema?
  var log = LedgerLog()
  var isCaching = false
  var isBroken = false

  func validate() throws {
    if isBroken { throw LedgerStore.Refusal(reason: "broken") }
  }
}
