// swift-format-ignore-file: IdentifiersMustBeASCII

import DepotClient
import DepotProtocol
import Testing

@testable import SwiftData

/// The models of ``Decomposed`` with names in normal form C.
private enum Composed {
  struct Maße: Codable, Hashable {
    var höhe: Double
    var tiefe: Double?
  }

  @Model final class Größe {
    #Index<Größe>([\.länge, \.maße.höhe])
    @Attribute(.unique) var länge: Double
    var maße: Maße
    @Relationship(inverse: \Größe.übersicht) var einträge: [Größe] = []
    var übersicht: Größe?

    init(länge: Double, höhe: Double) {
      self.länge = länge
      maße = Maße(höhe: höhe)
    }
  }
}

private enum Unusual {
  /// A structure with a property that no column can be named after.
  struct Pair: Codable, Hashable {
    var `two words` = 1
    var plain = 2
  }

  @Model final class 🙂 {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model final class Plain {
    var 🙂: String
    init() { 🙂 = "" }
  }

  @Model final class Holder {
    var pair = Pair()
    init() {}
  }
}

@Suite struct `Names of models` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ type: any PersistentModel.Type) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: type, configurations: ModelConfiguration(url: folder.store()))
    )
  }

  @Test func `a name is the same however source code writes its letters`() throws {
    let written = try open(Decomposed.model)
    try Decomposed.save([3, 6, 5], in: written)
    #expect(try Decomposed.lengths(above: 4.5, in: written) == [6, 5])
  }

  @Test func `a program reads what another has stored that writes names otherwise`() throws {
    let written = try open(Decomposed.model)
    try Decomposed.save([3, 6, 5], in: written)
    #expect(try Decomposed.lengths(above: 3.5, in: written) == [6, 5, 4])
    #expect(try Decomposed.isLengthTold(in: written))
    let schema = try #require(written.core.stores.first).connect().schema()
    #expect(schema.json.unicodeScalars.allSatisfy { $0.value != 0x308 })

    let read = try open(Composed.Größe.self)
    let sizes = try read.fetch(
      FetchDescriptor<Composed.Größe>(
        predicate: #Predicate { $0.maße.höhe > 1 },
        sortBy: [SortDescriptor(\.länge)]
      )
    )
    #expect(sizes.map(\.länge) == [4, 5, 6])
    #expect(sizes[0].einträge.count == 2)
    sizes[1].länge = 9
    try read.save()
    #expect(try Decomposed.lengths(above: 8, in: try open(Decomposed.model)) == [9])
  }

  private static let refused: [any PersistentModel.Type] = [
    Unusual.🙂.self, Unusual.Plain.self,
  ]

  @Test(arguments: refused)
  func `a name with symbols is refused in plain words`(type: any PersistentModel.Type) {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try open(type) }
    #expect(error?.message.contains("can't be a name") == true)
    #expect(error?.hint?.contains("letters, digits and underscores") == true)
  }

  @Test func `a structure with such a property is stored in one piece`() throws {
    let context = try open(Unusual.Holder.self)
    context.insert(Unusual.Holder())
    try context.save()
    let schema = try #require(context.core.stores.first).connect().schema()
    #expect(schema["Holder"]?["pair"]?.type == .json)
  }
}
