import Foundation
import SwiftData
import TestSupport
import Testing

/// Contexts, observers, and tokens of a store that is restored from a copy of its files while they live.
@Suite(.disabled(if: Programs.keepStoresInCluster, "a backup takes the place of a file"))
struct `Restored stores` {
  private let service: LosableService
  private let container: ModelContainer
  private let other: ModelContext

  init() throws {
    service = try LosableService()
    container = try ModelContainer(
      for: Gadget.self,
      configurations: ModelConfiguration(url: service.store)
    )
    other = ModelContext(container)
  }

  private func save(_ names: ClosedRange<Int>, _ prefix: String) throws {
    for number in names {
      other.insert(Gadget(name: "\(prefix) \(number)"))
      try other.save()
    }
  }

  private func names(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Gadget>()).map(\.name).sorted()
  }

  private func history(after token: DefaultHistoryToken) throws -> [DefaultHistoryTransaction] {
    try other.fetchHistory(HistoryDescriptor(predicate: #Predicate { $0.token > token }))
  }

  private func copy(_ source: String, _ target: String) throws {
    for suffix in ["", "-wal", ".state"] {
      try? FileManager.default.removeItem(atPath: target + suffix)
      guard FileManager.default.fileExists(atPath: source + suffix) else { continue }
      try FileManager.default.copyItem(atPath: source + suffix, toPath: target + suffix)
    }
  }

  @Test func `those that live over a restore have what is there`() async throws {
    let context = ModelContext(container)
    context.automaticallyMergesChanges = true
    try save(1...3, "kept")
    #expect(try names(context).count == 3)
    let observer = try HistoryObserver(modelContainer: container)
    let kept = try #require(
      other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token
    )
    let backup = service.store.path + ".copy"
    try copy(service.store.path, backup)
    try save(1...5, "lost")
    let lost = try history(after: kept).map(\.token)
    #expect(lost.count == 5)
    try await expectSoon {
      context.processPendingChanges()
      return try names(context).count == 8 && observer.eventCounter >= 5
    }
    let gadgets = try context.fetch(FetchDescriptor<Gadget>())
    let counted = observer.eventCounter
    service.kill()
    try copy(backup, service.store.path)
    try service.start()
    other.reset()
    // That something isn't known any more is told first.
    try await expectSoon { observer.eventCounter > counted }
    let before = observer.eventCounter
    try save(1...3, "other")
    try await expectSoon {
      context.processPendingChanges()
      return observer.eventCounter >= before + 3
    }
    let all = ["kept 1", "kept 2", "kept 3", "other 1", "other 2", "other 3"]
    try await expectSoon {
      context.processPendingChanges()
      return try names(context) == all
    }
    withExtendedLifetime(gadgets) {}
    #expect(try history(after: kept).count == 3)
    for token in lost {
      #expect {
        _ = try history(after: token)
      } throws: {
        SwiftDataError.historyTokenExpired ~= $0
      }
    }
    let last = try #require(history(after: kept).last?.token)
    let again = try JSONDecoder().decode(
      DefaultHistoryToken.self,
      from: JSONEncoder().encode(last)
    )
    #expect(again == last)
    #expect(try history(after: again).isEmpty)
    // Numbers alone say nothing of the epoch that they are of.
    let numbers = DefaultHistoryToken(tokenValue: last.tokenValue)
    #expect {
      _ = try history(after: numbers)
    } throws: {
      SwiftDataError.historyTokenExpired ~= $0
    }
  }
}
