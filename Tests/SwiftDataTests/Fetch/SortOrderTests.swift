import Foundation
import SwiftData
import TestSupport
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

  @Test(arguments: seeds(10))
  func `text of any signs is in Foundation's order, saved or not`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let container = try ModelContainer(storing: Voyage.self, Skipper.self, Halt.self)
    let context = ModelContext(container)
    let names = Set((0..<120).map { _ in Self.text(&random) }).sorted()
    for name in names where random.once(in: 2) { context.insert(Voyage(name: name, note: nil)) }
    try context.save()
    let saved = Set(try context.fetch(FetchDescriptor<Voyage>()).map(\.name))
    for name in names where !saved.contains(name) {
      context.insert(Voyage(name: name, note: nil))
    }
    let descriptor = FetchDescriptor<Voyage>(sortBy: [SortDescriptor(\.name)])
    let mixed = try context.fetch(descriptor).map(\.name)
    try context.save()
    #expect(try context.fetch(descriptor).map(\.name) == mixed, "seed \(seed)")
    for (position, left) in mixed.enumerated() {
      for right in mixed[(position + 1)...] where Self.isComparable(left, right) {
        #expect(
          left.localizedStandardCompare(right) != .orderedDescending,
          "seed \(seed): \(left.debugDescription) is before \(right.debugDescription)"
        )
      }
    }
  }

  /// Signs in groups, of which each is in front of the next one.
  private static let groups: [[Character]] = [
    Array(" "), Array(#"_-,;:!?.'"()[]{}@*/\&#%–—…«•§"#), Array("`^+<=>|~©→∑♥✅😀👍🇩🇪"),
    Array("$£€"), Array("123456789"), Array("abcdefghijklmnopqrstuvwxyz"),
  ]

  private static func text(_ random: inout SeededGenerator) -> String {
    String(
      (0..<Int.random(in: 1...4, using: &random)).map { _ in random.pick(random.pick(groups)) }
    )
  }

  /// Whether Foundation and the store have one idea of what comes first.
  ///
  /// What differs first is of two groups, or of ASCII. Foundation's order within a group depends on
  /// tables of its own.
  private static func isComparable(_ left: String, _ right: String) -> Bool {
    guard let (left, right) = zip(left, right).first(where: { $0 != $1 }) else { return true }
    let places = [left, right].map { sign in groups.firstIndex { $0.contains(sign) } }
    return places[0] != places[1] || left.isASCII && right.isASCII
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
