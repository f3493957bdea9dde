import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Containers of several stores.
  @Suite(.serialized) struct ContainerTests {
    static let schema = Schema(
      entities: ["Order", "Item"].map { name in
        Entity(
          name: name,
          attributes: [
            Attribute(name: "name", type: .string, isUnique: true),
            Attribute(name: "n", type: .int64, defaultValue: .int64(0)),
          ]
        )
      }
    )

    /// A container of two files, each with an entity.
    static let shop = ContainerRequest(
      "shop",
      stores: [
        ContainerStore(.file("orders.store"), name: "orders", entities: ["Order"]),
        ContainerStore(.file("rest.store"), name: "rest"),
      ],
      schema: schema
    )

    /// A container in memory.
    static let cache = ContainerRequest(
      "cache",
      stores: [ContainerStore(.memory)],
      schema: schema
    )

    static func connect(_ daemon: TestDaemon, _ container: String) throws -> BlockingConnection {
      try BlockingConnection(socket: SocketPath(daemon.socket), container: container)
    }

    static func row(_ entity: String, _ name: String, _ n: Int64 = 0) -> InsertRequest {
      InsertRequest(
        entity: entity,
        columns: ["name", "n"],
        rows: RowBatch([[.string(name), .int64(n)]])
      )
    }

    private func count(_ connection: BlockingConnection, _ entity: String) throws -> Int {
      try connection.count(CountRequest(entity: entity))
    }

    private func code(_ body: () throws -> Void) -> String? {
      #expect(throws: DepotError.self) { try body() }?.code.rawValue
    }

    /// The folder of a service's stores in memory.
    private func memoryFolder(_ daemon: TestDaemon) throws -> String {
      let instance = try #require(try daemon.stats()["server", "instance"]?.string)
      return "/dev/shm/depot-\(DepotLinux.Process.user)-\(instance)"
    }

    @Test func `two containers have the same names and know nothing of each other`() throws {
      let daemon = try TestDaemon()
      let plain = try daemon.connect()
      let shop = try Self.connect(daemon, "shop")
      let cache = try Self.connect(daemon, "cache")
      #expect(code { _ = try count(shop, "Item") } == "notfound.container")
      let opened = try shop.openContainer(Self.shop)
      #expect(opened.isNew)
      #expect(opened.changes.count == 2)
      #expect(opened.stores.map(\.entities) == [["Order"], ["Item"]])
      #expect(try cache.openContainer(Self.cache).isNew)
      try plain.insert([Item(name: "x"), Item(name: "y"), Item(name: "z")])
      for name in ["x", "y"] { try shop.insert(Self.row("Item", name)) }
      try cache.insert(Self.row("Item", "x"))
      try shop.insert(Self.row("Order", "x"))
      #expect(try count(plain, "Item") == 3)
      #expect(try count(shop, "Item") == 2)
      #expect(try count(cache, "Item") == 1)
      #expect(try count(shop, "Order") == 1)
      #expect(code { _ = try count(plain, "Order") } == "schema.unknown_entity")
      // Each entity is in the file that it was meant for.
      #expect(try shop.schema().entities.map(\.name) == ["Order", "Item"])
      let files = try plain.containers().first { $0.name == "shop" }?.stores ?? []
      #expect(
        files.map { ($0.path as NSString?)?.lastPathComponent } == ["orders.store", "rest.store"]
      )
      #expect(files.map(\.entities) == [["Order"], ["Item"]])
      try shop.closeContainer("shop")
      for (file, entity) in zip(files, ["Order", "Item"]) {
        let outcome = try Program.run(
          [Programs.daemon, "--check", "--store", #require(file.path)]
        )
        #expect(outcome.status == 0, "\(entity): \(outcome.output)")
      }
    }

    @Test func `a call may name another container than its connection`() throws {
      let daemon = try TestDaemon()
      let holder = try daemon.connect()
      try holder.openContainer(Self.cache)
      let raw = try RawConnection(daemon.socket)
      try raw.call(
        1,
        "insert",
        #"{"entity":"Order","columns":["name"],"rows":[["a"]]}"#,
        #","container":"cache""#
      )
      #expect(try raw.receive()["ok"] != nil)
      try raw.call(2, "count", #"{"entity":"Order"}"#, #","container":"cache""#)
      #expect(try raw.receive()["ok", "count"]?.int64 == 1)
      try raw.call(3, "count", #"{"entity":"Order"}"#)
      #expect(try raw.receive().errorCode == "schema.unknown_entity")
      try raw.call(4, "count", #"{"entity":"Order"}"#, #","container":"cash""#)
      #expect(try raw.receive().errorCode == "notfound.container")
      try raw.call(5, "count", #"{"entity":"Item"}"#, #","container":"default""#)
      #expect(try raw.receive()["ok", "count"]?.int64 == 0)
    }

    @Test func `calls that are sent at once act as if each waited for the one before`() throws {
      let daemon = try TestDaemon(schema: "")
      let raw = try RawConnection(daemon.socket)
      let schema = Self.schema.json
      var id = 0
      func send(_ operation: String, _ arguments: String, in container: String?) throws {
        id += 1
        try raw.call(
          id,
          operation,
          arguments,
          container.map { #","container":"\#($0)""# } ?? ""
        )
      }
      func row(_ entity: String) -> String {
        #"{"entity":"\#(entity)","columns":["name"],"rows":[["\#(id)"]]}"#
      }
      try send(
        "container.open",
        #"{"name":"a","stores":[{"name":"x","memory":true,"entities":["Order"]},"#
          + #"{"name":"y","memory":true}]}"#,
        in: nil
      )
      try send("schema.define", #"{"schema":\#(schema)}"#, in: "a")
      try send("insert", row("Order"), in: "a")
      try send("insert", row("Item"), in: "a")
      try send("count", #"{"entity":"Order"}"#, in: "a")
      try send("count", #"{"entity":"Item"}"#, in: "a")
      try send("container.close", #"{"name":"a"}"#, in: nil)
      try send("insert", row("Item"), in: "a")
      try send("container.open", #"{"name":"a","stores":[{"memory":true}]}"#, in: nil)
      try send("schema.get", "{}", in: "a")
      var answers: [Int64: JSONValue] = [:]
      while answers.count < id {
        let frame = try raw.receive()
        answers[frame["id"]?.int64 ?? 0] = frame
      }
      for (id, answer) in answers where id != 8 {
        #expect(answer["ok"] != nil, "\(answer.text)")
      }
      #expect(answers[5]?["ok", "count"]?.int64 == 1)
      #expect(answers[6]?["ok", "count"]?.int64 == 1)
      #expect(answers[8]?.errorCode == "notfound.container")
      #expect(answers[10]?["ok", "schema", "entities"]?.array == [])
    }

    @Test func `a barrier waits for the watches of all stores`() throws {
      let daemon = try TestDaemon(schema: "")
      let other = try Self.connect(daemon, "shop")
      _ = try other.openContainer(Self.shop)
      let raw = try RawConnection(daemon.socket)
      let container = #","container":"shop","credit":100"#
      for (id, entity) in [(1, "Order"), (2, "Item")] {
        try raw.call(
          id,
          "watch",
          #"{"fetch":{"entity":"\#(entity)","select":["name"]}}"#,
          container
        )
        repeat {} while try raw.receive()["next", "kind"]?.string == "snapshot"
      }
      var seen: [Int64: Set<String>] = [:]
      for round in 0..<50 {
        for entity in ["Order", "Item"] { try other.insert(Self.row(entity, "\(round)")) }
        try raw.call(3 + round, "barrier", "{}", #","container":"shop""#)
        while true {
          let frame = try raw.receive()
          let id = try #require(frame["id"]?.int64)
          if id > 2 {
            #expect(frame["ok", "tokens"]?.array?.count == 2, "\(frame.text)")
            break
          }
          for row in frame["next"]?.array ?? [] { seen[id, default: []].insert(row.text) }
        }
        #expect(seen.mapValues(\.count) == [1: round + 1, 2: round + 1])
      }
    }

    @Test func `a container in memory goes with its last user, unless it is kept`() throws {
      let daemon = try TestDaemon()
      let watcher = try daemon.connect()
      /// What is open; a container that is being closed isn't.
      func names() throws -> [String] { try watcher.containers().map(\.name) }
      do {
        let first = try Self.connect(daemon, "cache")
        try first.openContainer(Self.cache)
        try first.insert(Self.row("Item", "a"))
        do {
          let second = try Self.connect(daemon, "cache")
          #expect(try !second.openContainer(Self.cache).isNew)
          #expect(try count(second, "Item") == 1)
        }
        try expectSoon("the second user is still there") {
          try watcher.containers().first { $0.name == "cache" }?.users == 1
        }
        #expect(try count(first, "Item") == 1)
      }
      try expectSoon("it outlived its last user") { try names() == ["default"] }
      let folder = try memoryFolder(daemon)
      try expectSoon("the files are still there") {
        FileSystem.entries(of: folder) == ["lock"]
      }
      var kept = Self.cache
      kept.keeps = true
      do {
        let first = try Self.connect(daemon, "cache")
        #expect(try first.openContainer(kept).changes.count == 2, "the old content is there")
        try first.insert(Self.row("Item", "a"))
      }
      let again = try Self.connect(daemon, "cache")
      #expect(try count(again, "Item") == 1)
      try again.closeContainer("cache")
      #expect(try names() == ["default"])
      #expect(try daemon.terminate() == 0)
      #expect(FileSystem.size(of: folder) == nil)
    }

    @Test func `a container of files stays open until it is closed`() throws {
      let daemon = try TestDaemon()
      try daemon.connect().openContainer(Self.shop)
      let other = try Self.connect(daemon, "shop")
      try other.insert(Self.row("Item", "a"))
      try daemon.connect().closeContainer("shop")
      #expect(code { _ = try count(other, "Item") } == "notfound.container")
      #expect(code { try other.insert(Self.row("Item", "b")) } == "notfound.container")
      #expect(code { try other.closeContainer("shop") } == "notfound.container")
      try other.openContainer(Self.shop)
      #expect(try count(other, "Item") == 1)
    }

    @Test func `what was acknowledged in any store survives a kill, and is opened again`() throws {
      let daemon = try TestDaemon()
      let connection = try Self.connect(daemon, "shop")
      try connection.openContainer(Self.shop)
      try daemon.connect().openContainer(
        {
          var kept = Self.cache
          kept.keeps = true
          return kept
        }()
      )
      for n in 0..<50 {
        try connection.insert(Self.row("Item", "i\(n)"))
        try connection.insert(Self.row("Order", "o\(n)"))
      }
      let folder = try memoryFolder(daemon)
      // The next service of this user that starts removes it, be it one of another test.
      #expect(FileSystem.entries(of: folder).count > 1)
      daemon.kill()
      try daemon.start()
      #expect(FileSystem.size(of: folder) == nil, "the memory of the dead service is still there")
      let again = try Self.connect(daemon, "shop")
      #expect(code { _ = try count(again, "Item") } == "notfound.container")
      let opened = try again.openContainer(Self.shop)
      #expect(opened.changes == [])
      #expect(try count(again, "Item") == 50)
      #expect(try count(again, "Order") == 50)
      #expect(try daemon.connect().containers().map(\.name) == ["default", "shop"])
    }

    @Test func `a key is settled in the store of its entity after a kill`() throws {
      let daemon = try TestDaemon()
      let connection = try Self.connect(daemon, "shop")
      try connection.openContainer(Self.shop)
      let first = try connection.insert(Self.row("Order", "a"), key: "k")
      daemon.kill()
      try daemon.start()
      let again = try Self.connect(daemon, "shop")
      try again.openContainer(Self.shop)
      #expect(try again.insert(Self.row("Order", "a"), key: "k") == first)
      #expect(try count(again, "Order") == 1)
    }

    @Test func `the end of the service closes all stores in good order`() throws {
      let daemon = try TestDaemon()
      let connection = try Self.connect(daemon, "shop")
      try connection.openContainer(Self.shop)
      for n in 0..<20 { try connection.insert(Self.row("Item", "\(n)")) }
      #expect(try daemon.terminate() == 0)
      for name in ["orders.store", "rest.store"] {
        let log = daemon.folder.path + "/stores/\(name)-wal"
        #expect(FileSystem.size(of: log) ?? 0 == 0, "the log of \(name) is not empty")
      }
    }

    @Test func `many clients open the same container at once and share it`() throws {
      let daemon = try TestDaemon()
      let socket = daemon.socket
      let new = Counter()
      let done = Counter()
      try inParallel(8) { number in
        let connection = try Self.connect(socket)
        if try connection.openContainer(Self.cache).isNew { new.add() }
        try connection.insert(Self.row("Item", "\(number)"))
        done.add()
        // Nobody leaves before all have come.
        try expectSoon("some didn't come") { done.value == 8 }
        #expect(try connection.count(CountRequest(entity: "Item")) == 8)
      }
      #expect(new.value == 1)
    }

    private static func connect(_ socket: String) throws -> BlockingConnection {
      try BlockingConnection(socket: SocketPath(socket), container: "cache")
    }

    @Test func `a stream of a container that is closed ends with an error`() throws {
      let daemon = try TestDaemon()
      let owner = try Self.connect(daemon, "cache")
      try owner.openContainer(Self.cache)
      for start in 0..<10 {
        let rows = (0..<1000).map { [Value.string("\(start)-\($0)")] }
        try owner.insert(
          InsertRequest(entity: "Item", columns: ["name"], rows: RowBatch(rows))
        )
      }
      let raw = try RawConnection(daemon.socket)
      try raw.call(1, "fetch", #"{"entity":"Item"}"#, #","credit":1,"container":"cache""#)
      #expect(try raw.receive()["next"] != nil)
      try owner.closeContainer("cache")
      #expect(try raw.receiveAnswer(of: 1).terminal.errorCode == "notfound.container")
    }

    @Test func `the async client works in a container`() async throws {
      let daemon = try TestDaemon()
      let client = try await Client(
        socket: SocketPath(daemon.socket),
        options: ClientOptions(container: "shop")
      )
      try await client.openContainer(Self.shop)
      try await client.insert(Self.row("Order", "a"))
      #expect(try await client.count(CountRequest(entity: "Order")) == 1)
      #expect(try await client.containers().map(\.name) == ["default", "shop"])
      try await client.closeContainer("shop")
      await #expect(throws: DepotError.self) {
        try await client.count(CountRequest(entity: "Order"))
      }
    }

    @Test func `the async client opens its container again when the service was started anew`()
      async throws
    {
      let daemon = try TestDaemon()
      let client = try await Client(
        socket: SocketPath(daemon.socket),
        options: ClientOptions(container: "shop")
      )
      try await client.openContainer(Self.shop)
      try await client.openContainer(Self.cache)
      try await client.insert(Self.row("Order", "a"))
      for round in 0..<3 {
        daemon.kill()
        try daemon.start()
        // A stream and plain calls, whichever comes first.
        var rows = 0
        for try await frame in client.fetchFrames(FetchRequest(entity: "Order")) {
          try frame.forEachRow { row in
            while !row.isAtEndOfRow() { _ = try row.field() }
            rows += 1
          }
        }
        #expect(rows == round + 1)
        try await client.insert(Self.row("Order", "\(round)"))
      }
      #expect(try await client.containers().map(\.name) == ["default", "shop"])
    }

    @Test func `the command line works in a container`() throws {
      let daemon = try TestDaemon()
      let file = try daemon.folder.write(Self.schema.json, to: "schema.json")
      #expect(try daemon.depot(["container", "open", "shop", "--schema", file]).status == 0)
      #expect(
        try daemon.depot(["--container", "shop", "insert", "Order", "name=a"]).status == 0
      )
      #expect(try daemon.depot(["--container", "shop", "count", "Order"]).output == "1\n")
      #expect(try daemon.depot(["count", "Order"]).status == 65)
      let list = try daemon.depot(["container", "list", "-o", "table"])
      #expect(list.output.contains("stores/shop.store"))
      #expect(try daemon.depot(["container", "close", "shop"]).status == 0)
      #expect(try daemon.depot(["--container", "shop", "count", "Order"]).status == 1)
      let memory = try daemon.depot(["container", "open", "m", "--memory", "--schema", file])
      #expect(memory.status == 0)
      #expect(try daemon.depot(["--container", "m", "count", "Item"]).output == "0\n")
      #expect(try daemon.depot(["container", "open", "x", "--memory", "--file", "y"]).status == 64)
    }
  }
}
