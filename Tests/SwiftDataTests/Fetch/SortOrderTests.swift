import SwiftData
import Testing

/// The order of text that a descriptor says nothing about.
@Suite struct SortOrderTests {
  private let container: ModelContainer
  private let context: ModelContext
  /// Where only case tells two apart, code points decide.
  private let expected = ["A9", "a9", "a10", "Åland", "Bergen", "bergen", "Éire", "voss"]
  private let pending = ["bergen", "A9", "Éire"]

  init() throws {
    container = try ModelContainer(storing: Voyage.self, Skipper.self, Halt.self)
    context = ModelContext(container)
    for name in Set(expected).subtracting(pending) { context.insert(voyage(name)) }
    try context.save()
    for name in pending { context.insert(voyage(name)) }
  }

  private func voyage(_ name: String) -> Voyage {
    let voyage = Voyage(name: name, note: name)
    voyage.captain = Skipper(name: name, nickname: name)
    return voyage
  }

  private func names(_ sort: SortDescriptor<Voyage>) throws -> [String] {
    try context.fetch(FetchDescriptor(sortBy: [sort])).map(\.name)
  }

  @Test func `text is in the order in which people expect it`() throws {
    // What is partly saved, and the same again when all is.
    for _ in 0..<2 {
      #expect(try names(SortDescriptor(\.name)) == expected)
      #expect(try names(SortDescriptor(\.name, order: .reverse)) == expected.reversed())
      #expect(try names(SortDescriptor(\.note)) == expected)
      #expect(try names(SortDescriptor(\.captain?.name)) == expected)
      #expect(try names(SortDescriptor(\.captain?.nickname)) == expected)
      #expect(try names(SortDescriptor(\.name, comparator: .localizedStandard)) == expected)
      try context.save()
    }
  }

  @Test func `text is in the order of code points if that is asked for`() throws {
    let points = expected.sorted()
    #expect(points != expected)
    // What is partly saved, and the same again when all is.
    for _ in 0..<2 {
      #expect(try names(SortDescriptor(\.name, comparator: .lexical)) == points)
      #expect(try names(SortDescriptor(\.note, comparator: .lexical)) == points)
      try context.save()
    }
  }

  @Test func `batches, enumerations, and sections have the same order`() throws {
    var descriptor = FetchDescriptor<Voyage>(sortBy: [SortDescriptor(\.name)])
    // What is partly saved, and the same again when all is.
    for _ in 0..<2 {
      #expect(
        try context.fetchSections(FetchDescriptor(), by: \Voyage.name).map(\.title) == expected
      )
      #expect(try context.fetchIdentifiers(descriptor).count == expected.count)
      try context.save()
    }
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor, batchSize: 2).map(\.name) == expected)
    var enumerated: [String] = []
    try context.enumerate(descriptor, batchSize: 3) { enumerated.append($0.name) }
    #expect(enumerated == expected)
  }

  @Test func `observed results and queries have the same order`() throws {
    let observer = try ResultsObserver<Voyage, Never>(
      sortBy: [SortDescriptor(\.name)],
      modelContext: context
    )
    let query = LiveQuery<Voyage>(sort: \.name, modelContext: context)
    let sections = try ResultsObserver<Voyage, String>(sectionBy: \.name, modelContext: context)
    // What is partly saved, and the same again when all is.
    for _ in 0..<2 {
      #expect(observer.results.map(\.name) == expected)
      #expect(query.wrappedValue.map(\.name) == expected)
      #expect(sections.results.map(\.name) == expected)
      try context.save()
    }
    context.insert(voyage("b"))
    try context.save()
    #expect(observer.results.map(\.name).firstIndex(of: "b") == 4)
    #expect(query.wrappedValue.map(\.name).firstIndex(of: "b") == 4)
  }
}
