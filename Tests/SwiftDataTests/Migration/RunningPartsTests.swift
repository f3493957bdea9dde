import DepotClient
import TestSupport
import Testing

@testable import SwiftData

/// Programs that run on while another one has the parts of its structures at other places, or more of them.
@MainActor @Suite(.serialized) struct `Parts of structures beside programs that run` {
  private typealias Names = `Parts of structures are known by their names`
  private typealias Short = Names.Short
  private typealias Grown = Names.Grown
  private typealias Turned = Names.Turned

  private let service: LosableService
  private let day = Date(timeIntervalSinceReferenceDate: 7)

  init() throws { service = try LosableService() }

  private func container(_ types: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(
      for: SwiftData.Schema(types),
      configurations: [ModelConfiguration(url: service.store)]
    )
  }

  private func first() throws -> ModelContainer {
    try container(Short.Crate.self, Short.Tool.self, Short.Saw.self)
  }
  private func grown() throws -> ModelContext {
    ModelContext(try container(Grown.Crate.self, Grown.Tool.self, Grown.Saw.self))
  }
  private func turned() throws -> ModelContext {
    ModelContext(try container(Turned.Crate.self, Turned.Tool.self, Turned.Saw.self))
  }

  /// Stores a saw whose sizes are 1 and the day.
  private func fill(_ context: ModelContext) throws -> Short.Saw {
    let saw = Short.Saw("saw", Short.Size(a: 1, b: day))
    context.insert(saw)
    try context.save()
    return saw
  }

  private func grownSaw(_ context: ModelContext) throws -> Grown.Saw {
    try #require(try context.fetch(FetchDescriptor<Grown.Saw>()).first)
  }

  @Test func `results that are observed, and held objects, show them`() async throws {
    let context = try first().mainContext
    context.autosaveEnabled = false
    let saw = try fill(context)
    let results = try ResultsObserver<Short.Tool, Never>(
      sortBy: [SortDescriptor(\.size.a)],
      modelContext: context
    )
    #expect(results.results.map(\.size.a) == [1])
    let other = try grown()
    let grownSaw = try grownSaw(other)
    let size = Grown.Size(a: 5, mid: "m", b: .distantPast)
    grownSaw.size = size
    grownSaw.spare = size
    grownSaw.box = Grown.Box(label: "l", size: size, lid: size)
    grownSaw.list = [size]
    grownSaw.blade = size
    grownSaw.cover = size
    other.insert(Grown.Tool("new", Grown.Size(a: 3, mid: "n", b: .distantFuture)))
    try other.save()
    try await expectSoon { results.results.map(\.size.a) == [3, 5] }
    let short = Short.Size(a: 5, b: .distantPast)
    #expect(saw.size == short)
    #expect(saw.spare == short)
    #expect(saw.box == Short.Box(label: "l", size: short, lid: short))
    #expect(saw.list == [short])
    #expect(saw.blade == short)
    #expect(saw.cover == short)
    let new = try #require(results.results.first)
    #expect(new.size == Short.Size(a: 3, b: .distantFuture))
    #expect(new.box.lid == new.size)
    let third = try turned()
    third.insert(Turned.Saw("turned", Turned.Size(b: day, a: 4)))
    try third.save()
    try await expectSoon { results.results.map(\.size.a) == [3, 4, 5] }
    #expect(results.results.map(\.size.b) == [.distantFuture, day, .distantPast])
    #expect((results.results[1] as? Short.Saw)?.blade == Short.Size(a: 4, b: day))
    // What this program changes then leaves the part alone that it doesn't know.
    saw.size.a = 6
    saw.cover?.b = day
    try context.save()
    let after = try self.grownSaw(grown())
    #expect(after.size == Grown.Size(a: 6, mid: "m", b: .distantPast))
    #expect(after.cover == Grown.Size(a: 5, mid: "m", b: day))
  }

