import DepotTesting
import SwiftData
import Synchronization
import Testing

@Model final class Plant {
  var name: String
  var bed: Bed?

  init(name: String) { self.name = name }
}

@Model final class Bed {
  var number: Int
  @Relationship(inverse: \Plant.bed) var plants: [Plant] = []

  init(number: Int) { self.number = number }
}

/// The helpers for tests of programs with objects, used as users use them.
@Suite struct ContainerTests {
  @Test func `containers in memory have nothing in common`() throws {
    let containers = try [
      ModelContainer.inMemory(for: Bed.self), ModelContainer.inMemory(for: Bed.self),
    ]
    let context = ModelContext(containers[0])
    context.insert(Bed(number: 1))
    try context.save()
    #expect(try ModelContext(containers[0]).fetchCount(FetchDescriptor<Bed>()) == 1)
    #expect(try ModelContext(containers[1]).fetchCount(FetchDescriptor<Bed>()) == 0)
  }

  @MainActor @Test func `a settled main context has what others have saved`() async throws {
    let container = try ModelContainer.inMemory(for: Bed.self)
    container.mainContext.insert(Bed(number: 0))
    try container.mainContext.save()
    let bed = try #require(try container.mainContext.fetch(FetchDescriptor<Bed>()).first)
    let observer = try ResultsObserver<Plant, Never>(modelContainer: container)
    for number in 1..<20 {
      try await container.performBackgroundTask { context in
        let bed = try #require(try context.fetch(FetchDescriptor<Bed>()).first)
        bed.number = number
        context.insert(Plant(name: "\(number)"))
        try context.save()
      }
      try await container.settle()
      #expect(bed.number == number)
      #expect(observer.results.count == number)
    }
  }

  @MainActor @Test func `a settled history observer has counted`() async throws {
    let service = try TestService()
    let container = try service.container(for: Bed.self)
    let observer = try HistoryObserver(modelContainer: container)
    let other = ModelContext(try service.container(for: Bed.self))
    for number in 1..<10 {
      other.insert(Bed(number: number))
      try other.save()
      try await container.settle()
      #expect(observer.eventCounter == number)
    }
  }

  @Test func `a container tells its observer of operations`() throws {
    let container = try ModelContainer.inMemory(for: Bed.self)
    let events = Mutex<[OperationEvent]>([])
    container.operationObserver = { event in events.withLock { $0.append(event) } }
    let context = ModelContext(container)
    for number in 1...3 { context.insert(Bed(number: number)) }
    context.insert(Plant(name: "rose"))
    try context.save()
    let found = try context.fetch(FetchDescriptor<Bed>(predicate: #Predicate { $0.number > 1 }))
    #expect(found.count == 2)
    container.operationObserver = nil
    _ = try context.fetchCount(FetchDescriptor<Bed>())
    let told = events.withLock(\.self)
    #expect(told.map(\.name) == ["save", "fetch"])
    #expect(told.map(\.entity) == ["Bed, Plant", "Bed"])
    #expect(told.map(\.rows) == [4, 2])
    #expect(told.map(\.predicate) == [nil, "number > 1"])
    #expect(told.map(\.predicateShape) == [nil, "number > ?"])
  }
}
