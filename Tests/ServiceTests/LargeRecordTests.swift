import DepotClient
import DepotProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

/// A record with a text and data of any size in ordinary attributes.
struct LargeNote: Record, Equatable {
  var id: Identifier<LargeNote>?
  var version: Int64 = 0
  var name: String
  var body: String
  var image: Data?

  static let entity = "Note"
  static let attributes: RecordAttributes<LargeNote> = [
    .identifier(\.id), .version(\.version), .init(\.name, "name", isUnique: true),
    .init(\.body, "body"), .init(\.image, "image"),
  ]

  init(_ name: String, _ body: String = "", _ image: Data? = nil) {
    (self.name, self.body, self.image) = (name, body, image)
  }

  init(from row: inout RowReader) throws(DepotError) {
    id = Identifier(row.identifier)
    version = row.version
    name = try row.next()
    body = try row.next()
    image = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(name)
    row.append(body)
    row.append(image)
  }
}

extension ServiceTests {
  /// Records whose ordinary properties are too large for a row, through real processes.
  @Suite(.serialized) struct LargeRecordTests {
    struct Desk: Record {
      var title: String
      var note: Related<LargeNote>?
      var print: Print

      struct Print: Composite, Equatable {
        var plan: Data?

        static let attributes: RecordAttributes<Print> = [.init(\.plan, "plan")]

        init(plan: Data? = nil) { self.plan = plan }

        init(from row: inout RowReader) throws(DepotError) { plan = try row.next() }

        func write(to row: inout RowWriter) { row.append(plan) }
      }

      static let entity = "Desk"
      static let attributes: RecordAttributes<Desk> = [
        .init(\.title, "title"), .toOne(\.note, "note"), .init(\.print, "print"),
      ]

      init(_ title: String, _ note: Identifier<LargeNote>?, _ plan: Data? = nil) {
        (self.title, self.note, print) = (title, note.map { Related($0) }, Print(plan: plan))
      }

      init(from row: inout RowReader) throws(DepotError) {
        title = try row.next()
        note = try row.next()
        print = try row.next()
      }

      func write(to row: inout RowWriter) {
        row.append(title)
        row.append(note)
        row.append(print)
      }
    }

    private let daemon: TestDaemon
    private let connection: BlockingConnection

    private static let image = bytes(9 << 20, 7)
    private static let long = String(repeating: "Ein Bär. 🎬 ", count: 600_000) + "Ende"
    private static let byName = [SortDescriptor(\LargeNote.name)]

    /// Two small and two large notes, in the order of their names.
    private static let notes = [
      LargeNote("a", "one"), LargeNote("b", "two", image), LargeNote("c", long),
      LargeNote("d", "four", Data([4])),
    ]

    /// The notes with the exception of the large text.
    private static var others: [LargeNote] { notes.filter { $0.name != "c" } }

    init() throws {
      daemon = try TestDaemon(schema: "")
      connection = try daemon.connect()
      try connection.define(Schema(for: LargeNote.self, Desk.self))
    }

    /// Bytes in which no two pieces are the same.
    private static func bytes(_ count: Int, _ seed: UInt32) -> Data {
      var data = Data(count: count)
      data.withUnsafeMutableBytes { bytes in
        let words = bytes.bindMemory(to: UInt32.self)
        for index in words.indices {
          words[index] = UInt32(truncatingIfNeeded: index) &* 2_654_435_761 &+ seed
        }
      }
      return data
    }

    private func client() async throws -> Client {
      try await Client(socket: SocketPath(daemon.socket))
    }

    /// Whether records are the notes with these numbers.
    private func expect(
      _ records: [LargeNote],
      are numbers: [Int],
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let names = numbers.map { Self.notes[$0].name }
      #expect(records.map(\.name) == names, sourceLocation: sourceLocation)
      for (record, number) in zip(records, numbers) {
        let note = Self.notes[number]
        // A failure doesn't print the values.
        let isWhole = record.body == note.body && record.image == note.image
        #expect(isWhole, "\(note.name)", sourceLocation: sourceLocation)
      }
    }

    // MARK: - Whole values

    @Test func `a connection that waits gets whole values, beside small ones`() throws {
      let ids = try connection.insert(Self.notes)
      expect(try connection.fetch(LargeNote.self, sortBy: Self.byName), are: [0, 1, 2, 3])
      expect(try connection.get([ids[3], ids[0], ids[1]]), are: [3, 0, 1])
      let page = try connection.page(LargeNote.self, sortBy: Self.byName, size: 2)
      expect(page.records, are: [0, 1])
      let rest = try connection.page(
        LargeNote.self,
        sortBy: Self.byName,
        size: 3,
        after: page.next
      )
      expect(rest.records, are: [2, 3])
      #expect(rest.next == nil)
      let others = #Predicate<LargeNote> { $0.name != "c" }
      var batches: [[LargeNote]] = []
      try connection
        .enumerate(LargeNote.self, where: others, sortBy: Self.byName, batchSize: 2) {
          batches.append($0.records)
        }
      expect(batches[0], are: [0, 1])
      expect(batches[1], are: [3])
      let sections = try connection.sections(LargeNote.self, by: \.name, where: others)
      #expect(sections.map(\.key) == ["a", "b", "d"])
      #expect(sections.map(\.records.count) == [1, 1, 1])
      expect(sections.flatMap(\.records), are: [0, 1, 3])
    }

