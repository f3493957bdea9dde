import SwiftData
import Testing

/// Versions of a program whose structures have their parts at other places.
@Suite struct `Parts of structures are known by their names` {
  private let folder: TemporaryFolder
  private let day = Date(timeIntervalSinceReferenceDate: 7)

  init() throws { folder = try TemporaryFolder() }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
    let configuration = ModelConfiguration(url: try folder.store())
    return ModelContext(try ModelContainer(for: Schema(types), configurations: [configuration]))
  }

  private func first() throws -> ModelContext {
    try open(Short.Crate.self, Short.Tool.self, Short.Saw.self)
  }
  private func grown() throws -> ModelContext {
    try open(Grown.Crate.self, Grown.Tool.self, Grown.Saw.self)
  }
  private func turned() throws -> ModelContext {
    try open(Turned.Crate.self, Turned.Tool.self, Turned.Saw.self)
  }

  /// Stores a saw in a crate by the first version, all of whose sizes are 1 and the day.
  private func fill() throws {
    let context = try first()
    let size = Short.Size(a: 1, b: day)
    let saw = Short.Saw("saw", size)
    saw.crate = Short.Crate(name: "crate")
    context.insert(saw)
    try context.save()
  }

  private func tool(_ context: ModelContext) throws -> Grown.Tool {
    try #require(try context.fetch(FetchDescriptor<Grown.Tool>()).first)
  }

  private func expect(_ tool: Grown.Tool, _ expected: Grown.Size) {
    #expect(tool.size == expected)
    #expect(tool.spare == expected)
    #expect(tool.box == Grown.Box(label: "box", size: expected, lid: expected))
    #expect(tool.list == [expected])
    if let saw = tool as? Grown.Saw {
      #expect(saw.blade == expected)
      #expect(saw.cover == expected)
    } else {
      Issue.record("It isn't a saw.")
    }
  }

  @Test func `a part between others is nil, and the others keep their values`() throws {
    try fill()
    expect(try tool(grown()), Grown.Size(a: 1, mid: nil, b: day))
    // What an edit leaves alone stays.
    let context = try grown()
    let tool = try tool(context)
    tool.size.mid = "m"
    tool.spare?.mid = "m"
    tool.box.size.mid = "m"
    tool.box.lid?.mid = "m"
    tool.list[0].mid = "m"
    let saw = try #require(tool as? Grown.Saw)
    saw.blade.mid = "m"
    saw.cover?.mid = "m"
    try context.save()
    expect(try self.tool(grown()), Grown.Size(a: 1, mid: "m", b: day))
  }

  @Test func `parts in another order are read and written as they are called`() throws {
    try fill()
    let context = try turned()
    let saw = try #require(try context.fetch(FetchDescriptor<Turned.Saw>()).first)
    let expected = Turned.Size(b: day, a: 1)
    #expect(saw.size == expected)
    #expect(saw.spare == expected)
    #expect(saw.box == Turned.Box(lid: expected, size: expected, label: "box"))
    #expect(saw.list == [expected])
    #expect(saw.blade == expected)
    #expect(saw.cover == expected)
    context.insert(Turned.Tool("new", Turned.Size(b: .distantPast, a: 2)))
    try context.save()
    let tools = try turned().fetch(FetchDescriptor<Turned.Tool>(sortBy: [.init(\.name)]))
    #expect(tools.map(\.name) == ["new", "saw"])
    #expect(tools.map(\.size.a) == [2, 1])
    #expect(tools.map(\.size.b) == [.distantPast, day])
    #expect(tools.map(\.box.size.a) == [2, 1])
    let old = try first().fetch(FetchDescriptor<Short.Tool>(sortBy: [.init(\.size.a)]))
    #expect(old.map(\.size) == [Short.Size(a: 1, b: day), Short.Size(a: 2, b: .distantPast)])
  }

  @Test func `rows that come along with others have them too`() throws {
    try fill()
    func crate<Crate: PersistentModel>(
      _ context: ModelContext,
      _ list: any PartialKeyPath<Crate> & Sendable
    ) throws -> Crate {
      var descriptor = FetchDescriptor<Crate>()
      descriptor.relationshipKeyPathsForPrefetching = [list]
      return try #require(try context.fetch(descriptor).first)
    }
    let (turnedContext, grownContext, shortContext) = try (self.turned(), self.grown(), first())
    let turned = try crate(turnedContext, \Turned.Crate.tools).tools
    #expect(turned.map(\.size) == [Turned.Size(b: day, a: 1)])
    #expect(turned.first?.box.lid == Turned.Size(b: day, a: 1))
    let grown = try crate(grownContext, \Grown.Crate.tools).tools
    expect(try #require(grown.first), Grown.Size(a: 1, mid: nil, b: day))
    // The store has a part by now that the first version doesn't know.
    let short = try crate(shortContext, \Short.Crate.tools).tools
    #expect(short.map(\.size) == [Short.Size(a: 1, b: day)])
    #expect(short.first?.spare == Short.Size(a: 1, b: day))
  }

  @Test func `a program that runs on reads and writes beside one with more parts`() throws {
    try fill()
    let running = try first()
    let held = try #require(try running.fetch(FetchDescriptor<Short.Tool>()).first)
    let context = try grown()
    let tool = try tool(context)
    tool.size = Grown.Size(a: 2, mid: "m", b: .distantPast)
    tool.spare = Grown.Size(a: 3, mid: "n", b: .distantFuture)
    try context.save()
    let again = try #require(try running.fetch(FetchDescriptor<Short.Tool>()).first)
    #expect(again === held)
    #expect(held.size == Short.Size(a: 2, b: .distantPast))
    #expect(held.spare == Short.Size(a: 3, b: .distantFuture))
    held.size = Short.Size(a: 4, b: day)
    held.spare?.a = 5
    try running.save()
    let result = try self.tool(grown())
    #expect(result.size == Grown.Size(a: 4, mid: "m", b: day))
    #expect(result.spare == Grown.Size(a: 5, mid: "n", b: .distantFuture))
  }

  @Test func `parts that an older program lacks keep their values`() throws {
    let context = try grown()
    let size = Grown.Size(a: 1, mid: "m", b: day)
    let saw = Grown.Saw("saw", size)
    context.insert(saw)
    try context.save()
    let old = try first()
    let tool = try #require(try old.fetch(FetchDescriptor<Short.Saw>()).first)
    tool.size.a = 2
    tool.spare = Short.Size(a: 2, b: day)
    tool.box.size.a = 2
    tool.box.lid?.a = 2
    tool.blade = Short.Size(a: 2, b: day)
    tool.cover?.a = 2
    try old.save()
    let result = try self.tool(grown())
    result.list[0].a = 2
    expect(result, Grown.Size(a: 2, mid: "m", b: day))
  }

  @Test func `the history tells changes by name`() throws {
    try fill()
    let context = try turned()
    let saw = try #require(try context.fetch(FetchDescriptor<Turned.Saw>()).first)
    saw.size = Turned.Size(b: .distantPast, a: 2)
    try context.save()
    context.delete(saw)
    try context.save()
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let changes = transactions.flatMap(\.changes)
    let updates = changes.compactMap { change -> DefaultHistoryUpdate<Turned.Saw>? in
      if case .update(let update) = change { update as? DefaultHistoryUpdate } else { nil }
    }
    #expect(updates.last?.oldValue(for: \.size) as? Turned.Size == Turned.Size(b: day, a: 1))
    #expect(
      updates.last?.newValue(for: \.size) as? Turned.Size == Turned.Size(b: .distantPast, a: 2)
    )
    let deletions = changes.compactMap { change -> DefaultHistoryDelete<Turned.Saw>? in
      if case .delete(let deletion) = change { deletion as? DefaultHistoryDelete } else { nil }
    }
    #expect(deletions.last?.tombstone[\.blade] as? Turned.Size == Turned.Size(b: day, a: 1))
  }

  @Test func `an undone change gives parts back by name`() throws {
    try fill()
    let context = try turned()
    context.undoManager = UndoManager()
    let saw = try #require(try context.fetch(FetchDescriptor<Turned.Saw>()).first)
    saw.size = Turned.Size(b: .distantPast, a: 2)
    context.processPendingChanges()
    try context.save()
    context.undoManager?.undo()
    try context.save()
    let result = try #require(try turned().fetch(FetchDescriptor<Turned.Saw>()).first)
    #expect(result.size == Turned.Size(b: day, a: 1))
  }
}

