import SwiftData
import TestSupport
import Testing

/// A model of one version of a program, whose property `value` has another type in each.
protocol FormItem: PersistentModel {
  var key: Int { get }
  /// The number that the value is made of; `nil` if there is no value, or not all of it.
  var number: Int? { get set }
  init(_ key: Int)
}

/// A property whose type becomes any other one, and that one again.
@Suite(.serialized) struct `Forms of a property` {
  /// How the value of a version is stored.
  private enum Family: Hashable {
    case structure, list, text, number, link, links

    var isRelationship: Bool { self == .link || self == .links }
  }

  private static let versions: [(type: any FormItem.Type, family: Family)] = [
    (FormParts.Item.self, .structure), (FormLazy.Item.self, .structure),
    (FormWrapped.Item.self, .structure), (FormSecret.Item.self, .structure),
    (FormDeep.Item.self, .structure), (FormClass.Item.self, .structure),
    (FormKeys.Item.self, .structure), (FormOpaque.Item.self, .structure),
    (FormList.Item.self, .list), (FormText.Item.self, .text), (FormNumber.Item.self, .number),
    (FormLink.Item.self, .link), (FormLinks.Item.self, .links),
  ]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open<Item: FormItem>(_ type: Item.Type) throws -> ModelContext {
    let configuration = ModelConfiguration(url: try folder.store())
    return ModelContext(try ModelContainer(for: Schema([type]), configurations: [configuration]))
  }

  private func check<Item: FormItem>(
    _ type: Item.Type,
    _ context: ModelContext,
    _ rows: [Int?],
    _ steps: [String]
  ) throws {
    let items = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.key)]))
    #expect(items.map(\.number) == rows, "\(steps)")
  }

  /// Opens the store by a version; returns whether it could.
  private func visit<Item: FormItem>(
    _ type: Item.Type,
    _ rows: inout [Int?],
    _ generator: inout SeededGenerator,
    mayFail: Bool,
    mayOpen: Bool,
    isEncoded: Bool,
    _ steps: [String]
  ) throws -> Bool {
    let context: ModelContext
    do {
      context = try open(type)
    } catch {
      guard mayFail, let error = error as? SwiftDataError else {
        throw TestFailure("\(error): \(steps)")
      }
      #expect(error == .loadIssueModelContainer, "\(error): \(steps)")
      #expect(error.message.contains("Item.value"), "\(error): \(steps)")
      #expect(error.hint?.isEmpty == false, "\(error): \(steps)")
      return false
    }
    if !mayOpen {
      // The store doesn't say which type it has encoded: what isn't of this one is told when it is read.
      for item in try context.fetch(FetchDescriptor<Item>()) { _ = item.number }
      let error = #expect(throws: SwiftDataError.storeFailure, "\(steps)") {
        try context.fetchCount(FetchDescriptor<Item>())
      }
      #expect(error?.property == "value", "\(steps)")
      #expect(isEncoded, "opened: \(steps)")
      return false
    }
    try check(type, context, rows, steps)
    for item in try context.fetch(FetchDescriptor<Item>()) where generator.once(in: 2) {
      let number = generator.once(in: 3) ? nil : Int.random(in: -9...99, using: &generator)
      item.number = number
      rows[item.key] = number
    }
    if generator.once(in: 2) {
      let item = Item(rows.count)
      context.insert(item)
      item.number = generator.once(in: 2) ? nil : 7
      rows.append(item.number)
    }
    if generator.once(in: 3) {
      for item in try context.fetch(FetchDescriptor<Item>()) { item.number = nil }
      rows = rows.map { _ in nil }
    }
    try context.save()
    try check(type, ModelContext(context.container), rows, steps)
    return true
  }

  @Test(arguments: seeds(UInt64(8)))
  func `is converted without a loss, or refused in words, in any order of versions`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var (current, rows, steps) = (Self.versions[0], [Int?](), ["seed \(seed)"])
    if generator.once(in: 2) { current = generator.pick(Self.versions) }
    for _ in 0..<8 {
      let next = generator.pick(Self.versions)
      steps.append("\(String(reflecting: next.type)) \(rows)")
      let isSame = next.family == current.family
      let isEmpty = rows.allSatisfy { $0 == nil }
      let isOpen = try visit(
        next.type,
        &rows,
        &generator,
        // A text is refused as a number even where there is none.
        mayFail: !isSame
          && (!isEmpty || next.family.isRelationship || current.family.isRelationship
            || (current.family, next.family) == (.text, .number)),
        // A number is a text, too, and one object is a list of one, as all lists here are.
        mayOpen: isSame || isEmpty || (current.family, next.family) == (.number, .text)
          || (current.family.isRelationship && next.family.isRelationship),
        isEncoded: [[.structure, .list], [.list, .structure]]
          .contains([current.family, next.family]),
        steps
      )
      if isOpen {
        current = next
      } else {
        steps.append("back")
        #expect(
          try visit(
            current.type,
            &rows,
            &generator,
            mayFail: false,
            mayOpen: true,
            isEncoded: false,
            steps
          )
        )
      }
    }
  }
}
