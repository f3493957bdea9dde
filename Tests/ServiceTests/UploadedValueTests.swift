import DepotClient
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Values that a connection uploads ahead of the rows that take them up.
  @Suite(.serialized) struct UploadedValueTests {
    private let daemon: TestDaemon
    private let connection: RawConnection
    private let calls = Calls()

    private static let schema = """
      {"entities":[{"name":"Photo","attributes":[{"name":"name","type":"string","unique":true},\
      {"name":"image","type":"data","optional":true,"externalStorage":true},\
      {"name":"text","type":"string","optional":true,"externalStorage":true}]}]}
      """

    init() throws {
      daemon = try TestDaemon(schema: Self.schema)
      connection = try RawConnection(daemon.socket)
    }

    @discardableResult
    private func call(
      _ name: String,
      _ arguments: String,
      over other: RawConnection? = nil
    ) throws -> JSONValue {
      let connection = other ?? connection
      calls.count += 1
      try connection.call(calls.count, name, arguments)
      return try connection.receive()
    }

    /// How many calls were made.
    private final class Calls {
      var count = 0
    }

    private func upload(_ name: String, _ text: String, over other: RawConnection? = nil) throws {
      let answer = try call(
        "blob.write",
        #"{"entity":"Photo","attribute":"text","data":"\#(text)","upload":"\#(name)"}"#,
        over: other
      )
      #expect(answer["ok"] != nil, "\(answer)")
    }

    private func insert(_ row: String, _ rest: String = "") throws -> JSONValue {
      try call(
        "insert",
        #"{"entity":"Photo","columns":["name","text"],"rows":[\#(row)]\#(rest)}"#
      )
    }

    /// The texts of all rows, by their names.
    private func texts() throws -> [String: String] {
      let connection = try BlockingConnection(socket: SocketPath(daemon.socket))
      var texts: [String: String] = [:]
      try connection.fetch(FetchRequest(entity: "Photo", select: ["name", "text"])) { row in
        let name = try row.next(String.self)
        texts[name] = try row.next(String?.self) ?? "-"
      }
      return texts
    }

    @Test func `inserts, updates, and saves take them up`() throws {
      try upload("a", "one")
      #expect(try insert(#"["A",{"$upload":"a"}]"#)["ok"] != nil)
      try upload("b", "two")
      let update = #"{"entity":"Photo","ids":[1],"set":{"text":{"$upload":"b"}}}"#
      #expect(try call("update", update)["ok"] != nil)
      #expect(try texts() == ["A": "two"])
      try upload("c", "thr")
      try upload("d", "four")
      let pieces = #"{"entity":"Photo","attribute":"text","data":"ee","offset":3,"upload":"c"}"#
      #expect(try call("blob.write", pieces)["ok"]?["length"]?.int64 == 5)
      let save = """
        {"insert":[{"entity":"Photo","columns":["name","text"],"rows":[["B",{"$upload":"c"}]]}],\
        "update":[{"entity":"Photo","columns":["$id","text"],"rows":[[1,{"$upload":"d"}]]}]}
        """
      #expect(try call("save", save)["ok"] != nil)
      #expect(try texts() == ["A": "four", "B": "three"])
      try checkStore()
    }

    @Test func `several rows may name one, and each has a value of its own`() throws {
      try upload("a", "same")
      let rows = #"["A",{"$upload":"a"}],["B",{"$upload":"a"}]"#
      #expect(try insert(rows)["ok"] != nil)
      let change = #"{"entity":"Photo","id":1,"attribute":"text","data":"other"}"#
      #expect(try call("blob.write", change)["ok"] != nil)
      #expect(try texts() == ["A": "other", "B": "same"])
      try checkStore()
    }

    @Test func `a row that isn't stored doesn't use it up`() throws {
      try upload("a", "kept")
      #expect(try insert(#"["A","x"]"#)["ok"] != nil)
      #expect(try insert(#"["A",{"$upload":"a"}]"#)["err"]?["code"]?.string == "conflict.unique")
      #expect(try insert(#"["A",{"$upload":"a"}]"#, #","onConflict":"skip""#)["ok"] != nil)
      let rejected = try insert(#"["A",{"$upload":"a"}]"#, #","rejects":true"#)
      #expect(rejected["ok"]?["rejected"]?.array?.count == 1, "\(rejected)")
      #expect(try insert(#"["A",{"$upload":"a"}]"#, #","onConflict":"replace""#)["ok"] != nil)
      #expect(try texts() == ["A": "kept"])
      try checkStore()
    }

    @Test func `it is the connection's own, and goes with it`() throws {
      var other: RawConnection? = try RawConnection(daemon.socket)
      try upload("a", "theirs", over: other)
      #expect(try insert(#"["A",{"$upload":"a"}]"#)["err"]?["code"]?.string == "notfound.staged")
      other = nil
      #expect(try insert(#"["A",{"$upload":"a"}]"#)["err"]?["code"]?.string == "notfound.staged")
      #expect(try texts() == [:])
      try checkStore()
    }

    @Test func `it is taken up once, by the attribute that it is for`() throws {
      try upload("a", "text")
      let image = #"{"entity":"Photo","columns":["name","image"],"rows":[["A",{"$upload":"a"}]]}"#
      #expect(try call("insert", image)["err"]?["code"]?.string == "notfound.staged")
      #expect(try insert(#"["A",{"$upload":"a"}]"#)["ok"] != nil)
      #expect(try insert(#"["B",{"$upload":"a"}]"#)["err"]?["code"]?.string == "notfound.staged")
      #expect(try texts() == ["A": "text"])
    }

    @Test func `a later row of the request can't take it for another attribute`() throws {
      try upload("a", "text")
      let rows = #"["A",{"$upload":"a"},null],["B",null,{"$upload":"a"}]"#
      let request = #"{"entity":"Photo","columns":["name","text","image"],"rows":[\#(rows)]}"#
      #expect(try call("insert", request)["err"]?["code"]?.string == "notfound.staged")
      #expect(try texts() == [:])
    }

    @Test(arguments: [
      ("blob.write", #"{"entity":"Photo","attribute":"text","data":"x"}"#, "request.usage"),
      (
        "blob.write",
        #"{"entity":"Photo","attribute":"text","data":"x","upload":"u","final":true}"#,
        "request.usage"
      ),
      (
        "blob.write", #"{"entity":"Photo","attribute":"name","data":"x","upload":"u"}"#,
        "limit.value_bytes"
      ),
      (
        "update", #"{"entity":"Photo","where":"id > 0","set":{"name":{"$upload":"a"}}}"#,
        "request.type"
      ),
      (
        "update",
        #"{"entity":"Photo","ids":[1],"set":{"text":{"$upload":"a"}},"chunk":10}"#,
        "request.usage"
      ),
    ])
    func `calls that can't be meant are refused`(
      _ name: String,
      _ arguments: String,
      _ code: String
    ) throws {
      #expect(try insert(#"["A","x"]"#)["ok"] != nil)
      try upload("a", "text")
      let answer = try call(
        name,
        arguments.replacingOccurrences(of: "id > 0", with: "name == \\\"A\\\"")
      )
      #expect(answer["err"]?["code"]?.string == code, "\(answer)")
      #expect(try texts() == ["A": "x"])
    }

    @Test func `records have values of any size`() async throws {
      let image = Data(repeating: 0xA7, count: 9 << 20)
      let blocking = try BlockingConnection(socket: SocketPath(daemon.socket))
      let client = try await Client(socket: SocketPath(daemon.socket))
      let first = try blocking.insert([Film(name: "a", image: image)])[0]
      let second = try await client.insert([Film(name: "b", image: image)])[0]
      var save = Save()
      save.insert(Film(name: "c", image: image))
      try save.update(first, set: [.set(\.image, to: .value(Data([1])))])
      save.update(second, to: Film(name: "d", image: image + [1]))
      try await client.save(save)
      #expect(try blocking.load(\Film.image, of: first) == Data([1]))
      #expect(try blocking.load(\Film.image, of: second) == image + [1])
      let found = try blocking.fetch(Film.self, sortBy: [SortDescriptor(\.name)])
      #expect(found.map(\.name) == ["a", "c", "d"])
      #expect(found.map { $0.image?.length } == [1, 9 << 20, 9 << 20 + 1])
    }

    struct Film: Record {
      var name: String
      var image: LargeValue<Data>?

      static let entity = "Photo"
      static let attributes: RecordAttributes<Film> = [
        .init(\.name, "name"), .init(\.image, "image"),
      ]

      init(name: String, image: Data) {
        self.name = name
        self.image = .value(image)
      }

      init(from row: inout RowReader) throws(DepotError) {
        name = try row.next()
        image = try row.next()
      }

      func write(to row: inout RowWriter) {
        row.append(name)
        row.append(image)
      }
    }

    /// Ends the service, and checks that its store has no value that no row refers to.
    private func checkStore() throws {
      #expect(try daemon.terminate() == 0)
      let check = try Program.run([Programs.daemon, "--check", "--store", daemon.store])
      #expect(check.status == 0, "\(check.output)\(check.errors)")
    }
  }
}
