import SwiftData
import Synchronization
import Testing

@Suite struct `The history of a program's own store` {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try ModelContainer(for: JournalNote.self, configurations: JournalConfiguration())
    context = ModelContext(container)
  }

  /// Saves a note, changes it, and deletes it.
  private func write() throws {
    let note = JournalNote("first")
    context.author = "Ann"
    context.insert(note)
    try context.save()
    context.author = "Bob"
    note.text = "second"
    try context.save()
    context.delete(note)
    try context.save()
  }

  @Test func `transactions are of the store's own type`() throws {
    try write()
    let all = try context.fetchHistory(HistoryDescriptor<JournalTransaction>())
    #expect(all.map(\.author) == ["Ann", "Bob", "Bob"])
    let token = all[0].token
    let later = try context.fetchHistory(
      HistoryDescriptor<JournalTransaction>(predicate: #Predicate { $0.token > token })
    )
    #expect(later.map(\.transactionIdentifier) == [2, 3])
    guard case .update(let update as JournalUpdate)? = later.first?.changes.first else {
      Issue.record("There is no update.")
      return
    }
    #expect(update.updatedAttributes as [AnyKeyPath] == [\JournalNote.text])
  }

  @Test func `a tombstone that the store makes has the last values`() throws {
    try write()
    let all = try context.fetchHistory(HistoryDescriptor<JournalTransaction>())
    guard case .delete(let delete as JournalDelete)? = all.last?.changes.first else {
      Issue.record("There is no deletion.")
      return
    }
    #expect(delete.tombstone[\.text] as? String == "second")
    #expect(delete.tombstone[\.rank] == nil)
    #expect(Array(delete.tombstone) as? [String] == ["second"])
    #expect(all.last?.changes.first?.changedPersistentIdentifier.storeIdentifier == "journal")
  }

  @Test func `transactions are deleted`() throws {
    try write()
    let descriptor = HistoryDescriptor<JournalTransaction>(
      predicate: #Predicate { $0.author == "Bob" }
    )
    try context.deleteHistory(descriptor)
    let rest = try context.fetchHistory(HistoryDescriptor<JournalTransaction>())
    #expect(rest.map(\.author) == ["Ann"])
  }

  @Test func `asking for transactions of another type is an error`() {
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try ModelContext(
        ModelContainer(for: Entry.self, configurations: LedgerConfiguration())
      ).fetchHistory(HistoryDescriptor<JournalTransaction>())
    }
  }

  @Test func `a save tells its token`() throws {
    let told = Mutex<JournalToken?>(nil)
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.historyTokens.rawValue
      let tokens = notification.userInfo?[key] as? [String: any HistoryToken]
      let token = tokens?["journal"] as? JournalToken
      told.withLock { $0 = token }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(JournalNote("a"))
    try context.save()
    #expect(told.withLock { $0 } == JournalToken(number: 1))
  }
}
