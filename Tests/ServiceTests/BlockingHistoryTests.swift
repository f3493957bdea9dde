import DepotClient
import DepotLinux
import DepotProtocol
import Testing

extension ServiceTests {
  /// Watches of a real service's history by programs that wait, and the authors of single writes.
  @Suite struct BlockingHistoryTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon()
    }

    @Test func `a program that waits gets every transaction once, also what the watch left out`()
      throws
    {
      let writer = try daemon.connect()
      let identifier = try writer.insert([Item(name: "a")])[0]
      let connection = try daemon.connect()
      let raw = try RawConnection(daemon.socket)
      let count = 12_000
      var tokens: [HistoryToken] = []
      var isFirst = true
      try connection.watchHistory(HistoryRequest(entity: "Item")) { event in
        switch event {
        case .current where isFirst:
          isFirst = false
          // More transactions than the service keeps for a client that takes none.
          for number in 0..<count {
            let rows = #"{"entity":"Item","ids":[\#(identifier.value)]"#
            try raw.call(number + 1, "update", rows + #","set":{"n":\#(number + 1)}}"#)
            guard number % 40 == 39 else { continue }
            for _ in 0..<40 { #expect(try raw.receive()["ok"] != nil) }
          }
        case .transaction(let transaction):
          tokens.append(transaction.token)
          // The connection can be used meanwhile.
          if tokens.count % 1000 == 1 { #expect(try connection.get(identifier).n == count) }
        case .current: break
        case .gap, .interrupted: Issue.record("\(event)")
        }
        return tokens.count < count
      }
      #expect(tokens == tokens.sorted())
      #expect(Set(tokens).count == count)
      #expect(try connection.get(identifier).n == count)
    }

    @Test func `a watch goes on since a token`() throws {
      let connection = try daemon.connect()
      let first = try connection.save(save("a"))
      _ = try connection.save(save("b"))
      var kinds: [HistoryChange.Kind] = []
      try connection.watchHistory(since: first.token) { event in
        if case .transaction(let transaction) = event { kinds += transaction.changes.map(\.kind) }
        return kinds.isEmpty
      }
      #expect(kinds == [.insert])
    }

    @Test func `watches end from another thread`() throws {
      for isHistory in [true, false] {
        let connection = try daemon.connect()
        let disconnector = connection.disconnector
        var events = 0
        func begin() throws {
          events += 1
          guard events == 1 else { return }
          try DepotLinux.Thread.start(name: "stop") { disconnector.disconnect() }
        }
        if isHistory {
          try connection.watchHistory { _ in
            try begin()
            return true
          }
        } else {
          try connection.watch(Item.self) { _, _ in
            try begin()
            return true
          }
        }
        #expect(events > 0)
        #expect(disconnector.isDisconnected)
        #expect { try connection.ping() } throws: { ($0 as? DepotError)?.code == .disconnected }
      }
    }

    @Test func `a write may have an author of its own`() async throws {
      let ann = try BlockingConnection(socket: SocketPath(daemon.socket), author: "ann")
      let ben = try await Client(
        socket: SocketPath(daemon.socket),
        options: ClientOptions(author: "ben")
      )
      _ = try ann.save(save("a"))
      _ = try ann.save(save("b"), author: "carl", group: "g")
      _ = try await ben.save(save("c"), author: "dora")
      _ = try await ben.save(save("d"))
      let insert = InsertRequest([Item(name: "e")])
      let identifiers = try ann.insert(insert, author: "emil").identifiers.compactMap { $0 }
      let rows = RowSelection.identifiers(identifiers)
      try ann.delete(DeleteRequest(entity: "Item", rows: rows), author: "fred")
      var authors: [String?] = []
      var groups: [String?] = []
      try ann.history {
        guard !$0.changes.isEmpty else { return }
        authors.append($0.author)
        groups.append($0.group)
      }
      #expect(authors == ["ann", "carl", "dora", "ben", "emil", "fred"])
      #expect(groups == [nil, "g", nil, nil, nil, nil])
    }

    private func save(_ name: String) -> Save {
      var save = Save()
      save.insert(Item(name: name))
      return save
    }
  }
}
