import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Model final class Essay {
  @Attribute(.unique) var title: String
  var year = 1895
  var text = ""
  var cover: Data?
  var house = Printer()

  struct Printer: Codable, Equatable {
    var city = "Mainz"
    var plan = Data()
  }

  init(title: String, text: String = "", cover: Data? = nil) {
    self.title = title
    self.text = text
    self.cover = cover
  }
}

/// Texts and data that are too large for a row, in properties without options.
@Suite(.serialized) struct `Large values of ordinary properties` {
  private let service: LosableService
  private let container: ModelContainer
  /// The container of another program, which has the store open all the time.
  private let other: ModelContainer
  private let context: ModelContext

  init() throws {
    service = try LosableService()
    container = try Self.container(service)
    other = try Self.container(service)
    context = ModelContext(container)
  }

  private static func container(_ service: LosableService) throws -> ModelContainer {
    try ModelContainer(for: Essay.self, configurations: ModelConfiguration(url: service.store))
  }

  /// Bytes in which no two pieces are the same.
  private static func bytes(_ count: Int, seed: UInt32 = 7) -> Data {
    var data = Data(count: count)
    data.withUnsafeMutableBytes { bytes in
      let words = bytes.bindMemory(to: UInt32.self)
      for index in words.indices {
        words[index] = UInt32(truncatingIfNeeded: index) &* 2_654_435_761 &+ seed
      }
    }
    return data
  }

  private static let long = String(repeating: "Ein Bär. 🎬 ", count: 1_400_000) + "Ende"

  /// The essays that another program would fetch.
  private func fetched(
    _ predicate: Predicate<Essay>? = nil,
    sortBy order: SortDescriptor<Essay> = SortDescriptor(\.title)
  ) throws -> [Essay] {
    try ModelContext(other).fetch(FetchDescriptor(predicate: predicate, sortBy: [order]))
  }

  @Test(arguments: [9 << 20, 40 << 20])
  func `data is saved, and read elsewhere and after a restart`(_ count: Int) throws {
    let cover = Self.bytes(count)
    context.insert(Essay(title: "Large", cover: cover))
    context.insert(Essay(title: "Small", cover: Data([1])))
    try context.save()
    #expect(try fetched().map { $0.cover == cover } == [true, false])
    service.kill()
    try service.start()
    let again = try fetched()
    #expect(again.map(\.title) == ["Large", "Small"])
    #expect(again.map { $0.cover?.count } == [count, 1])
    #expect(again[0].cover == cover)
    #expect(again[0].text == "")
  }

  @Test func `a text of 20 MB is found by what is in it`() throws {
    #expect(Self.long.utf8.count > 20 << 20)
    context.insert(Essay(title: "Long", text: Self.long))
    context.insert(Essay(title: "Short", text: "Ende"))
    context.insert(Essay(title: "None"))
    try context.save()
    #expect(try fetched(#Predicate { $0.text.contains("Ende") }).map(\.title) == ["Long", "Short"])
    #expect(try fetched(#Predicate { $0.text == "Ende" }).map(\.title) == ["Short"])
    #expect(try fetched(#Predicate { $0.text.isEmpty }).map(\.title) == ["None"])
    let long = #Predicate<Essay> { $0.text.starts(with: "Ein") }
    #expect(try context.fetchCount(FetchDescriptor(predicate: long)) == 1)
    let sorted = try fetched(sortBy: SortDescriptor(\.text))
    #expect(sorted.map(\.title) == ["None", "Long", "Short"])
    #expect(sorted[1].text == Self.long)
  }

  @Test func `a program that was there before sees the change, and saves its own`() throws {
    let essay = Essay(title: "First", text: "small", cover: Data([1]))
    context.insert(essay)
    try context.save()
    let rival = ModelContext(other)
    let theirs = try #require(rival.fetch(FetchDescriptor<Essay>()).first)
    #expect(theirs.text == "small")
    essay.text = Self.long
    try context.save()
    theirs.year = 1900
    try rival.save()
    rival.rollback()
    #expect(try rival.fetch(FetchDescriptor<Essay>()).first === theirs)
    #expect(theirs.text == Self.long)
    theirs.text = "small again"
    try rival.save()
    let now = try #require(fetched().first)
    #expect(now.text == "small again")
    #expect(now.year == 1900)
    #expect(now.cover == Data([1]))
  }

  @Test func `an object is changed beside a value that it never read`() throws {
    context.insert(Essay(title: "Kept", text: Self.long, cover: Self.bytes(9 << 20)))
    try context.save()
    let rival = ModelContext(other)
    let theirs = try #require(rival.fetch(FetchDescriptor<Essay>()).first)
    theirs.title = "Kept on"
    try rival.save()
    theirs.text = ""
    try rival.save()
    let now = try #require(fetched().first)
    #expect(now.title == "Kept on")
    #expect(now.text == "")
    #expect(now.cover == Self.bytes(9 << 20))
  }

  @Test func `a part of a structure has any size too`() throws {
    let essay = Essay(title: "Printed")
    essay.house.plan = Self.bytes(9 << 20)
    context.insert(essay)
    try context.save()
    let now = try #require(fetched().first)
    #expect(now.year == 1895)
    #expect(now.house.city == "Mainz")
    #expect(now.house.plan == Self.bytes(9 << 20))
  }

  @Test func `it is stored again with its row that others have deleted`() throws {
    context.insert(Essay(title: "Gone", text: Self.long))
    try context.save()
    let rival = ModelContext(container)
    rival.automaticallyMergesChanges = false
    let essay = try #require(rival.fetch(FetchDescriptor<Essay>()).first)
    #expect(essay.text.utf8.count == Self.long.utf8.count)
    essay.year = 1930
    try context.delete(model: Essay.self)
    try rival.save()
    let again = try #require(fetched().first)
    #expect(again.year == 1930)
    #expect(again.text == Self.long)
  }

  @Test func `a title that is unique takes no large value, in words`() throws {
    context.insert(Essay(title: Self.long))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.code == "limit.value_bytes")
    #expect(error?.description.contains("Essay.title") == true, "\(String(describing: error))")
    #expect(error?.hint?.contains("index") == true, "\(error?.hint ?? "")")
  }

  @Test func `a save whose answer is lost is stored once`() throws {
    let essay = Essay(title: "Lost", text: "small")
    context.insert(essay)
    try context.save()
    essay.text = Self.long
    service.loseAnswers()
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    service.kill()
    try service.start()
    try context.save()
    #expect(try fetched().map { $0.text == Self.long } == [true])
  }
}
