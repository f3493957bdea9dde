import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Walks over all rows.
  @Suite(.serialized) struct EnumerateTests {
    @Test func `enumerating a hundred thousand rows costs the service less than 32 MiB`()
      async throws
    {
      let daemon = try TestDaemon()
      try daemon.connect().fill(100_000, textBytes: 500)
      try #require(try daemon.terminate() == 0)
      try daemon.start()
      let client = try await Client(socket: SocketPath(daemon.socket))
      try await client.ping()
      let idle = try daemon.status("VmRSS")
      var sum = 0
      let count = try await client.enumerate(Item.self) { sum += $0.n }
      #expect(count == 100_000)
      #expect(sum == 100_000 * 99_999 / 2)
      #expect(try daemon.status("VmHWM") - idle <= 32 << 10, "KiB")
    }

    @Test func `the command line exports a hundred thousand rows in 32 MiB`() throws {
      let daemon = try TestDaemon()
      try daemon.connect().fill(100_000, textBytes: 500)
      let limit = "--data=\(40 << 20)"
      let depot = ["prlimit", limit, Programs.depot, "--socket", daemon.socket]
      let export = try Program.run(
        ["sh", "-c", "exec \"$@\" > /dev/null", "sh"] + depot + ["export", "Item"]
      )
      #expect(export.status == 0, "\(export.errors)")
    }

    @Test func `batches are of one moment, and each says how to go on after it`() async throws {
      let daemon = try TestDaemon()
      try daemon.connect().fill(3500)
      let client = try await Client(socket: SocketPath(daemon.socket))
      let other = try daemon.connect()
      let order = [SortDescriptor(\Item.text), SortDescriptor(\Item.n, order: .reverse)]
      var sizes: [Int] = []
      var numbers: [Int] = []
      var cursors: [PageCursor?] = []
      for try await batch in client.batches(Item.self, sortBy: order, batchSize: 1000) {
        if sizes.isEmpty { try other.delete(Item.self, where: #Predicate { $0.n < 500 }) }
        sizes.append(batch.records.count)
        numbers += batch.records.map(\.n)
        cursors.append(batch.next)
      }
      #expect(sizes == [1000, 1000, 1000, 500])
      #expect(numbers == Array((0..<3500).reversed()))
      #expect(cursors.map { $0 == nil } == [false, false, false, true])

      // A cursor can be stored; what is read then is of a later moment.
      let data = try JSONEncoder().encode([try #require(cursors[1])])
      let cursor = try JSONDecoder().decode([PageCursor].self, from: data)[0]
      var rest: [Int] = []
      let count = try await client.enumerate(Item.self, sortBy: order, after: cursor) {
        rest.append($0.n)
      }
      #expect(count == 1000)
      #expect(rest == Array((500..<1500).reversed()))
    }

    @Test func `in a snapshot, an enumeration and what it leads to are of one moment`() async throws
    {
      let schema = """
        {"entities":[{"name":"Item","attributes":[{"name":"name","type":"string","unique":true},\
        {"name":"n","type":"int64","default":0},{"name":"text","type":"string","optional":true},\
        {"name":"large","type":"string","optional":true,"externalStorage":true}]}]}
        """
      let daemon = try TestDaemon(schema: schema)
      let connection = try daemon.connect()
      try connection.fill(30)
      let items = try connection.fetch(Item.self)
      func write(_ text: String) throws {
        for item in items {
          let request = BlobWriteRequest(
            entity: "Item",
            identifier: item.id?.value ?? 0,
            attribute: "large",
            data: "\(text) \(item.n)"
          )
          try connection.writeBlob(request)
        }
      }
      try write("old")
      var texts: [String] = []
      try daemon.connect().withSnapshot { snapshot in
        try write("new")
        try snapshot.enumerate(Item.self, batchSize: 10) { batch in
          for item in batch.records {
            let request = BlobReadRequest(
              entity: "Item",
              identifier: item.id?.value ?? 0,
              attribute: "large"
            )
            try snapshot.readBlob(request) { texts.append(String(decoding: $0, as: UTF8.self)) }
          }
        }
      }
      #expect(texts == (0..<30).map { "old \($0)" })
    }

    @Test func `an enumeration that expired goes on where it was`() async throws {
      let daemon = try TestDaemon(["--log-mib", "8"])
      let writer = try daemon.connect()
      try writer.fill(40_000, textBytes: 200)
      var text = String(repeating: "z", count: 1 << 20)
      let client = try await Client(socket: SocketPath(daemon.socket))
      var numbers: [Int] = []
      var cursor: PageCursor?
      var expired = 0
      repeat {
        do {
          let batches = client.batches(Item.self, batchSize: 1000, after: cursor)
          for try await batch in batches {
            numbers += batch.records.map(\.n)
            cursor = batch.next
            guard expired < 2 else { continue }
            try await expectSoon("the stream stays") {
              text += "y"
              try writer.update(
                Item.self,
                where: #Predicate { $0.n == 0 },
                set: [.set(\.text, to: text)]
              )
              return try daemon.stats()["readers", "active"]?.int64 == 0
            }
          }
        } catch let error as DepotError where error.code == .streamExpired {
          expired += 1
        }
      } while cursor != nil && expired < 10 && numbers.count < 40_000
      #expect(expired == 2)
      #expect(numbers == Array(0..<40_000))
    }

    @Test func `what is enumerated can't be changed by the same client, unless it is told so`()
      async throws
    {
      let daemon = try TestDaemon()
      try daemon.connect().fill(20)
      let client = try await Client(socket: SocketPath(daemon.socket))
      var refused = 0
      try await client.enumerate(Item.self, batchSize: 5) { item in
        do {
          try await client.update(
            Item.self,
            where: #Predicate { $0.n == 3 },
            set: [.set(\.n, to: 3)]
          )
        } catch let error as DepotError {
          #expect(error.code == .enumerating)
          refused += 1
        }
      }
      #expect(refused == 20)
      let id = try #require(try await client.fetch(Item.self).first?.id)
      try await client.update(id, set: [.set(\.text, to: "after")])
      try await client.enumerate(Item.self, allowEscapingMutations: true) { item in
        if let id = item.id { try await client.delete(id) }
      }
      #expect(try await client.count(Item.self) == 0)
    }

    @Test func `a blocking connection can be used while it enumerates`() throws {
      let daemon = try TestDaemon()
      let connection = try daemon.connect()
      try connection.fill(12_000, textBytes: 100)
      var sizes: [Int] = []
      let count = try connection.enumerate(Item.self, batchSize: 5000) { batch in
        sizes.append(batch.records.count)
        let ids = batch.records.prefix(3).compactMap(\.id)
        let numbers = try connection.get(ids).map(\.n)
        #expect(numbers == batch.records.prefix(3).map(\.n))
        let some = try connection.fetch(Item.self, limit: 100)
        #expect(some.count == 100)
        do {
          try connection.delete(ids[0])
          Issue.record("it was deleted")
        } catch let error as DepotError {
          #expect(error.code == .enumerating)
        }
      }
      #expect(count == 12_000)
      #expect(sizes == [5000, 5000, 2000])
      let deleted = try connection.enumerate(
        Item.self,
        batchSize: 500,
        allowEscapingMutations: true
      ) { batch in
        let ids = batch.records.compactMap { $0.id?.value }
        try connection.delete(DeleteRequest(entity: "Item", rows: .identifiers(ids)))
      }
      #expect(deleted == 12_000)
      #expect(try connection.count(Item.self) == 0)
      struct Enough: Error {}
      try connection.fill(2000)
      #expect(throws: Enough.self) {
        try connection.enumerate(Item.self, batchSize: 10) { _ in throw Enough() }
      }
      try connection.delete(Item.self, where: #Predicate { $0.n >= 0 })
      #expect(try daemon.stats()["readers", "active"]?.int64 == 0)
    }

    @Test func `a deadline ends an enumeration, and so does leaving it`() async throws {
      let daemon = try TestDaemon()
      try daemon.connect().fill(20_000, textBytes: 200)
      let client = try await Client(socket: SocketPath(daemon.socket))
      let error = await #expect(throws: DepotError.self) {
        for try await _ in client.batches(Item.self, batchSize: 100, deadline: .milliseconds(200)) {
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      #expect(error?.code == .deadline)
      for try await _ in client.batches(Item.self, batchSize: 10) { break }
      try await expectSoon("the stream stays") {
        try daemon.stats()["readers", "active"]?.int64 == 0
      }
      try await client.insert([Item(name: "free again")])
    }
  }
}
