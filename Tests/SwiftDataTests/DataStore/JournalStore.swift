import SwiftData

@Model final class JournalNote {
  @Attribute(.preserveValueOnDeletion) var text: String
  var rank: Int = 0

  init(_ text: String) { self.text = text }
}

/// A store of notes in memory that keeps a history, with a form of its own for everything in it.
final class JournalStore: DataStore, HistoryProviding {
  typealias Configuration = JournalConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: JournalConfiguration
  let schema: Schema
  let identifier = "journal"
  private var notes: [PersistentIdentifier: DefaultSnapshot] = [:]
  private var transactions: [JournalTransaction] = []
  private var lastTransaction = 0

  init(
    _ configuration: JournalConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: notes.values.map { $0 }
    )
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    lastTransaction += 1
    var changes: [HistoryChange] = []
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let permanent = try PersistentIdentifier.identifier(
        for: identifier,
        entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: lastTransaction * 1000 + changes.count
      )
      remapped[snapshot.persistentIdentifier] = permanent
      notes[permanent] = snapshot.copy(persistentIdentifier: permanent)
      changes.append(
        .insert(
          JournalInsert(
            transactionIdentifier: lastTransaction,
            changeIdentifier: changes.count,
            changedPersistentIdentifier: permanent
          )
        )
      )
    }
    for snapshot in request.updated {
      notes[snapshot.persistentIdentifier] = snapshot
      changes.append(
        .update(
          JournalUpdate(
            transactionIdentifier: lastTransaction,
            changeIdentifier: changes.count,
            changedPersistentIdentifier: snapshot.persistentIdentifier
          )
        )
      )
    }
    for snapshot in request.deleted {
      let last = notes.removeValue(forKey: snapshot.persistentIdentifier)
      changes.append(
        .delete(
          JournalDelete(
            transactionIdentifier: lastTransaction,
            changeIdentifier: changes.count,
            changedPersistentIdentifier: snapshot.persistentIdentifier,
            text: last?[property: "text"] as? String ?? ""
          )
        )
      )
    }
    let token = JournalToken(number: lastTransaction)
    transactions.append(
      JournalTransaction(
        timestamp: Date(),
        changes: changes,
        token: token,
        transactionIdentifier: lastTransaction,
        storeIdentifier: identifier,
        author: request.editingState.author
      )
    )
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: remapped,
      historyToken: token
    )
  }

  func fetchHistory(
    _ descriptor: HistoryDescriptor<JournalTransaction>
  ) throws -> [JournalTransaction] {
    let found = try transactions.filter { try descriptor.predicate?.evaluate($0) ?? true }
    return descriptor.fetchLimit == 0 ? found : Array(found.prefix(Int(descriptor.fetchLimit)))
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<JournalTransaction>) throws {
    try transactions.removeAll { try descriptor.predicate?.evaluate($0) ?? true }
  }
}

struct JournalConfiguration: DataStoreConfiguration {
  typealias Store = JournalStore

  var name = "journal"
  var schema: Schema?
}

struct JournalToken: HistoryToken {
  typealias TokenType = Int

  var number: Int
  var id: Int { number }
  var tokenValue: Int? { number }

  static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

struct JournalTransaction: HistoryTransaction {
  var timestamp: Date
  var changes: [HistoryChange]
  var token: JournalToken
  var transactionIdentifier: Int
  var storeIdentifier: String
  var author: String?

  var id: Int { transactionIdentifier }
}

struct JournalInsert: HistoryInsert {
  typealias Model = JournalNote

  var transactionIdentifier: Int
  var changeIdentifier: Int
  var changedPersistentIdentifier: PersistentIdentifier
  var id: Int { changeIdentifier }
}

struct JournalUpdate: HistoryUpdate {
  typealias Model = JournalNote

  var transactionIdentifier: Int
  var changeIdentifier: Int
  var changedPersistentIdentifier: PersistentIdentifier
  var id: Int { changeIdentifier }

  var updatedAttributes: [any PartialKeyPath<JournalNote> & Sendable] { [\JournalNote.text] }
}

struct JournalDelete: HistoryDelete {
  typealias Model = JournalNote

  var transactionIdentifier: Int
  var changeIdentifier: Int
  var changedPersistentIdentifier: PersistentIdentifier
  var text: String
  var id: Int { changeIdentifier }

  var tombstone: HistoryTombstone<JournalNote> { HistoryTombstone([\JournalNote.text: text]) }
}