extension `Parts of structures are known by their names` {
  enum Short {
    struct Size: Codable, Hashable {
      var a: Int
      var b: Date
    }

    struct Box: Codable, Hashable {
      var label: String
      var size: Size
      var lid: Size?
    }

    @Model final class Crate {
      var name: String
      @Relationship(inverse: \Tool.crate) var tools: [Tool] = []

      init(name: String) { self.name = name }
    }

    @Model class Tool {
      var name: String
      var size: Size
      var spare: Size?
      var box: Box
      var list: [Size]
      var crate: Crate?

      init(_ name: String, _ size: Size) {
        self.name = name
        self.size = size
        spare = size
        box = Box(label: "box", size: size, lid: size)
        list = [size]
      }
    }

    @Model final class Saw: Tool {
      @Attribute(.preserveValueOnDeletion) var blade: Size
      var cover: Size?

      override init(_ name: String, _ size: Size) {
        blade = size
        cover = size
        super.init(name, size)
      }
    }
  }
}

extension `Parts of structures are known by their names` {
  enum Grown {
    struct Size: Codable, Hashable {
      var a: Int
      var mid: String?
      var b: Date
    }

    struct Box: Codable, Hashable {
      var label: String
      var size: Size
      var lid: Size?
    }

    @Model final class Crate {
      var name: String
      @Relationship(inverse: \Tool.crate) var tools: [Tool] = []

      init(name: String) { self.name = name }
    }

    @Model class Tool {
      var name: String
      var size: Size
      var spare: Size?
      var box: Box
      var list: [Size]
      var crate: Crate?

      init(_ name: String, _ size: Size) {
        self.name = name
        self.size = size
        spare = size
        box = Box(label: "box", size: size, lid: size)
        list = [size]
      }
    }

    @Model final class Saw: Tool {
      @Attribute(.preserveValueOnDeletion) var blade: Size
      var cover: Size?

      override init(_ name: String, _ size: Size) {
        blade = size
        cover = size
        super.init(name, size)
      }
    }
  }
}

extension `Parts of structures are known by their names` {
  enum Turned {
    struct Size: Codable, Hashable {
      var b: Date
      var a: Int
    }

    struct Box: Codable, Hashable {
      var lid: Size?
      var size: Size
      var label: String
    }

    @Model final class Crate {
      var name: String
      @Relationship(inverse: \Tool.crate) var tools: [Tool] = []

      init(name: String) { self.name = name }
    }

    @Model class Tool {
      var name: String
      var size: Size
      var spare: Size?
      var box: Box
      var list: [Size]
      var crate: Crate?

      init(_ name: String, _ size: Size) {
        self.name = name
        self.size = size
        spare = size
        box = Box(lid: size, size: size, label: "box")
        list = [size]
      }
    }

    @Model final class Saw: Tool {
      @Attribute(.preserveValueOnDeletion) var blade: Size
      var cover: Size?

      override init(_ name: String, _ size: Size) {
        blade = size
        cover = size
        super.init(name, size)
      }
    }
  }
}
