import DepotClient
import DepotProtocol
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

/// The history of a container with two stores, whose identifiers are in either order.
@Suite struct `Histories of two stores` {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Schema([Note.self, Folder.self, Fleet.Buoy.self]),
      configurations: [
        ModelConfiguration(
          "notes",
          schema: Schema([Note.self, Folder.self]),
          isStoredInMemoryOnly: true
        ),
        ModelConfiguration("buoys", schema: Schema([Fleet.Buoy.self]), isStoredInMemoryOnly: true),
      ]
    )
    context = ModelContext(container)
  }

  private func save(note: String, by author: String? = nil) throws {
    context.author = author
    context.insert(Note(title: note))
    try context.save()
  }

  private func save(buoy: Int, by author: String? = nil) throws {
    context.author = author
    context.insert(Fleet.Buoy(number: buoy))
    try context.save()
  }

  private func history(
    _ predicate: Predicate<DefaultHistoryTransaction>? = nil
  ) throws -> [DefaultHistoryTransaction] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate))
      .filter { $0.origin == nil }
  }

  private func delete(_ predicate: Predicate<DefaultHistoryTransaction>?) throws {
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate))
  }

  @Test func `what came with a token or after it is kept in each store`() throws {
    for index in 0..<3 {
      try save(note: "\(index)")
      try save(buoy: index)
    }
    let all = try history()
    #expect(all.count == 6)
    let token = all[3].token
    try save(note: "last")
    let last = try #require(try history().last)
    try delete(#Predicate { $0.token < token })
    let kept = try history()
    #expect(kept.map(\.id) == [all[2].id, all[3].id, all[4].id, all[5].id, last.id])
    #expect(try history(#Predicate { $0.token > token }).count == 3)
    try delete(#Predicate { $0.token <= token })
    #expect(try history().map(\.id) == [all[4].id, all[5].id, last.id])
  }

  @Test func `a token that doesn't tell of a store deletes nothing of it`() throws {
    try save(note: "one")
    try save(buoy: 1)
    let all = try history()
    let token = all[0].token
    try delete(#Predicate { $0.token <= token })
    #expect(try history().map(\.id) == [all[1].id])
  }

  @Test func `authors and tokens choose together`() throws {
    try save(note: "0", by: "bob")
    try save(buoy: 0, by: "bob")
    let token = try #require(try history().last).token
    try save(note: "1", by: "ann")
    try save(buoy: 1, by: "bob")
    try save(note: "2", by: "bob")
    try save(buoy: 2, by: "ann")
    let all = try history()
    let author: String? = "ann"
    #expect(
      try history(#Predicate { $0.token > token && $0.author == author }).map(\.id)
        == [all[2].id, all[5].id]
    )
    #expect(
      try history(#Predicate { $0.token >= token && $0.author == author }).map(\.id)
        == [all[2].id, all[5].id]
    )
    let other: String? = "bob"
    #expect(
      try history(#Predicate { $0.token >= token && $0.author == other }).map(\.id)
        == [all[1].id, all[3].id, all[4].id]
    )
  }

  @Test func `a token of two stores is good for one of them`() throws {
    try save(note: "0")
    try save(buoy: 0)
    let token = try #require(try history().last).token
    let values = try #require(token.tokenValue)
    #expect(values.count == 2)
    func with(_ other: String, not store: String) -> DefaultHistoryToken {
      var foreign = token
      for name in values.keys where name != store { foreign.tokenValue?[name] = nil }
      foreign.tokenValue?[other] = 9
      return foreign
    }
    for store in values.keys {
      // The other store sorts before and after this one.
      for other in ["!", "~"] {
        let foreign = with(other, not: store)
        #expect(try history(#Predicate { $0.token > foreign && $0.storeIdentifier == store }) == [])
      }
    }
    try save(note: "1")
    try save(buoy: 1)
    for store in values.keys {
      for other in ["!", "~"] {
        let foreign = with(other, not: store)
        #expect(
          try history(#Predicate { $0.token > foreign && $0.storeIdentifier == store }).count == 1
        )
      }
    }
  }

  /// Saves twice in both stores; returns the token between, and the stores that it tells of.
  private func tokenBeforeTwo() throws -> (DefaultHistoryToken, some Sequence<String>) {
    try save(note: "0")
    try save(buoy: 0)
    let token = try #require(try history().last).token
    try save(note: "1")
    try save(buoy: 1)
    return (token, try #require(token.tokenValue).keys)
  }

  @Test func `an observer counts after tokens that tell of both stores`() async throws {
    let (token, stores) = try tokenBeforeTwo()
    let observer = try HistoryObserver(
      historyTokens: Dictionary(uniqueKeysWithValues: stores.map { ($0, token) }),
      modelContainer: container
    )
    try await expectSoon { observer.eventCounter == 2 }
    try save(note: "2")
    try save(buoy: 2)
    try await expectSoon { observer.eventCounter == 4 }
  }

  @Test func `an observer counts what is saved while it is made`() async throws {
    let (token, stores) = try tokenBeforeTwo()
    let container = container
    let isFirst = Mutex(true)
    // When one history was read, and the other wasn't.
    container.operationObserver = { event in
      let isWanted = isFirst.withLock { isFirst in
        defer { if event.name == "history" { isFirst = false } }
        return event.name == "history" && isFirst
      }
      guard isWanted else { return }
      let context = ModelContext(container)
      context.insert(Note(title: "2"))
      context.insert(Fleet.Buoy(number: 2))
      do {
        try context.save()
        let last = try container.lastTransactions()
        try expectSoon { container.hasSettled(at: last) }
      } catch {
        Issue.record(error)
      }
    }
    let observer = try HistoryObserver(
      historyTokens: Dictionary(uniqueKeysWithValues: stores.map { ($0, token) }),
      modelContainer: container
    )
    try await expectSoon { observer.eventCounter == 4 }
  }
}

/// What is left when the history up to a token was deleted.
@Suite struct `Tokens up to which the history was deleted` {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(storing: Fleet.Buoy.self)
    context = ModelContext(container)
  }

  private func save(_ number: Int) throws {
    context.insert(Fleet.Buoy(number: number))
    try context.save()
  }

  private func history(
    _ predicate: Predicate<DefaultHistoryTransaction>? = nil
  ) throws -> [DefaultHistoryTransaction] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate))
      .filter { $0.origin == nil }
  }

  @Test func `what came after such a token is found`() throws {
    for number in 0..<3 { try save(number) }
    let all = try history()
    let (first, token) = (all[0].token, all[1].token)
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= token })
    )
    #expect(try history(#Predicate { $0.token > token }).map(\.id) == [all[2].id])
    #expect(try history(#Predicate { token < $0.token }).map(\.id) == [all[2].id])
    #expect(try history(#Predicate { $0.token >= token }).map(\.id) == [all[2].id])
    #expect {
      _ = try history(#Predicate { $0.token > first })
    } throws: {
      SwiftDataError.historyTokenExpired ~= $0
    }
    #expect {
      _ = try history(#Predicate { $0.token >= first })
    } throws: {
      SwiftDataError.historyTokenExpired ~= $0
    }
  }

  @Test func `the whole history can be deleted, and goes on`() throws {
    for number in 0..<2 { try save(number) }
    let last = try #require(try history().last).token
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try history() == [])
    #expect(try history(#Predicate { $0.token > last }) == [])
    try save(2)
    #expect(try history(#Predicate { $0.token > last }).count == 1)
  }

  @Test func `the service deletes up to the moment after its last transaction, and no later one`()
    throws
  {
    try save(0)
    let last = try #require(try history().last)
    let connection = try #require(container.stores.first).connect()
    let token = try #require(last.token[last.storeIdentifier])
    func moment(after distance: Int64) -> HistoryMoment { .token(token.advanced(by: distance)) }
    #expect {
      _ = try connection.deleteHistory(before: moment(after: 2))
    } throws: {
      ($0 as? DepotError)?.code == .historyForeign
    }
    #expect(try connection.deleteHistory(before: moment(after: 1)) > 0)
    #expect(try history() == [])
  }
}
