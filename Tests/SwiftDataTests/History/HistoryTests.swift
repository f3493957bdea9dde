import Testing

@testable import SwiftData

@Model final class Note {
  @Attribute(.preserveValueOnDeletion) var title: String
  var text: String
  var stars: Int
  @Attribute(.preserveValueOnDeletion) var folder: Folder?

  init(title: String, text: String = "", stars: Int = 0) {
    self.title = title
    self.text = text
    self.stars = stars
  }
}

@Model final class Folder {
  var name: String
  @Relationship(inverse: \Note.folder) var notes: [Note] = []

  init(name: String) { self.name = name }
}

@Suite struct `Histories of stores` {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(storing: Note.self, Folder.self)
    context = ModelContext(container)
  }

  private func history(
    _ predicate: Predicate<DefaultHistoryTransaction>? = nil
  ) throws -> [DefaultHistoryTransaction] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate))
      .filter { $0.origin == nil }
  }

  @Test func `a store that was only made has none`() throws {
    let all = HistoryDescriptor<DefaultHistoryTransaction>()
    #expect(try context.fetchHistory(all).isEmpty)
    context.author = "ann"
    context.insert(Note(title: "One"))
    try context.save()
    #expect(try context.fetchHistory(all).map(\.author) == ["ann"])
    let predicate = #Predicate<DefaultHistoryTransaction> { $0.author == "ann" }
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate))
    #expect(try context.fetchHistory(all).isEmpty)
  }

  @Test func `insertions, changes, and deletions are told by their classes`() throws {
    let note = Note(title: "One", text: "a", stars: 1)
    let folder = Folder(name: "F")
    context.insert(folder)
    note.folder = folder
    context.author = "ann"
    context.insert(note)
    try context.save()
    let identifier = note.persistentModelID
    note.stars = 2
    note.text = "b"
    try context.save()
    context.delete(note)
    try context.save()

    let all = try history()
    #expect(all.count == 3)
    #expect(all.map(\.author) == ["ann", "ann", "ann"])
    #expect(all[0].changes.count == 2)
    #expect(all[0].changes.contains { $0.changedPersistentIdentifier == identifier })
    #expect(all.allSatisfy { $0.storeIdentifier == identifier.storeIdentifier })
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.token < $1.token })

    guard case .update(let change as DefaultHistoryUpdate<Note>) = all[1].changes[0] else {
      Issue.record("The second isn't an update of a note.")
      return
    }
    #expect(Set(change.updatedAttributes.map { $0 as AnyKeyPath }) == [\Note.stars, \Note.text])
    #expect(change.oldValue(for: \.stars) as? Int == 1)
    #expect(change.newValue(for: \.stars) as? Int == 2)
    #expect(change.oldValue(for: \.text) as? String == "a")
    #expect(change.newValue(for: \.title) == nil)

    guard
      let delete = all[2].changes.compactMap({ change -> DefaultHistoryDelete<Note>? in
        if case .delete(let delete as DefaultHistoryDelete<Note>) = change { return delete }
        return nil
      }).first
    else {
      Issue.record("The third has no deletion of a note.")
      return
    }
    #expect(delete.tombstone[\.title] as? String == "One")
    #expect(delete.tombstone[\.text] == nil)
    #expect(delete.tombstone[\.folder] as? PersistentIdentifier == folder.persistentModelID)
    #expect(Array(delete.tombstone).count == 2)
    #expect(delete.oldValue(for: \.text) as? String == "b")
  }

  @Test func `predicates over token, author, and time choose transactions`() throws {
    for (index, author) in ["ann", "bob", "ann", "bob"].enumerated() {
      context.author = author
      context.insert(Note(title: "\(index)"))
      try context.save()
    }
    let all = try history()
    #expect(all.count == 4)
    let token = all[1].token
    #expect(try history(#Predicate { $0.token > token }).map(\.id) == all[2...].map(\.id))
    #expect(try history(#Predicate { $0.token >= token }).map(\.id) == all[1...].map(\.id))
    let author: String? = "ann"
    #expect(
      try history(#Predicate { $0.token > token && $0.author == author }).map(\.id) == [all[2].id]
    )
    #expect(try history(#Predicate { $0.author != author }).count == 2)
    let date = all[2].timestamp
    #expect(
      try history(#Predicate { $0.timestamp >= date }).map(\.id)
        == all.filter { $0.timestamp >= date }.map(\.id)
    )
    #expect(try history(#Predicate { $0.changes.isEmpty }).isEmpty)
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.fetchLimit = 2
    descriptor.sortBy = [SortDescriptor(\.transactionIdentifier, order: .reverse)]
    #expect(try context.fetchHistory(descriptor).map(\.id) == [all[3].id, all[2].id])
  }

  @Test(arguments: [
    // One is a moment that no nine digits say.
    (Date.distantPast.timeIntervalSinceReferenceDate, 1), (-1e300, 1), (0.123_456_789_012_3, 1),
    (Date.distantFuture.timeIntervalSinceReferenceDate, 0), (1e300, 0), (.nan, 0),
  ])
  func `what came after a date is found, however far that is`(seconds: Double, count: Int) throws {
    context.insert(Note(title: "1"))
    try context.save()
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    #expect(try history(#Predicate { $0.timestamp > date }).count == count)
  }

  @Test func `a token that was encoded and decoded finds the same`() throws {
    context.insert(Note(title: "1"))
    try context.save()
    let data = try JSONEncoder().encode(try history()[0].token)
    context.insert(Note(title: "2"))
    try context.save()
    let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
    #expect(try history(#Predicate { $0.token > token }).count == 1)
  }

  @Test func `the oldest transactions can be deleted, and their tokens expire`() throws {
    for index in 0..<4 {
      context.insert(Note(title: "\(index)"))
      try context.save()
    }
    let all = try history()
    let first = all[0].token
    let third = all[2].token
    let tooNew = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.token > third }
    )
    #expect {
      try context.deleteHistory(tooNew)
    } throws: {
      SwiftDataError.invalidTransactionFetchRequest ~= $0
    }
    #expect(try history().count == 4)
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < third })
    )
    #expect(try history().map(\.id) == all[2...].map(\.id))
    #expect {
      _ = try history(#Predicate { $0.token > first })
    } throws: {
      SwiftDataError.historyTokenExpired ~= $0
    }
  }

  @Test func `a save tells its token`() throws {
    // because the notification is posted by the save, on this thread
    nonisolated(unsafe) var tokens: [String: any HistoryToken]?
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { notification in
      tokens =
        notification.userInfo?[ModelContext.NotificationKey.historyTokens.rawValue]
        as? [String: any HistoryToken]
    }
    context.insert(Note(title: "1"))
    try context.save()
    NotificationCenter.default.removeObserver(observer)
    let last = try #require(try history().last)
    #expect(tokens?[last.storeIdentifier] as? DefaultHistoryToken == last.token)
  }

  @Test func `tokens of several stores are compared store by store`() {
    let early = DefaultHistoryToken(tokenValue: ["A": 4, "B": 7])
    #expect(early < DefaultHistoryToken(tokenValue: ["A": 5, "B": 7]))
    #expect(early < DefaultHistoryToken(tokenValue: ["A": 4, "B": 8]))
    #expect(!(early < early))
    #expect(DefaultHistoryToken(tokenValue: ["A": 4]) < early)
    #expect(DefaultHistoryToken(tokenValue: nil) < early)
  }

  @Test func `a tombstone can be made by anybody`() {
    let tombstone = HistoryTombstone<Note>([\.stars: 3, \.title: "One"])
    #expect(tombstone[\.title] as? String == "One")
    #expect(tombstone[\.text] == nil)
    #expect(tombstone.keyPaths == [\.title, \.stars])
    #expect(tombstone.map { "\($0)" } == ["One", "3"])
  }
}
