import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Model final class Film {
  @Attribute(.unique) var title: String
  var year = 1895
  @Attribute(.externalStorage) var reel: Data?
  @Attribute(.externalStorage) var script = ""
  @Relationship(inverse: \Copy.film) var copies: [Copy] = []

  init(title: String, reel: Data? = nil, script: String = "") {
    self.title = title
    self.reel = reel
    self.script = script
  }
}

@Model final class Copy {
  var film: Film?
  @Attribute(.externalStorage) var scan: Data

  init(scan: Data, film: Film? = nil) {
    self.scan = scan
    self.film = film
  }
}

/// Values that are too large for a row, or for a frame.
@Suite(.serialized) struct `Values of any size` {
  private let folder: TemporaryFolder
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    container = try Self.container(folder.store())
    context = ModelContext(container)
  }

  private static func container(_ store: URL) throws -> ModelContainer {
    try ModelContainer(for: Film.self, Copy.self, configurations: ModelConfiguration(url: store))
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

  private func stored(_ title: String) throws -> Film {
    let predicate = #Predicate<Film> { $0.title == title }
    return try #require(
      ModelContext(container).fetch(FetchDescriptor(predicate: predicate)).first
    )
  }

  @Test(arguments: [9 << 20, 17 << 20])
  func `data is saved with its object, and read when it is touched`(_ count: Int) throws {
    let reel = Self.bytes(count)
    context.insert(Film(title: "Long", reel: reel))
    try context.save()
    #expect(!context.hasChanges)
    let film = try stored("Long")
    #expect(film.year == 1895)
    #expect(film.reel == reel)
  }

  @Test func `so is a text, whose characters may be cut anywhere`() throws {
    let script = String(repeating: "Ein Bär. 🎬 ", count: 700_000)
    #expect(script.utf8.count > 8 << 20)
    context.insert(Film(title: "Talkie", script: script))
    try context.save()
    #expect(try stored("Talkie").script == script)
  }

  @Test func `one save brings many, beside objects that refer to each other`() throws {
    let film = Film(
      title: "Four",
      reel: Self.bytes(3 << 20),
      script: String(repeating: "x", count: 9 << 20)
    )
    film.copies = (0..<3).map { Copy(scan: Self.bytes(6 << 20, seed: $0)) }
    context.insert(film)
    try context.save()
    let same = try stored("Four")
    #expect(same.reel == Self.bytes(3 << 20))
    #expect(same.script.utf8.count == 9 << 20)
    #expect(Set(same.copies.map(\.scan)) == Set((0..<3).map { Self.bytes(6 << 20, seed: $0) }))
  }

  @Test func `a large value takes the place of a small one, and the other way`() throws {
    let film = Film(title: "Cut", reel: Data([1, 2, 3]))
    context.insert(film)
    try context.save()
    film.reel = Self.bytes(2 << 20)
    film.year = 1900
    try context.save()
    #expect(try stored("Cut").reel == Self.bytes(2 << 20))
    film.reel = Self.bytes(2 << 20, seed: 8)
    try context.save()
    #expect(try stored("Cut").reel == Self.bytes(2 << 20, seed: 8))
    film.reel = Data([4])
    try context.save()
    #expect(try stored("Cut").reel == Data([4]))
    film.reel = nil
    try context.save()
    #expect(try stored("Cut").reel == nil)
  }

  @Test func `other properties are saved without it, and others' edits are merged beside it`()
    throws
  {
    let film = Film(title: "Kept", reel: Self.bytes(9 << 20))
    context.insert(film)
    try context.save()
    let rival = ModelContext(container)
    let other = try #require(rival.fetch(FetchDescriptor<Film>()).first)
    other.year = 1927
    #expect(other.reel?.count == 9 << 20)
    try rival.save()
    film.title = "Kept on"
    try context.save()
    let now = try stored("Kept on")
    #expect(now.year == 1927)
    #expect(now.reel == Self.bytes(9 << 20))
  }

  @Test func `a save that fails stores nothing of it, and the next one all`() throws {
    context.insert(Film(title: "Old"))
    try context.save()
    let rival = ModelContext(container)
    rival.mergePolicy = .error
    let film = Film(title: "Old", reel: Self.bytes(9 << 20))
    rival.insert(film)
    #expect(throws: SwiftDataError.self) { try rival.save() }
    #expect(try stored("Old").reel == nil)
    film.title = "New"
    try rival.save()
    #expect(try stored("New").reel == Self.bytes(9 << 20))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Film>()) == 2)
  }

  @Test func `a fetch that names the property brings the others at once`() throws {
    context.insert(Film(title: "Small", reel: Data([1])))
    context.insert(Film(title: "Large", reel: Self.bytes(9 << 20)))
    try context.save()
    var descriptor = FetchDescriptor<Film>(sortBy: [SortDescriptor(\.title)])
    descriptor.propertiesToFetch = [\.title, \.reel]
    let films = try ModelContext(container).fetch(descriptor)
    #expect(films.map(\.title) == ["Large", "Small"])
    #expect(films.map { $0.reel?.count } == [9 << 20, 1])
  }

  @Test(arguments: [false, true])
  func `it is stored again with its row that others have deleted`(_ isMerging: Bool) throws {
    let script = String(repeating: "x", count: 9 << 20)
    context.insert(Film(title: "Gone", reel: Self.bytes(2 << 20), script: script))
    try context.save()
    let rival = ModelContext(container)
    rival.automaticallyMergesChanges = isMerging
    let film = try #require(rival.fetch(FetchDescriptor<Film>()).first)
    #expect(film.reel?.count == 2 << 20)
    #expect(film.script.utf8.count == 9 << 20)
    film.year = 1930
    try context.delete(model: Film.self)
    try rival.save()
    let again = try stored("Gone")
    #expect(again.year == 1930)
    #expect(again.reel == Self.bytes(2 << 20))
    #expect(again.script == script)
  }

  @Test(arguments: [false, true])
  func `its row isn't stored again without it, if nobody has read it`(_ isMerging: Bool) throws {
    context.insert(Film(title: "Gone", reel: Self.bytes(2 << 20), script: "Fin"))
    try context.save()
    let rival = ModelContext(container)
    rival.automaticallyMergesChanges = isMerging
    let film = try #require(rival.fetch(FetchDescriptor<Film>()).first)
    #expect(film.script == "Fin")
    film.year = 1930
    try context.delete(model: Film.self)
    let error = #expect(throws: SwiftDataError.saveConflict) { try rival.save() }
    #expect(error?.entity == "Film")
    #expect(error?.property == "reel")
    #expect(error?.conflicts.map(\.kind) == [.updateOfDeleted])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Film>()) == 0)
    film.reel = Self.bytes(3 << 20)
    try rival.save()
    #expect(try stored("Gone").reel == Self.bytes(3 << 20))
    #expect(try stored("Gone").script == "Fin")
  }

  @Test func `its row isn't stored again without it after a save that only finds that out`()
    throws
  {
    context.insert(Film(title: "Gone", script: "Fin"))
    try context.save()
    let rival = ModelContext(container)
    let film = try #require(rival.fetch(FetchDescriptor<Film>()).first)
    try context.delete(model: Film.self)
    film.copies.append(Copy(scan: Data([1])))
    let error = #expect(throws: SwiftDataError.saveConflict) { try rival.save() }
    #expect(error?.property == "script")
    rival.rollback()
    #expect(!rival.hasChanges)
    #expect(film.isDeleted)
  }

  @Test func `it is stored once when the answer to the save is lost`() throws {
    let service = try LosableService()
    let container = try Self.container(service.store)
    let context = ModelContext(container)
    context.insert(Film(title: "Lost", reel: Self.bytes(9 << 20)))
    service.loseAnswers()
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    service.kill()
    try service.start()
    try context.save()
    let films = try ModelContext(container).fetch(FetchDescriptor<Film>())
    #expect(films.map(\.title) == ["Lost"])
    #expect(films.first?.reel == Self.bytes(9 << 20))
  }
}
