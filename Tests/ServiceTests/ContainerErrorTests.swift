import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Containers that can't be, and stores that can't be written.
  @Suite(.serialized) struct ContainerErrorTests {
    private typealias Containers = ContainerTests

    /// The error of opening a container, after which nothing is open that wasn't before.
    private func refusal(
      _ daemon: TestDaemon,
      _ request: ContainerRequest
    ) throws -> DepotError? {
      let connection = try daemon.connect()
      let before = try connection.containers().map(\.name)
      let error = #expect(throws: DepotError.self) { try connection.openContainer(request) }
      #expect(try connection.containers().map(\.name) == before)
      return error
    }

    private func store(_ path: String, isReadOnly: Bool = false) -> ContainerRequest {
      let isDatabase = ContainerStore.isDatabase(path)
      return ContainerRequest(
        "x",
        stores: [ContainerStore(isDatabase ? .database(path) : .path(path), isReadOnly: isReadOnly)]
      )
    }

    @Test func `an open container is only opened again with the same stores`() throws {
      let daemon = try TestDaemon()
      let connection = try daemon.connect()
      try connection.openContainer(Containers.shop)
      var other = Containers.shop
      other.stores[1].location = .memory
      #expect(try refusal(daemon, other)?.code == .containerDiffers)
      other = Containers.shop
      other.stores[0].entities = ["Order", "Other"]
      #expect(try refusal(daemon, other)?.code == .containerDiffers)
      other = Containers.shop
      other.schema = nil
      #expect(try !connection.openContainer(other).isNew)
    }

    @Test func `a file is in one container only`() throws {
      let daemon = try TestDaemon()
      let connection = try daemon.connect()
      try connection.openContainer(Containers.shop)
      var other = Containers.shop
      other.name = "other"
      let error = try refusal(daemon, other)
      #expect(error?.code == .busy)
      #expect(error?.message.contains("\"shop\"") == true)
      #expect(try refusal(daemon, store(daemon.storeName))?.code == .busy)
      // Also by another name of its folder, and twice in one container.
      let link = daemon.folder.path + "/link"
      try FileManager.default.createSymbolicLink(
        atPath: link,
        withDestinationPath: daemon.folder.path + "/stores"
      )
      #expect(try refusal(daemon, store(link + "/rest.store"))?.code == .busy)
      let hard = daemon.folder.path + "/hard.store"
      try FileManager.default.linkItem(
        atPath: daemon.folder.path + "/stores/rest.store",
        toPath: hard
      )
      #expect(try refusal(daemon, store(hard))?.code == .busy)
      let twice = ContainerRequest(
        "x",
        stores: [
          ContainerStore(.file("t.store"), name: "a", entities: ["Order"]),
          ContainerStore(.path(daemon.folder.path + "/stores/t.store"), name: "b"),
        ]
      )
      #expect(try refusal(daemon, twice)?.code == .usage)
    }

    @Test func `a file that another service has is busy, and nothing of the rest stays open`()
      throws
    {
      let first = try TestDaemon()
      let second = try TestDaemon()
      try first.connect().openContainer(Containers.shop)
      let request = ContainerRequest(
        "x",
        stores: [
          ContainerStore(.file("a.store"), name: "a", entities: ["Order"]),
          ContainerStore(.path(first.folder.path + "/stores/rest.store"), name: "b"),
        ]
      )
      #expect(try refusal(second, request)?.code == .busy)
      let alone = ContainerRequest("y", stores: [ContainerStore(.file("a.store"))])
      #expect(try second.connect().openContainer(alone).isNew)
    }

    @Test func `paths that can't be used are named`() throws {
      let daemon = try TestDaemon()
      let folder = daemon.folder.path
      let missing = try refusal(daemon, store(folder + "/no/x.store"))
      #expect(missing?.code == .fileNotFound)
      #expect(missing?.message.contains(folder + "/no/x.store") == true)
      #expect(
        try refusal(daemon, store(folder + "/stores-no.store", isReadOnly: true))?.code
          == .fileNotFound
      )
      // Nobody may make a file there, not even root.
      #expect(try refusal(daemon, store("/sys/kernel/x.store"))?.code == .filePermission)
      _ = try daemon.folder.write(String(repeating: "x", count: 4096), to: "text.store")
      #expect(try refusal(daemon, store(folder + "/text.store"))?.code == .corrupt)
      try FileManager.default.createDirectory(
        atPath: folder + "/folder.store",
        withIntermediateDirectories: false
      )
      #expect(try refusal(daemon, store(folder + "/folder.store"))?.code.class == "storage")
    }

    @Test func `entities that can't be divided like that are refused, and nothing is made`() throws
    {
      let daemon = try TestDaemon()
      let stores = [
        ContainerStore(.memory, name: "a", entities: ["Order"]),
        ContainerStore(.memory, name: "b", entities: ["Item"]),
      ]
      var request = ContainerRequest("x", stores: stores, schema: Containers.schema)
      request.schema?.entities.append(
        Entity(name: "Tag", attributes: [Attribute(name: "n", type: .int64)])
      )
      let homeless = try refusal(daemon, request)
      #expect(homeless?.code == .invalidSchema)
      #expect(homeless?.message.contains("Tag") == true)
      request.schema = Containers.schema
      request.schema?.entities[1].name = "Items"
      let unknown = try refusal(daemon, request)
      #expect(unknown?.code == .invalidSchema)
      #expect(unknown?.hint == "Did you mean \"Items\"?")
    }

    @Test func `a store that holds an entity of another store's is refused`() throws {
      let daemon = try TestDaemon()
      let connection = try daemon.connect()
      try connection.openContainer(Containers.shop)
      try connection.closeContainer("shop")
      var swapped = Containers.shop
      swapped.schema = nil
      swapped.stores[0].entities = ["Item"]
      let error = try refusal(daemon, swapped)
      #expect(error?.code == .invalidSchema)
      swapped.stores[0].entities = ["Order"]
      swapped.stores[1].entities = ["Tag"]
      #expect(try refusal(daemon, swapped)?.code == .invalidSchema)
    }

    @Test func `a definition that a store can't take is refused before another takes its part`()
      throws
    {
      let daemon = try TestDaemon()
      let connection = try Containers.connect(daemon, "shop")
      let opened = try connection.openContainer(Containers.shop)
      let optional = Attribute(name: "new", type: .int64, isOptional: true)
      var wanted = Containers.schema
      wanted.entities[0].attributes.append(optional)
      wanted.entities[1].attributes[1].isOptional = true
      let error = #expect(throws: DepotError.self) { try connection.define(wanted) }
      #expect(error?.code == .mismatch)
      #expect(try connection.schema() == Containers.schema)
      wanted.entities[1] = Containers.schema.entities[1]
      wanted.entities[1].attributes.append(optional)
      let planned = try connection.define(wanted, isDryRun: true)
      #expect(try connection.schema() == Containers.schema)
      let changed = try connection.define(wanted)
      #expect(changed.isChanged)
      #expect(changed.changes.count == 2)
      #expect(changed == planned)
      #expect(changed.fingerprint != opened.fingerprint)
      #expect(try connection.schema() == wanted)
      #expect(try !connection.define(wanted).isChanged)
    }

    @Test func `a definition that fails on the rows of one store says so, and can be repeated`()
      throws
    {
      let daemon = try TestDaemon()
      let connection = try Containers.connect(daemon, "shop")
      try connection.openContainer(Containers.shop)
      for name in ["a", "b"] { try connection.insert(Containers.row("Item", name)) }
      var wanted = Containers.schema
      wanted.entities[0].attributes.append(Attribute(name: "new", type: .int64, isOptional: true))
      wanted.entities[1].attributes.append(
        Attribute(name: "code", type: .int64, defaultValue: .int64(7), isUnique: true)
      )
      let error = #expect(throws: DepotError.self) { try connection.define(wanted) }
      #expect(error?.code == .mismatch)
      wanted.entities[1].attributes[2].isUnique = false
      #expect(try connection.define(wanted).isChanged)
      #expect(try connection.schema() == wanted)
    }

    @Test func `nothing is written to a store that is open for reading`() throws {
      let daemon = try TestDaemon()
      let connection = try Containers.connect(daemon, "shop")
      try connection.openContainer(Containers.shop)
      try connection.insert(Containers.row("Order", "a"))
      try connection.closeContainer("shop")
      let file = daemon.folder.path + "/stores/orders.store"
      let before = try Data(contentsOf: URL(filePath: file))
      var request = Containers.shop
      request.stores[0].isReadOnly = true
      #expect(try connection.openContainer(request).changes == [])
      #expect(try connection.count(CountRequest(entity: "Order")) == 1)
      let insert = #expect(throws: DepotError.self) {
        try connection.insert(Containers.row("Order", "b"))
      }
      #expect(insert?.code == .readOnly)
      // The other store can be written, and be given more.
      try connection.insert(Containers.row("Item", "b"))
      var more = Containers.schema
      more.entities[1].attributes.append(Attribute(name: "x", type: .int64, isOptional: true))
      #expect(try connection.define(more).changes.count == 1)
      more.entities[0].attributes.append(Attribute(name: "x", type: .int64, isOptional: true))
      let define = #expect(throws: DepotError.self) { try connection.define(more) }
      #expect(define?.code == .readOnly)
      try connection.closeContainer("shop")
      #expect(try Data(contentsOf: URL(filePath: file)) == before)
    }

    @Test func `so many stores may be open`() throws {
      let daemon = try TestDaemon()
      let connection = try daemon.connect()
      func request(_ name: String, _ count: Int) -> ContainerRequest {
        ContainerRequest(
          name,
          stores: (0..<count).map { number in
            ContainerStore(.memory, name: "s\(number)", entities: ["E\(number)"])
          }
        )
      }
      try connection.openContainer(request("a", 20))
      #expect(try refusal(daemon, request("b", Limits.stores - 19))?.code == .tooManyStores)
      try connection.openContainer(request("b", Limits.stores - 20))
      try connection.closeContainer("a")
      try connection.openContainer(request("c", 20))
      #expect(try daemon.terminate() == 0)
    }

    @Test(.enabled(if: Programs.isRoot, "only root can become other users"))
    func `others may open files of the service's folder but name no paths`() throws {
      let daemon = try TestDaemon(["--allow-uid", "4001", "--read-only-uid", "4002"])
      let script = """
        import json, os, socket, struct, sys
        os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(10)
        s.connect(sys.argv[1])
        file = s.makefile("rwb")
        for text in ['{"hello":{"protocol":[1,1]}}'] + sys.argv[3:]:
            file.write(text.encode() + b"\\n"); file.flush()
            frame = json.loads(file.readline())
            print(frame["err"]["code"] if "err" in frame else "ok")
        """
      func ask(_ user: Int, _ calls: [String]) throws -> [Substring] {
        let outcome = try Program.python(script, [daemon.socket, "\(user)"] + calls)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return Array(outcome.lines.dropFirst())
      }
      let file =
        #"{"id":1,"call":"container.open","args":{"name":"f","stores":[{"file":"f.store"}]}}"#
      let path =
        #"{"id":2,"call":"container.open","args":{"name":"p","stores":[{"path":"/tmp/p.store"}]}}"#
      let close = #"{"id":3,"call":"container.close","args":{"name":"f"}}"#
      #expect(try ask(4002, [file]) == ["permission.op"])
      #expect(try ask(4001, [file, path]) == ["ok", "permission.op"])
      // Who may only read may join, but not close.
      #expect(try ask(4002, [file, close]) == ["ok", "permission.op"])
      #expect(try ask(4001, [close.replacing("3", with: "1")]) == ["ok"])
    }
  }
}
