import TestSupport
import Testing

@testable import SwiftData

/// Saves by a store around one of the service, of which nobody knows at first whether they were made.
@Suite(.serialized) struct `A wrapped save whose answer is lost` {
  private let service: LosableService
  private let container: ModelContainer
  private let context: ModelContext
  private let oslo = Journey("Oslo")
  private let bergen = Journey("Bergen")
  private let readers = Readers()

  private final class Readers { var list: [ModelContext] = [] }

  init() throws {
    service = try LosableService()
    var configuration = WrappingConfiguration()
    configuration.base = ModelConfiguration(url: service.store)
    container = try ModelContainer(for: Journey.self, configurations: configuration)
    context = ModelContext(container)
    context.author = "wrapped"
    context.insert(oslo)
    context.insert(bergen)
    try context.save()
  }

  /// Saves, so that the service does it and nobody is told.
  ///
  /// Something that is stored already must be changed, so that the inner context has a connection.
  private func loseSave() throws {
    let service = Sharing(value: service)
    let own = Sharing(value: context)
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave,
      object: nil,
      queue: nil
    ) { notification in
      guard let inner = notification.object as? ModelContext, inner !== own.value,
        inner.author == own.value.author
      else { return }
      service.value.loseAnswers()
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let error = #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    #expect(error?.serviceError?.effect == .unknown)
    service.value.kill()
    try service.value.start()
  }

  private func stored() throws -> [Journey] {
    try reader.fetch(FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.title)]))
  }

  /// A new context, which lasts as long as the test.
  private var reader: ModelContext {
    let context = ModelContext(container)
    readers.list.append(context)
    return context
  }

  @Test func `is made once`() throws {
    let lom = Journey("Lom")
    lom.stops = [Stopover("Hamar", order: 1)]
    context.insert(lom)
    oslo.days = 5
    context.delete(bergen)
    try loseSave()
    #expect(context.hasChanges)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try stored().map(\.title) == ["Lom", "Oslo"])
    #expect(try stored().map(\.days) == [1, 5])
    #expect(try stored()[0].persistentModelID == lom.persistentModelID)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Stopover>()) == 1)
  }

  @Test func `takes along what was changed since`() throws {
    let (lom, doomed) = (Journey("Lom"), Journey("Doomed"))
    context.insert(lom)
    context.insert(doomed)
    oslo.days = 5
    try loseSave()
    lom.days = 7
    lom.guide = Guide("Ann")
    lom.stops = [Stopover("Hamar", order: 1)]
    oslo.title = "Aas"
    context.delete(doomed)
    context.insert(Journey("Moss"))
    try context.save()
    let all = try stored()
    #expect(all.map(\.title) == ["Aas", "Bergen", "Lom", "Moss"])
    #expect(all.map(\.days) == [5, 1, 7, 1])
    #expect(all[2].guide?.name == "Ann")
    #expect(all[2].stops.map(\.place) == ["Hamar"])
    lom.days = 8
    try context.save()
    #expect(try stored()[2].days == 8)
  }

  @Test func `takes back what was inserted and isn't wanted any more`() throws {
    let doomed = Journey("Doomed")
    context.insert(doomed)
    oslo.days = 5
    try loseSave()
    context.delete(doomed)
    try context.save()
    #expect(try stored().map(\.title) == ["Bergen", "Oslo"])
  }

  @Test func `is given up by a rollback`() throws {
    context.insert(Journey("Lom"))
    oslo.days = 5
    service.kill()
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try service.start()
    context.rollback()
    bergen.days = 2
    try context.save()
    #expect(try stored().map(\.title) == ["Bergen", "Oslo"])
    #expect(try stored().map(\.days) == [2, 1])
  }

  @Test func `is made once though what comes with it is refused at first`() throws {
    context.insert(Journey("Lom"))
    oslo.days = 5
    try loseSave()
    let other = ModelContext(container)
    let copy = try #require(try other.journey("Bergen"))
    other.delete(copy)
    try other.save()
    bergen.days = 9
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    context.delete(bergen)
    try context.save()
    #expect(try stored().map(\.title) == ["Lom", "Oslo"])
  }

  private struct Told: Hashable {
    var days: Int
    var guide: String?
    var stops: Set<String>

    init(_ journey: Journey) {
      days = journey.days
      guide = journey.guide?.name
      stops = Set(journey.stops.map(\.place))
    }
  }

  @Test(arguments: seeds(4)) func `every save is made once, or not at all`(seed: Int) throws {
    var dice = SeededGenerator(seed: UInt64(seed) &+ 5)
    var journeys = [oslo, bergen]
    var guides: [Guide] = []
    var count = 0
    for step in 0..<30 {
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        let journey = journeys.randomElement(using: &dice)
        switch Int.random(in: 0..<6, using: &dice) {
        case 0:
          count += 1
          let new = Journey("J\(count)")
          context.insert(new)
          journeys.append(new)
        case 1:
          guides.append(Guide("G\(step) \(guides.count)"))
          journey?.guide = guides.last
        case 2: journey?.guide = guides.randomElement(using: &dice)
        case 3: journey?.stops.append(Stopover("S\(step) \(journey?.stops.count ?? 0)"))
        case 4:
          if let journey, journey !== oslo {
            context.delete(journey)
            journeys.removeAll { $0 === journey }
          }
        default: journey?.days += 1
        }
      }
      // Something that is stored is changed in every step.
      oslo.budget = Double(step)
      switch Int.random(in: 0..<3, using: &dice) {
      case 0: try attempt(isDone: true)
      case 1: try attempt(isDone: false)
      default:
        try context.save()
        let found = try stored()
        try #require(found.map(\.title).sorted() == journeys.map(\.title).sorted(), "step \(step)")
        let told = Dictionary(uniqueKeysWithValues: journeys.map { ($0.title, Told($0)) })
        for journey in found { try #require(Told(journey) == told[journey.title], "step \(step)") }
        #expect(!context.hasChanges)
      }
    }
  }

  /// Saves, so that nobody is told whether it was done.
  private func attempt(isDone: Bool) throws {
    if isDone { return try loseSave() }
    service.kill()
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try service.start()
  }
}

/// Something that a notification's closure uses.
// because the notifications of a save come on the thread that saves
private struct Sharing<Value>: @unchecked Sendable {
  let value: Value
}
