import DepotProtocol
import TestSupport
import Testing

@testable import SwiftData

/// Searches for words, which the store answers by its full-text index and the memory by the same rules.
@MainActor @Suite struct `Words in predicates` {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(storing: Article.self, Package.self)
    context = container.mainContext
    context.autosaveEnabled = false
  }

  private func stock() throws {
    let articles = [
      Article("Stores", "An object store for Swift on Linux"),
      Article("Objects", "Object stores: one object, two objects"),
      Article("Well-known words", nil),
      Article("Crème brûlée", "Not about storage at all"),
    ]
    articles[0].notes = [Note(text: "fast", author: Writer(motto: "Store early"))]
    articles[1].notes = [Note(text: "Object, your honour"), Note(text: "slow")]
    articles[2].plain = "an object store"
    for article in articles { context.insert(article) }
  }

  /// Searches, and the titles that they find.
  static let searches: [(Predicate<Article>, [String])] = [
    (#Predicate { $0.summary.matches(text: "object store") }, ["Stores"]),
    (#Predicate { $0.summary.matches(text: "object sto*") }, ["Objects", "Stores"]),
    (#Predicate { $0.summary.matches(text: "object -swift") }, ["Objects"]),
    (#Predicate { $0.summary.matches(text: "\"two objects\" OR linux") }, ["Objects", "Stores"]),
    (#Predicate { $0.title.matches(text: "creme BRULEE") }, ["Crème brûlée"]),
    (#Predicate { $0.title.matches(text: "known") }, ["Well-known words"]),
    (#Predicate { $0.matches(text: "stores object") }, ["Objects", "Stores"]),
    (#Predicate { !$0.matches(text: "object") }, ["Crème brûlée", "Well-known words"]),
    (#Predicate { $0.summary?.matches(text: "swift") == true }, ["Stores"]),
    (#Predicate { $0.title == "Stores" && $0.matches(text: "linux") }, ["Stores"]),
    (#Predicate { $0.notes.contains { $0.text.matches(text: "object") } }, ["Objects"]),
    (#Predicate { $0.notes.contains { $0.matches(text: "slow OR fast") } }, ["Objects", "Stores"]),
    (
      #Predicate { $0.notes.contains { $0.author?.motto.matches(text: "early") == true } },
      ["Stores"]
    ),
    // What the store can't do is found out in memory.
    (#Predicate { $0.plain.matches(text: "object store") }, ["Well-known words"]),
    (
      #Predicate { article in
        article.notes.contains { $0.text == "fast" && article.title.matches(text: "stores") }
      }, ["Stores"]
    ),
    (#Predicate { $0.summary.matches(text: $0.title) }, ["Objects"]),
  ]

  @Test func `find the same in the store, in memory, and by themselves`() throws {
    try stock()
    for (predicate, titles) in Self.searches {
      let descriptor = FetchDescriptor(
        predicate: predicate,
        sortBy: [SortDescriptor(\.title, comparator: .lexical)]
      )
      #expect(try context.fetch(descriptor).map(\.title) == titles, "pending: \(predicate)")
    }
    try context.save()
    let other = ModelContext(container)
    let all = try other.fetch(FetchDescriptor<Article>())
    for (predicate, titles) in Self.searches {
      let descriptor = FetchDescriptor(
        predicate: predicate,
        sortBy: [SortDescriptor(\.title, comparator: .lexical)]
      )
      #expect(try other.fetch(descriptor).map(\.title) == titles, "stored: \(predicate)")
      #expect(try all.filter { try predicate.evaluate($0) }.map(\.title).sorted() == titles)
    }
    let exact = try Self.searches.filter {
      try PendingFilter(FetchDescriptor(predicate: $0.0)).isExact
    }
    #expect(exact.count == Self.searches.count - 3)
  }

  @Test(arguments: seeds(8))
  func `of random words find the same in the store and in memory`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let words = ["store", "Stores", "objéct", "swift-lang", "a1", "été", "straße", "x"]
    func text(_ most: Int) -> String {
      (0..<Int.random(in: 1...most, using: &random))
        .map { _ in words.randomElement(using: &random) ?? "" }
        .joined(separator: [" ", ", ", "\n"].randomElement(using: &random) ?? "")
    }
    for number in 0..<40 {
      context.insert(Article("\(number) " + text(2), Bool.random(using: &random) ? text(6) : nil))
    }
    var asked: [Predicate<Article>] = []
    for _ in 0..<15 {
      let (first, second) = (words.randomElement(using: &random) ?? "", text(2))
      let prefix = String(first.prefix(2)) + "*"
      let search =
        [second, "\"\(second)\"", "\(first) OR \(prefix)", "\(second) -\(prefix)"]
        .randomElement(using: &random) ?? ""
      asked += [
        #Predicate { $0.title.matches(text: search) },
        #Predicate { $0.summary.matches(text: search) },
        #Predicate { $0.matches(text: search) },
      ]
    }
    let order = [SortDescriptor(\Article.title, comparator: .lexical)]
    let inMemory = try asked.map {
      try context.fetch(FetchDescriptor(predicate: $0, sortBy: order)).map(\.title)
    }
    try context.save()
    let other = ModelContext(container)
    for (predicate, titles) in zip(asked, inMemory) {
      let stored = try other.fetch(FetchDescriptor(predicate: predicate, sortBy: order))
      #expect(stored.map(\.title) == titles, "seed \(seed): \(predicate)")
    }
    #expect(inMemory.contains { !$0.isEmpty && $0.count < 40 }, "seed \(seed)")
  }

  @Test func `order their objects by rank, the best first`() throws {
    try stock()
    try context.save()
    let object = #Predicate<Article> { $0.summary.matches(text: "object") }
    func titles(_ order: [SortDescriptor<Article>], limit: Int? = nil) throws -> [String] {
      var descriptor = FetchDescriptor(predicate: object, sortBy: order)
      descriptor.fetchLimit = limit
      return try context.fetch(descriptor).map(\.title)
    }
    #expect(try titles([.searchRank]) == ["Objects", "Stores"])
    #expect(try titles([.searchRank], limit: 1) == ["Objects"])
    #expect(try titles([SortDescriptor(\.likes), .searchRank]) == ["Objects", "Stores"])
    // What isn't saved has no rank yet.
    let new = Article("A", "object object object object")
    context.insert(new)
    #expect(try titles([.searchRank]) == ["Objects", "Stores", "A"])
    #expect(try titles([.searchRank], limit: 2) == ["Objects", "Stores"])
    new.likes = -1
    #expect(try titles([SortDescriptor(\.likes), .searchRank]) == ["A", "Objects", "Stores"])
    try context.save()
    #expect(try titles([.searchRank]) == ["A", "Objects", "Stores"])
    let either = #Predicate<Article> { $0.matches(text: "object") || $0.title == "Crème brûlée" }
    let ranked = FetchDescriptor(predicate: either, sortBy: [.searchRank])
    #expect(try context.fetch(ranked).last?.title == "Crème brûlée")
  }

  @Test func `are written as on the page of predicates`() throws {
    for (summary, size) in [
      ("An object store", 2000), ("Object store in Swift", 2000), ("An object store", 10),
      ("Store of an object, and another object", 3000),
    ] { context.insert(Package(summary: summary, size: size)) }
    try context.save()
    let search = "object store -swift"
    let descriptor = FetchDescriptor<Package>(
      predicate: #Predicate { $0.summary.matches(text: search) && $0.size > 1000 },
      sortBy: [.searchRank]
    )
    #expect(try context.fetch(descriptor).count == 2)
    #expect("An object store".matches(text: search))
  }

  @Test func `say what is wrong with them before anything is asked`() throws {
    for words in ["", "-swift", "\"open", "a NOT NOT b"] {
      let predicate = #Predicate<Article> { $0.title.matches(text: words) }
      let error = #expect(throws: SwiftDataError.self) {
        try context.fetch(FetchDescriptor(predicate: predicate))
      }
      #expect(error?.kind == .unsupportedPredicate)
      #expect(error?.message.contains("In the search \(words.debugDescription)") == true)
      #expect(!"words".matches(text: words))
    }
  }

  @Test func `are needed where objects are ordered by rank`() throws {
    for predicate in [nil, #Predicate<Article> { $0.plain.matches(text: "x") }] {
      let error = #expect(throws: SwiftDataError.self) {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [.searchRank]))
      }
      #expect(error?.kind == .unsupportedSortDescriptor)
      #expect(error?.hint?.contains("matches(text:") == true)
    }
  }

  @Test func `follow changes that aren't saved, of related objects too`() async throws {
    try stock()
    try context.save()
    let noted = #Predicate<Article> { $0.notes.contains { $0.text.matches(text: "brilliant") } }
    let observer = try ResultsObserver<Article, Never>(filterBy: noted, modelContext: context)
    #expect(observer.results.isEmpty)
    let article = try #require(
      context.fetch(FetchDescriptor<Article>(predicate: #Predicate { $0.title == "Stores" })).first
    )
    article.notes.first?.text = "Simply brilliant!"
    #expect(try context.fetch(FetchDescriptor(predicate: noted)) == [article])
    try await expectSoon { observer.results.map(\.title) == ["Stores"] }
    context.rollback()
    #expect(try context.fetch(FetchDescriptor(predicate: noted)).isEmpty)
  }

  @Model final class Package {
    @Attribute(.spotlight) var summary: String
    var size: Int

    init(summary: String, size: Int) {
      self.summary = summary
      self.size = size
    }
  }

  @Model final class Article {
    @Attribute(.spotlight) var title: String
    @Attribute(.spotlight) var summary: String?
    var plain = ""
    var likes = 0
    @Relationship(inverse: \Note.article) var notes: [Note] = []

    init(_ title: String, _ summary: String?) {
      self.title = title
      self.summary = summary
    }
  }

  @Model final class Note {
    @Attribute(.spotlight) var text: String
    var article: Article?
    var author: Writer?

    init(text: String, author: Writer? = nil) {
      self.text = text
      self.author = author
    }
  }

  @Model final class Writer {
    @Attribute(.spotlight) var motto: String

    init(motto: String) { self.motto = motto }
  }
}
