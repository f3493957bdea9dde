import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Texts and data of any size in attributes without external storage, through real processes.
  @Suite(.serialized) struct LargeOrdinaryValueTests {
    private let daemon: TestDaemon

    private static let schema = """
      {"entities":[{"name":"Note","attributes":[{"name":"name","type":"string","unique":true},\
      {"name":"body","type":"string","default":""},\
      {"name":"image","type":"data","optional":true}]},\
      {"name":"Photo","attributes":[{"name":"image","type":"data","optional":true,\
      "externalStorage":true}]}]}
      """

    init() throws {
      daemon = try TestDaemon(schema: Self.schema)
      let rows = #"{"entity":"Note","columns":["name","body"],"rows":[["a","one"],["b","two"]]}"#
      _ = try Self.call("insert", rows, over: RawConnection(daemon.socket))
    }

    @discardableResult
    private static func call(
      _ name: String,
      _ arguments: String,
      over connection: RawConnection
    ) throws -> JSONValue {
      try connection.call(1, name, arguments)
      let answer = try connection.receive()
      #expect(answer["ok"] != nil, "\(answer)")
      return answer
    }

    private static let piece = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 * $0 >> 8) }

    private func store(_ pieces: Int) throws {
      let connection = try daemon.connect()
      let bytes = (0..<pieces).lazy.map { _ in Self.piece }
      #expect(try connection.writeBlob("Note", 1, "image", from: bytes) == pieces * 65_536)
    }

    private func isWhole(_ pieces: Int) throws -> Bool {
      let request = BlobReadRequest(entity: "Note", identifier: 1, attribute: "image")
      var wrong = 0
      let length = try daemon.connect().readBlob(request) { if $0 != Self.piece { wrong += 1 } }
      return wrong == 0 && length == pieces * 65_536
    }

    private func check(_ store: String) throws {
      let check = try Program.run([Programs.daemon, "--check", "--store", store])
      #expect(check.status == 0, "\(check.output)\(check.errors)")
    }

    @Test func `the service needs no room for a value, whatever its size`() throws {
      try store(160)
      #expect(try isWhole(160))
      let small = try daemon.status("VmHWM")
      try store(640)
      #expect(try isWhole(640))
      #expect(try daemon.status("VmHWM") - small < 32 << 10, "KiB")
      #expect(try daemon.terminate() == 0)
      try check(daemon.store)
    }

    struct Note: Record {
      var name: String
      var body: String

      static let entity = "Note"
      static let attributes: RecordAttributes<Note> = [
        .init(\.name, "name"), .init(\.body, "body"),
      ]

      init(name: String, body: String) { (self.name, self.body) = (name, body) }

      init(from row: inout RowReader) throws(DepotError) {
        name = try row.next()
        body = try row.next()
      }

      func write(to row: inout RowWriter) {
        row.append(name)
        row.append(body)
      }
    }

    @Test func `a watch goes on while the first large value comes`() async throws {
      let client = try await Client(socket: SocketPath(daemon.socket))
      let twos = #Predicate<Note> { $0.body == "two" }
      var counts = client.watchCount(Note.self, where: twos).makeAsyncIterator()
      #expect(try await counts.next()?.value == 1)
      let writer = try await Client(socket: SocketPath(daemon.socket))
      let body = String(repeating: "x", count: 9 << 20)
      try await writer.insert([Note(name: "c", body: body)])
      try await writer.insert([Note(name: "d", body: "two")])
      #expect(try await counts.next()?.value == 2)
      try await writer.update(
        Note.self,
        where: #Predicate { $0.body.contains("xxx") },
        set: [.set(\.body, to: "two")]
      )
      #expect(try await counts.next()?.value == 3)
    }

    @Test func `a service that is killed loses nothing that was stored`() throws {
      try store(160)
      let connection = try RawConnection(daemon.socket)
      try Self.call(
        "blob.write",
        #"{"entity":"Note","attribute":"body","data":"unfinished","upload":"u"}"#,
        over: connection
      )
      daemon.kill()
      try check(daemon.store)
      try daemon.start()
      #expect(try isWhole(160))
      #expect(try daemon.terminate() == 0)
      try check(daemon.store)
    }

    @Test func `an index beside an upload costs neither a value nor the store`() throws {
      let uploading = try RawConnection(daemon.socket)
      let upload = #""entity":"Note","attribute":"body","data":"part","upload":"u""#
      try Self.call("blob.write", "{\(upload)}", over: uploading)
      let schema = Self.schema.replacingOccurrences(
        of: #""default":"""#,
        with: #""default":"","indexed":true"#
      )
      let other = try RawConnection(daemon.socket)
      try Self.call("schema.define", #"{"schema":\#(schema)}"#, over: other)
      try uploading.call(2, "blob.write", "{\(upload),\"offset\":4}")
      #expect(try uploading.receive()["err"]?["code"] == .string("limit.value_bytes"))
      try store(160)
      daemon.kill()
      try daemon.start()
      #expect(try isWhole(160))
      #expect(try daemon.terminate() == 0)
      try check(daemon.store)
    }

    @Test func `a backup has them, and an export says that it can't`() throws {
      try store(160)
      let (folder, file) = (daemon.folder.path, daemon.folder.path + "/backup.sqlite")
      #expect(try daemon.depot(["backup", file]).status == 0)
      let restored = try daemon.depot(["restore", file, "--data", folder + "/elsewhere"])
      #expect(restored.status == 0, "\(restored.errors)")
      try check(folder + "/elsewhere/depot.sqlite")
      let export = try daemon.depot(["export", "Note"])
      #expect(export.status != 0)
      let reason = "image of Note/1 is too large for an export"
      #expect(export.errors.contains(reason), "\(export.errors)")
      for verb in [["get", "Note/1"], ["fetch", "Note"]] {
        let rows = try daemon.depot(verb + ["-o", "csv"])
        #expect(rows.status == 0)
        #expect(rows.output.contains(#"{""$length"":10485760}"#))
        #expect(rows.errors.contains("1 value outside of the rows"), "\(rows.errors)")
      }
      let all = try daemon.depot(["export", "--all", folder + "/all"])
      #expect(all.status != 0)
      #expect(all.errors.contains(reason), "\(all.errors)")
    }
  }
}
