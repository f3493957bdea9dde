import TestSupport
import Testing

@testable import SwiftData

/// The classes of a program that knows more than an older one.
private enum NewLetters {
  enum Tone: String, Codable { case calm, loud, angry }
  enum Size: Codable { case small, large }
  struct Paper: Codable, Hashable {
    var size = Size.small
    var tone: Tone? = .calm
    var weight = 80
  }

  @Model final class Letter {
    var name: String
    var tone = Tone.calm
    var second: Tone?
    var paper = Paper()
    var tones: [Tone] = []
    var papers: [Paper] = []
    @Attribute(.codable) var cover: Paper?
    var pages = 1

    init(name: String) { self.name = name }
  }
}

/// The same classes in the older program.
private enum OldLetters {
  enum Tone: String, Codable { case calm, loud }
  enum Size: Codable { case small }
  struct Paper: Codable, Hashable {
    var size = Size.small
    var tone: Tone? = .calm
    var weight = 80
  }

  @Model final class Letter {
    var name: String
    var tone = Tone.calm
    var second: Tone?
    var paper = Paper()
    var tones: [Tone] = []
    var papers: [Paper] = []
    @Attribute(.codable) var cover: Paper?
    var pages = 1

    init(name: String) { self.name = name }
  }
}

/// Rows with values that another version of the program has stored, and this one doesn't know.
@MainActor @Suite struct `Values that a program doesn't know` {
  private typealias New = NewLetters.Letter
  private typealias Old = OldLetters.Letter

  private let folder: TemporaryFolder
  private let new: ModelContext
  private let old: ModelContext
  private let order = [SortDescriptor(\Old.name)]

  init() throws {
    folder = try TemporaryFolder()
    let configuration = ModelConfiguration(url: try folder.store())
    func container(_ type: any PersistentModel.Type) throws -> ModelContainer {
      try ModelContainer(for: Schema([type]), configurations: configuration)
    }
    new = ModelContext(try container(New.self))
    for name in ["a", "b", "c"] {
      let letter = New(name: name)
      letter.paper.weight = 90
      letter.pages = 7
      if name == "b" {
        letter.tone = .angry
        letter.second = .angry
        letter.paper.size = .large
        letter.tones = [.calm, .angry]
        letter.papers = [NewLetters.Paper(size: .large)]
        letter.cover = letter.paper
      }
      new.insert(letter)
    }
    try new.save()
    old = try container(Old.self).mainContext
    old.autosaveEnabled = false
  }

  private func stored() throws -> New {
    let wanted = #Predicate<New> { $0.name != "a" && $0.name != "c" }
    return try #require(
      ModelContext(new.container).fetch(FetchDescriptor(predicate: wanted)).first
    )
  }

  /// Expects that what is called next tells the row and the value that the program has asked for.
  private func expectReport(of letter: Old, _ property: String, _ value: String) {
    let error = #expect(throws: SwiftDataError.storeFailure) {
      try old.fetchCount(FetchDescriptor<Old>())
    }
    #expect(error?.entity == "Letter" && error?.property == property)
    #expect(error?.message.contains(value) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("\(letter.persistentModelID)") == true)
    // It is told once.
    #expect(throws: Never.self) { try old.fetchCount(FetchDescriptor<Old>()) }
  }

  @Test func `keep no row from being read`() throws {
    let letters = try old.fetch(FetchDescriptor<Old>(sortBy: order))
    #expect(letters.map(\.name) == ["a", "b", "c"])
    #expect(letters.map(\.pages) == [7, 7, 7])
    #expect(letters[0].tone == .calm && letters[0].paper.weight == 90)
    #expect(letters[2].tone == .calm && letters[2].tones.isEmpty)
    #expect(throws: Never.self) { try old.save() }
  }

  @Test func `are told when the program asks for them`() throws {
    let letter = try old.fetch(FetchDescriptor<Old>(sortBy: order))[1]
    _ = letter.tone
    expectReport(of: letter, "tone", #""angry""#)
    _ = letter.second
    expectReport(of: letter, "second", #""angry""#)
    _ = letter.paper
    expectReport(of: letter, "paper", #""large""#)
    _ = letter.tones
    expectReport(of: letter, "tones", #""angry""#)
    _ = letter.papers
    expectReport(of: letter, "papers", "size")
    _ = letter.cover
    expectReport(of: letter, "cover", "size")
    #expect(letter.pages == 7)
  }

  @Test func `are kept when other properties are changed`() throws {
    let letter = try old.fetch(FetchDescriptor<Old>(sortBy: order))[1]
    letter.pages = 8
    try old.save()
    let stored = try stored()
    #expect(stored.pages == 8)
    #expect(stored.tone == .angry && stored.second == .angry && stored.paper.size == .large)
    #expect(stored.paper.weight == 90 && stored.tones == [.calm, .angry])
    #expect(stored.papers.map(\.size) == [.large] && stored.cover?.size == .large)
  }

  @Test func `can be replaced`() throws {
    let letter = try old.fetch(FetchDescriptor<Old>(sortBy: order))[1]
    letter.tone = .loud
    letter.paper = OldLetters.Paper(weight: 70)
    letter.tones = []
    try old.save()
    #expect(letter.tone == .loud && letter.paper.weight == 70)
    let stored = try stored()
    #expect(stored.tone == .loud && stored.paper.weight == 70 && stored.tones.isEmpty)
    #expect(stored.second == .angry)
    #expect(throws: Never.self) { try old.fetchCount(FetchDescriptor<Old>()) }
  }

  @Test func `are told too where they come while the object is held`() throws {
    let letters = try old.fetch(FetchDescriptor<Old>(sortBy: order))
    let letter = letters[0]
    #expect(letter.tone == .calm)
    let mine = try #require(
      new.fetch(FetchDescriptor(predicate: #Predicate<New> { $0.name == "a" })).first
    )
    mine.tone = .angry
    mine.pages = 9
    try new.save()
    #expect(throws: Never.self) { try old.fetch(FetchDescriptor<Old>()) }
    #expect(letter.pages == 9)
    _ = letter.tone
    expectReport(of: letter, "tone", #""angry""#)
  }

  @Test func `are left out by predicates over what the program knows`() throws {
    let calm = OldLetters.Tone.calm
    let wanted = FetchDescriptor(predicate: #Predicate<Old> { $0.tone == calm }, sortBy: order)
    #expect(try old.fetch(wanted).map(\.name) == ["a", "c"])
  }
}
