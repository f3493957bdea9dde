import SwiftData
import TestSupport
import Testing

/// The parts that a structure may have in some version of a program.
struct EvolvingParts: Equatable {
  var a = 0
  var b = ""
  var mid: Int?
  var note = "n"

  enum Name: CaseIterable {
    case a, b, mid, note
  }

  /// Takes the parts of some names from others.
  mutating func take(_ names: Set<Name>, from other: EvolvingParts) {
    if names.contains(.a) { a = other.a }
    if names.contains(.b) { b = other.b }
    if names.contains(.mid) { mid = other.mid }
    if names.contains(.note) { note = other.note }
  }

  /// These parts, as a program sees them that knows some of them.
  func seen(_ names: Set<Name>) -> EvolvingParts {
    var result = EvolvingParts()
    result.take(names, from: self)
    return result
  }

  static func random(_ generator: inout SeededGenerator) -> EvolvingParts {
    EvolvingParts(
      a: Int.random(in: -9...9, using: &generator),
      b: generator.pick(["", "x", "é", "null"]),
      mid: generator.pick([nil, 0, 5]),
      note: generator.pick(["n", "", "o"])
    )
  }
}

/// A structure of one version of a program.
protocol EvolvingValue {
  static var names: Set<EvolvingParts.Name> { get }
  init(_ parts: EvolvingParts)
  var parts: EvolvingParts { get }
}

/// A model of one version of a program.
protocol EvolvingItem: PersistentModel {
  associatedtype Content: EvolvingValue
  var key: Int { get }
  var content: Content { get set }
  var spare: Content? { get set }
  init(_ key: Int, _ content: Content, _ spare: Content?)
}

@Suite struct `Evolution of structures` {
  private static let versions: [(any EvolvingItem.Type, isWhole: Bool)] = [
    (EvolutionShort.Item.self, false), (EvolutionTurned.Item.self, false),
    (EvolutionGrown.Item.self, false), (EvolutionTolerant.Item.self, false),
    (EvolutionRenamed.Item.self, false), (EvolutionWhole.Item.self, true),
    (EvolutionOpaque.Item.self, true),
  ]

  /// What the store has, as a model in memory.
  private struct Known {
    var rows: [Int: (content: EvolvingParts, spare: EvolvingParts?)] = [:]
    var isWhole = false
  }

  @Test(arguments: seeds(UInt64(6)))
  func `versions in any order read what the others wrote`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    var known = Known()
    for _ in 0..<8 {
      let (type, isWhole) = generator.pick(Self.versions)
      try visit(type, isWhole, folder, &known, &generator)
    }
  }

  private func visit<Item: EvolvingItem>(
    _ type: Item.Type,
    _ isWhole: Bool,
    _ folder: TemporaryFolder,
    _ known: inout Known,
    _ generator: inout SeededGenerator
  ) throws {
    let names = Item.Content.names
    if isWhole != known.isWhole {
      // Values in another form are those of the type that converted them.
      known.rows = known.rows.mapValues { ($0.content.seen(names), $0.spare?.seen(names)) }
    }
    known.isWhole = isWhole
    let container = try ModelContainer(
      for: Schema([type]),
      configurations: [ModelConfiguration(url: folder.store())]
    )
    try check(type, ModelContext(container), known)
    let context = ModelContext(container)
    for item in try context.fetch(FetchDescriptor<Item>(sortBy: [])) where generator.once(in: 2) {
      let parts = EvolvingParts.random(&generator)
      item.content = Item.Content(parts)
      // A value in one piece has just the parts of the type that wrote it.
      if isWhole { known.rows[item.key]?.content = EvolvingParts() }
      known.rows[item.key]?.content.take(names, from: parts)
      guard generator.once(in: 2) else { continue }
      let spare = generator.once(in: 3) ? nil : EvolvingParts.random(&generator)
      item.spare = spare.map { Item.Content($0) }
      var whole = (isWhole ? nil : known.rows[item.key]?.spare) ?? EvolvingParts()
      if let spare { whole.take(names, from: spare) }
      known.rows[item.key]?.spare = spare == nil ? nil : whole
    }
    let key = known.rows.count
    let parts = EvolvingParts.random(&generator)
    let spare = generator.once(in: 2) ? nil : EvolvingParts.random(&generator)
    context.insert(Item(key, Item.Content(parts), spare.map { Item.Content($0) }))
    known.rows[key] = (parts.seen(names), spare?.seen(names))
    try context.save()
    try check(type, ModelContext(container), known)
  }

  private func check<Item: EvolvingItem>(
    _ type: Item.Type,
    _ context: ModelContext,
    _ known: Known
  ) throws {
    let names = Item.Content.names
    let items = try context.fetch(FetchDescriptor<Item>())
    #expect(items.count == known.rows.count)
    for item in items {
      let row = try #require(known.rows[item.key])
      #expect(item.content.parts == row.content.seen(names), "\(type), \(item.key)")
      #expect(item.spare?.parts == row.spare?.seen(names), "\(type), \(item.key)")
    }
  }
}