    @Test func `whole values come from external storage too`() throws {
      let outside = try TestDaemon(
        schema: """
          {"entities":[{"name":"Note","attributes":[{"name":"name","type":"string"},\
          {"name":"body","type":"string","externalStorage":true},\
          {"name":"image","type":"data","optional":true,"externalStorage":true}]}]}
          """
      )
      let connection = try outside.connect()
      let ids = try connection.insert(Self.notes)
      expect(try connection.fetch(LargeNote.self, sortBy: Self.byName), are: [0, 1, 2, 3])
      expect(try connection.get([ids[1], ids[2]]), are: [1, 2])
    }

    @Test func `a client for tasks gets whole values, beside small ones`() async throws {
      let client = try await client()
      let ids = try await client.insert(Self.notes)
      expect(try await client.fetch(LargeNote.self, sortBy: Self.byName), are: [0, 1, 2, 3])
      expect(try await client.get([ids[3], ids[0], ids[1]]), are: [3, 0, 1])
      var records: [LargeNote] = []
      for try await note in client.rows(LargeNote.self, sortBy: Self.byName) {
        records.append(note)
      }
      expect(records, are: [0, 1, 2, 3])
      let others = #Predicate<LargeNote> { $0.name != "c" }
      var batches = client.batches(
        LargeNote.self,
        where: others,
        sortBy: Self.byName,
        batchSize: 2
      ).makeAsyncIterator()
      expect(try await #require(batches.next()).records, are: [0, 1])
      expect(try await #require(batches.next()).records, are: [3])
      #expect(try await batches.next() == nil)
      let page = try await client.page(LargeNote.self, sortBy: Self.byName, size: 2)
      expect(page.records, are: [0, 1])
    }

    @Test func `values of any size are updated and saved`() async throws {
      let ids = try connection.insert([LargeNote("b"), LargeNote("c")])
      try connection.update(ids[0], set: [.set(\.image, to: Self.image), .set(\.body, to: "two")])
      let client = try await client()
      try await client.update(
        LargeNote.self,
        where: #Predicate { $0.name == "c" },
        set: [.set(\.body, to: Self.long)]
      )
      expect(try connection.fetch(LargeNote.self, sortBy: Self.byName), are: [1, 2])
      var save = Save()
      save.insert(Self.notes[0])
      try save.update(ids[0], set: [.set(\.name, to: "c"), .set(\.body, to: Self.long)])
      try save.update(ids[0], set: [.set(\.image, to: nil)])
      save.update(ids[1], to: Self.notes[1])
      save.insert(Self.notes[3])
      try connection.save(save)
      expect(try connection.fetch(LargeNote.self, sortBy: Self.byName), are: [0, 1, 2, 3])
    }

    @Test func `a text of 20 MB comes as it was stored`() async throws {
      let text = String(repeating: "Ein Bär. 🎬 ", count: 1_400_000)
      #expect(text.utf8.count > 20 << 20)
      let client = try await client()
      let id = try await client.insert([LargeNote("long", text)])[0]
      #expect(try await client.get(id).body == text)
    }

    @Test func `parts and records of relationships are whole, too`() async throws {
      let ids = try connection.insert(Self.notes)
      try connection.insert([Desk("1", ids[2], Self.image), Desk("2", ids[0]), Desk("3", ids[1])])
      let desks = try connection.fetch(
        Desk.self,
        sortBy: [SortDescriptor(\.title)],
        prefetch: [\.note]
      )
      expect(desks.compactMap(\.note?.record), are: [2, 0, 1])
      #expect(desks.map { $0.print.plan == Self.image } == [true, false, false])
      let again = try await client().fetch(Desk.self, sortBy: [SortDescriptor(\.title)])
      #expect(again.map { $0.print.plan == Self.image } == [true, false, false])
      #expect(again.map { $0.note?.id == desks[0].note?.id } == [true, false, false])
    }

    @Test func `only rows with large values take more calls`() throws {
      let calls = Calls()
      let connection = try calls.connection(daemon)
      let ids = try connection.insert(Self.notes)
      calls.reset()
      let short = #Predicate<LargeNote> { $0.body.contains("o") && $0.image == nil }
      expect(try connection.fetch(LargeNote.self, where: short), are: [0])
      expect(try connection.get([ids[0], ids[3]]), are: [0, 3])
      #expect(calls.names == ["fetch", "get"])
      expect(try connection.get([ids[1]]), are: [1])
      #expect(calls.names == ["fetch", "get", "get", "fetch", "blob.read"])
    }

    // MARK: - Watches

    @Test func `a watch has whole values at first and after each change`() async throws {
      try connection.insert(Array(Self.notes.prefix(2)))
      let client = try await client()
      var states = client.watch(LargeNote.self, sortBy: Self.byName).snapshots.makeAsyncIterator()
      expect(try await #require(states.next()).contents, are: [0, 1])
      let ids = try connection.insert([Self.notes[2]])
      expect(try await #require(states.next()).contents, are: [0, 1, 2])
      try connection.insert([Self.notes[3]])
      expect(try await #require(states.next()).contents, are: [0, 1, 2, 3])
      try connection.update(ids[0], set: [.set(\.body, to: "short")])
      #expect(try await states.next()?.contents[2].body == "short")
      try connection.update(ids[0], set: [.set(\.body, to: Self.long)])
      let last = try await #require(states.next())
      expect(last.contents, are: [0, 1, 2, 3])
      #expect(last[2].version == 3)
      let live = try await Self.live(client)
      expect(live, are: [0, 1, 2, 3])
    }

    @MainActor private static func live(_ client: Client) async throws -> [LargeNote] {
      let results = client.live(LargeNote.self, sortBy: byName)
      defer { results.stop() }
      try await results.ready()
      return results.rows.map(\.record)
    }

    @Test func `a watch that waits has whole values, too`() throws {
      try connection.insert(Array(Self.notes.prefix(2)))
      let writer = try daemon.connect()
      var states: [[LargeNote]] = []
      try connection.watch(LargeNote.self, sortBy: Self.byName) { _, rows in
        states.append(rows?.contents ?? [])
        if states.count == 1 { try writer.insert([Self.notes[2]]) }
        return states.count < 2
      }
      expect(states[0], are: [0, 1])
      expect(states[1], are: [0, 1, 2])
    }

    // MARK: - Changes in between

    /// The operations of a connection, and an action after one of them.
    private final class Calls: Sendable {
      private let done = Mutex<[String]>([])
      private let action = Mutex<Action?>(nil)

      private struct Action {
        let name: String
        let count: Int
        let body: @Sendable () throws -> Void
      }

      var names: [String] { done.withLock { $0 } }

      func reset() { done.withLock { $0 = [] } }

      /// Does something after an operation was made so often.
      func after(_ name: String, _ count: Int, _ body: @escaping @Sendable () throws -> Void) {
        reset()
        action.withLock { $0 = Action(name: name, count: count, body: body) }
      }

      private func note(_ event: OperationEvent) {
        let names = done.withLock { done in
          done.append(event.name)
          return done
        }
        let body = action.withLock { action in
          let count = names.count { $0 == event.name }
          let isNow = action?.name == event.name && action?.count == count
          defer { if isNow { action = nil } }
          return isNow ? action?.body : nil
        }
        #expect(throws: Never.self) { try body?() }
      }

      func connection(_ daemon: TestDaemon) throws -> BlockingConnection {
        try BlockingConnection(socket: SocketPath(daemon.socket)) { self.note($0) }
      }

      func client(_ daemon: TestDaemon) async throws -> Client {
        try await Client(socket: SocketPath(daemon.socket)) { self.note($0) }
      }
    }

    /// Which fetch of a request sees another value or none: the one of all rows, or of the row alone.
    @Test(arguments: [1, 2])
    func `a value that is changed in between is that of the new row`(_ fetch: Int) async throws {
      let id = try connection.insert(Self.others)[1]
      let other = LargeNote("b", "new", Self.bytes(10 << 20, 9))
      let socket = daemon.socket
      let calls = Calls()
      let reader = try calls.connection(daemon)
      calls.after("fetch", fetch) {
        let writer = try BlockingConnection(socket: SocketPath(socket))
        try writer.update(id, set: [.set(\.image, to: other.image), .set(\.body, to: "new")])
      }
      let notes = try reader.fetch(LargeNote.self, sortBy: Self.byName)
      #expect(notes.map(\.name) == ["a", "b", "d"])
      #expect(notes[1].body == "new")
      #expect(notes[1].version == 2)
      #expect(notes[1].image == other.image)
      #expect(calls.names.contains("pin") == (fetch == 2), "\(calls.names)")
    }

    @Test(arguments: [1, 2])
    func `a row that is deleted in between isn't there`(_ fetch: Int) async throws {
      let id = try connection.insert(Self.others)[1]
      let socket = daemon.socket
      let calls = Calls()
      let reader = try calls.connection(daemon)
      let delete: @Sendable () throws -> Void = {
        try BlockingConnection(socket: SocketPath(socket)).delete(id)
      }
      calls.after("fetch", fetch, delete)
      expect(try reader.fetch(LargeNote.self, sortBy: Self.byName), are: [0, 3])
      let client = try await calls.client(daemon)
      let next = try connection.insert([Self.notes[1]])[0]
      calls.after("get", 1) {
        try BlockingConnection(socket: SocketPath(socket)).delete(next)
      }
      let error = await #expect(throws: DepotError.self) { try await client.get(next) }
      #expect(error?.code == .objectNotFound)
      let last = try connection.insert([Self.notes[1]])[0]
      calls.after("fetch", fetch) {
        try BlockingConnection(socket: SocketPath(socket)).delete(last)
      }
      let sections = try await client.sections(LargeNote.self, by: \.name)
      #expect(sections.map(\.key) == ["a", "b", "d"])
      #expect(sections.map(\.records.count) == [1, 0, 1])
      expect(sections.flatMap(\.records), are: [0, 3])
    }

    @Test func `a watch begins again if a row is deleted in between`() async throws {
      let id = try connection.insert(Self.others)[1]
      let socket = daemon.socket
      let delete: @Sendable () throws -> Void = {
        try BlockingConnection(socket: SocketPath(socket)).delete(id)
      }
      let calls = Calls()
      let client = try await calls.client(daemon)
      calls.after("fetch", 1, delete)
      var events = client.watch(LargeNote.self, sortBy: Self.byName).makeAsyncIterator()
      guard case .snapshot(let rows) = try await events.next() else {
        Issue.record("no snapshot")
        return
      }
      expect(rows.contents, are: [0, 3])
      let next = try connection.insert([Self.notes[1]])[0]
      calls.after("fetch", 1) {
        let writer = try BlockingConnection(socket: SocketPath(socket))
        try writer.delete(next)
        try writer.insert([LargeNote("e")])
      }
      while let event = try await events.next() {
        guard case .change(let change) = event else { continue }
        #expect(change.inserted.map(\.content.name) == ["e"])
        #expect(change.removed.isEmpty)
        break
      }
      expect(Array(try #require(events.rows).contents.dropLast()), are: [0, 3])
    }

    @Test func `a snapshot has the values of its moment`() async throws {
      let id = try connection.insert(Self.notes)[1]
      let writer = try daemon.connect()
      try connection.withSnapshot { snapshot in
        try writer.update(id, set: [.set(\.image, to: Self.bytes(10 << 20, 9))])
        expect(try snapshot.fetch(LargeNote.self, sortBy: Self.byName), are: [0, 1, 2, 3])
        try writer.delete(id)
        expect([try snapshot.get(id)], are: [1])
      }
      let client = try await client()
      try await client.withSnapshot { snapshot in
        try await client.update(
          LargeNote.self,
          where: #Predicate { $0.name == "c" },
          set: [.set(\.body, to: "new")]
        )
        expect(try await snapshot.fetch(LargeNote.self, sortBy: Self.byName), are: [0, 2, 3])
      }
    }

    @Test(arguments: seeds(2, of: 8))
    func `a record is one of the states that a writer alternates, with its version`(
      _ seed: UInt64
    ) async throws {
      var random = SeededGenerator(seed: seed)
      let texts = ["x", "🎬"].map { String(repeating: $0, count: (9 << 20) / $0.utf8.count) }
      let images = [UInt8](0...1).map { Data([$0]) }
      let id = try connection.insert([LargeNote("n", texts[0], images[0])])[0]
      let client = try await client()
      let writer = try await self.client()
      let isOver = Mutex(false)
      let writing = Task {
        for count in 1... {
          if isOver.withLock({ $0 }) { return }
          try await writer.update(
            id,
            set: [.set(\.body, to: texts[count % 2]), .set(\.image, to: images[count % 2])]
          )
        }
      }
      defer { isOver.withLock { $0 = true } }
      for _ in 0..<5 {
        let note: LargeNote?
        switch Int.random(in: 0..<5, using: &random) {
        case 0: note = try connection.get(id)
        case 1: note = try connection.fetch(LargeNote.self).first
        case 2: note = try await client.get(id)
        case 3:
          var rows = client.rows(LargeNote.self).makeAsyncIterator()
          note = try await rows.next()
        default:
          var events = client.watch(LargeNote.self).snapshots.makeAsyncIterator()
          let row = try await events.next()?.first
          #expect(row?.version == row?.content.version)
          note = row?.content
        }
        let found = try #require(note)
        // The first version has the first state.
        let state = Int(found.version + 1) % 2
        #expect(found.body == texts[state], "seed \(seed), version \(found.version)")
        #expect(found.image == images[state], "seed \(seed), version \(found.version)")
      }
      isOver.withLock { $0 = true }
      try await writing.value
    }
  }
}
