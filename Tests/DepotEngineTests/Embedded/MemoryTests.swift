import DepotClient
import DepotEmbedded
import DepotLinux
import DepotProtocol
import Testing

extension EmbeddedTests {
  /// Stores in memory, which need no service outside.
  @Suite struct MemoryTests {
    init() { EmbeddedTests.leaveOutTheDefaultService() }

    @Test func `a store in memory keeps what is saved, for all connections`() throws {
      let access = try StoreAccess(.memory(name: "keeps"), schema: Note.schema)
      guard case .embedded(_, nil) = access.route else {
        Issue.record("\(access.route)")
        return
      }
      try access.connect().insert([Note("a"), Note("b")])
      #expect(try access.connect().names() == ["a", "b"])
    }

    @Test func `stores of different names don't see each other, those of one name are one`() throws
    {
      let first = try StoreAccess(.memory(name: "one"), schema: Note.schema)
      let other = try StoreAccess(.memory(name: "two"), schema: Note.schema)
      let again = try StoreAccess(.memory(name: "one"))
      try first.connect().insert([Note("a")])
      #expect(try other.connect().names() == [])
      #expect(try again.connect().names() == ["a"])
    }

    @Test func `a store in memory is gone with the last access to it`() throws {
      do {
        let access = try StoreAccess(.memory(name: "gone"), schema: Note.schema)
        try access.connect().insert([Note("a")])
      }
      let access = try StoreAccess(.memory(name: "gone"), schema: Note.schema)
      #expect(try access.connect().names() == [])
    }

    @Test func `a schema that can't be stored is refused`() throws {
      let schema = Schema(entities: [
        Entity(name: "Note", attributes: [Attribute(name: "", type: .string)])
      ])
      #expect(throws: DepotError.self) {
        _ = try StoreAccess(.memory(name: "refused"), schema: schema)
      }
    }

    @Test func `a store in memory can be watched and has a history`() throws {
      let access = try StoreAccess(.memory(name: "history"), schema: Note.schema)
      let connection = try access.connect()
      try connection.insert(InsertRequest([Note("a")]), author: "me")
      var transactions: [HistoryTransaction] = []
      try connection.history { transactions.append($0) }
      #expect(transactions.last?.author == "me")
      #expect(transactions.last?.process == "swift/\(Process.identifier)")
    }
  }
}