  @Test func `a live query keeps them up to date`() async throws {
    let context = try first().mainContext
    context.autosaveEnabled = false
    _ = try fill(context)
    @LiveQuery(sort: \Short.Tool.size.a, modelContext: context) var tools: [Short.Tool]
    #expect(tools.map(\.size.b) == [day])
    let other = try turned()
    let saw = try #require(try other.fetch(FetchDescriptor<Turned.Saw>()).first)
    saw.size = Turned.Size(b: .distantPast, a: 9)
    other.insert(Turned.Tool("new", Turned.Size(b: .distantFuture, a: 2)))
    try other.save()
    try await expectSoon { tools.map(\.size.a) == [2, 9] }
    #expect(tools.map(\.size.b) == [.distantFuture, .distantPast])
    let grown = try grown()
    try grownSaw(grown).size = Grown.Size(a: 1, mid: "m", b: day)
    try grown.save()
    try await expectSoon { tools.map(\.size.a) == [1, 2] }
    #expect(tools.map(\.size.b) == [day, .distantFuture])
  }

  @Test func `records of the client library read, write, and watch them`() async throws {
    _ = try fill(first().mainContext)
    let client = try await Client(socket: SocketPath(service.socket))
    let live = client.live(TurnedRow.self)
    try await live.ready()
    #expect(Array(live.rows).map(\.size) == [TurnedSize(b: day, a: 1)])
    let context = try grown()
    let saw = try grownSaw(context)
    saw.size = Grown.Size(a: 2, mid: "m", b: .distantPast)
    saw.spare = Grown.Size(a: 3, mid: "m", b: .distantFuture)
    try context.save()
    try await expectSoon { live.rows.first?.size == TurnedSize(b: .distantPast, a: 2) }
    #expect(live.rows.first?.spare == TurnedSize(b: .distantFuture, a: 3))
    #expect(
      try await client.fetch(TurnedRow.self).map(\.size) == [TurnedSize(b: .distantPast, a: 2)]
    )
    let row = try #require(live.rows.first)
    try await client.update(
      row.id,
      set: [
        .set(\.size, to: TurnedSize(b: day, a: 4)), .set(\.spare, to: TurnedSize(b: day, a: 5)),
      ]
    )
    let after = try grownSaw(grown())
    #expect(after.size == Grown.Size(a: 4, mid: "m", b: day))
    #expect(after.spare == Grown.Size(a: 5, mid: "m", b: day))
    try await expectSoon { live.rows.first?.size == TurnedSize(b: day, a: 4) }
    live.stop()
  }

  @Test func `snapshots of objects are read by another version`() throws {
    let context = try first().mainContext
    let saw = try fill(context)
    let json = try JSONEncoder().encode(saw.snapshot)
    let turned = try JSONDecoder().decode(Turned.Saw.Snapshot.self, from: json)
    #expect(turned.size == Turned.Size(b: day, a: 1))
    #expect(turned.box.lid == Turned.Size(b: day, a: 1))
    #expect(turned.cover == Turned.Size(b: day, a: 1))
    let grown = try JSONDecoder().decode(Grown.Saw.Snapshot.self, from: json)
    #expect(grown.size == Grown.Size(a: 1, mid: nil, b: day))
    #expect(grown.list == [Grown.Size(a: 1, mid: nil, b: day)])
    let back = try JSONDecoder()
      .decode(Short.Saw.Snapshot.self, from: JSONEncoder().encode(turned))
    #expect(back == saw.snapshot)
  }

  @Test func `the history of both times tells both programs`() throws {
    let context = try first().mainContext
    let saw = try fill(context)
    saw.size = Short.Size(a: 2, b: .distantPast)
    try context.save()
    let other = try grown()
    try grownSaw(other).size = Grown.Size(a: 3, mid: "m", b: day)
    try other.save()
    saw.size = Short.Size(a: 4, b: .distantFuture)
    try context.save()
    let third = try turned()
    third.delete(try #require(try third.fetch(FetchDescriptor<Turned.Saw>()).first))
    try third.save()

    func sizes<Saw: PersistentModel, Size>(
      _ context: ModelContext,
      _ keyPath: any KeyPath<Saw, Size> & Sendable,
      _ blade: any KeyPath<Saw, Size> & Sendable
    ) throws -> (old: [Size?], new: [Size?], blade: Size?) {
      let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        .flatMap(\.changes)
      let updates = changes.compactMap { change -> DefaultHistoryUpdate<Saw>? in
        if case .update(let update) = change { update as? DefaultHistoryUpdate } else { nil }
      }
      let deletion = changes.compactMap { change -> DefaultHistoryDelete<Saw>? in
        if case .delete(let deletion) = change { deletion as? DefaultHistoryDelete } else { nil }
      }.last
      return (
        updates.map { $0.oldValue(for: keyPath) as? Size },
        updates.map { $0.newValue(for: keyPath) as? Size },
        deletion?.tombstone[blade] as? Size
      )
    }
    let short = try sizes(context, \Short.Saw.size, \.blade)
    let days: [(Int, Date)] = [(1, day), (2, .distantPast), (3, day), (4, .distantFuture)]
    #expect(short.old == days.dropLast().map { Short.Size(a: $0.0, b: $0.1) })
    #expect(short.new == days.dropFirst().map { Short.Size(a: $0.0, b: $0.1) })
    #expect(short.blade == Short.Size(a: 1, b: day))
    let grown = try sizes(other, \Grown.Saw.size, \.blade)
    let mids = [nil, nil, "m", "m"]
    // Also where the other program has changed just its own parts.
    let expected = zip(days, mids).map { Grown.Size(a: $0.0, mid: $1, b: $0.1) as Grown.Size? }
    #expect(grown.old == Array(expected.dropLast()))
    #expect(grown.new == Array(expected.dropFirst()))
    #expect(grown.blade == Grown.Size(a: 1, mid: nil, b: day))
    let turned = try sizes(third, \Turned.Saw.size, \.blade)
    #expect(turned.new == days.dropFirst().map { Turned.Size(b: $0.1, a: $0.0) })
    #expect(turned.blade == Turned.Size(b: day, a: 1))
  }

  @Test func `undo gives back the parts that the program knows`() async throws {
    let context = try first().mainContext
    context.autosaveEnabled = false
    let saw = try fill(context)
    let manager = UndoManager()
    context.undoManager = manager
    saw.size = Short.Size(a: 2, b: .distantPast)
    context.processPendingChanges()
    try context.save()
    let other = try grown()
    let grownSaw = try grownSaw(other)
    grownSaw.size.mid = "m"
    grownSaw.name = "grown"
    try other.save()
    try await expectSoon { saw.name == "grown" }
    manager.undo()
    #expect(saw.size == Short.Size(a: 1, b: day))
    try context.save()
    #expect(try self.grownSaw(grown()).size == Grown.Size(a: 1, mid: "m", b: day))
    manager.redo()
    try context.save()
    #expect(try self.grownSaw(grown()).size == Grown.Size(a: 2, mid: "m", b: .distantPast))
    // A deletion that is undone stores the row again, with the part.
    context.delete(saw)
    try context.save()
    manager.undo()
    try context.save()
    let size = try self.grownSaw(grown()).size
    #expect(size.a == 2)
    #expect(size.b == .distantPast)
  }

  @Test func `the store undoes what was saved before it had more parts`() async throws {
    let context = try first().mainContext
    let saw = try fill(context)
    saw.size = Short.Size(a: 2, b: .distantPast)
    saw.spare = nil
    try context.save()
    let other = try grown()
    try grownSaw(other).size.mid = "m"
    try other.save()
    let client = try await Client(socket: SocketPath(service.socket))
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let edit = try #require(transactions.dropFirst().first)
    let token = try #require(edit.token[edit.storeIdentifier])
    try await client.undo(.token(token))
    let after = try grownSaw(grown())
    #expect(after.size == Grown.Size(a: 1, mid: "m", b: day))
    #expect(after.spare == Grown.Size(a: 1, mid: nil, b: day))
    try await expectSoon { saw.size == Short.Size(a: 1, b: day) }
    #expect(saw.spare == Short.Size(a: 1, b: day))
  }
}

private struct TurnedSize: Composite, Equatable {
  var b: Date
  var a: Int

  static let attributes: RecordAttributes<TurnedSize> = [.init(\.b, "b"), .init(\.a, "a")]

  init(b: Date, a: Int) {
    self.b = b
    self.a = a
  }

  init(from row: inout RowReader) throws(DepotError) {
    b = try row.next()
    a = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(b)
    row.append(a)
  }
}

@DTO("Tool") private struct TurnedRow {
  var id: Identifier<TurnedRow>?
  var spare: TurnedSize?
  var size: TurnedSize
  var name: String
}
