import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Values of any size, through real processes.
  @Suite(.serialized) struct BlobServiceTests {
    private let daemon: TestDaemon

    private static let schema = """
      {"entities":[{"name":"Photo","attributes":[{"name":"name","type":"string","optional":true},\
      {"name":"image","type":"data","optional":true,"externalStorage":true},\
      {"name":"text","type":"string","optional":true,"externalStorage":true}]}]}
      """

    init() throws {
      daemon = try TestDaemon(schema: Self.schema)
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "insert", #"{"entity":"Photo","columns":["name"],"rows":[["a"]]}"#)
      #expect(try connection.receive()["ok"] != nil)
    }

    private static let request = BlobReadRequest(entity: "Photo", identifier: 1, attribute: "image")

    private static let pattern = (0..<65_536 + 1024).map { UInt8(truncatingIfNeeded: $0 * $0 >> 8) }

    /// The piece at a place of a value that is never held as a whole.
    private static func piece(_ index: Int) -> [UInt8] {
      Array(pattern[index..<index + 65_536])
    }

    @Test func `a large value passes through both sides bit by bit`() async throws {
      let pieces = 640
      let connection = try BlockingConnection(socket: SocketPath(daemon.socket))
      let length = pieces * 65_536
      func write(_ count: Int) throws {
        let pieces = (0..<count).lazy.map(Self.piece)
        #expect(try connection.writeBlob("Photo", 1, "image", from: pieces) == count * 65_536)
      }
      try write(64)
      let small = try daemon.status("VmHWM")
      // It replaces the first.
      try write(pieces)
      var (count, wrong) = (0, 0)
      let total = try connection.readBlob(Self.request) { bytes in
        if bytes != Self.piece(count) { wrong += 1 }
        count += 1
      }
      #expect(wrong == 0)
      #expect(total == length)
      #expect(count == pieces)
      let client = try await Client(socket: SocketPath(daemon.socket))
      var received = 0
      for try await bytes in client.readBlob(Self.request) { received += bytes.count }
      #expect(received == length)
      #expect(try daemon.status("VmHWM") - small < 32 << 10, "KiB")
    }

    @Test func `the command line needs no room for a large value`() throws {
      let file = daemon.folder.path + "/large"
      let (copy, limit) = (daemon.folder.path + "/copy", "--data=\(40 << 20)")
      _ = FileManager.default.createFile(atPath: file, contents: nil)
      let handle = try FileHandle(forWritingTo: URL(filePath: file))
      for index in 0..<768 { try handle.write(contentsOf: Data(Self.piece(index))) }
      try handle.close()
      let depot = ["prlimit", limit, Programs.depot, "--socket", daemon.socket]
      let put = try Program.run(depot + ["blob", "put", "Photo/1", "image", file])
      #expect(put.status == 0, "\(put.errors)")
      let get = try Program.run(
        ["sh", "-c", "exec \"$@\" > \(copy)", "sh"] + depot + ["blob", "get", "Photo/1", "image"]
      )
      #expect(get.status == 0, "\(get.errors)")
      #expect(FileManager.default.contentsEqual(atPath: file, andPath: copy))
    }

    @Test func `what a client didn't finish goes with its connection`() throws {
      var first: RawConnection? = try RawConnection(daemon.socket)
      try first?.call(
        1,
        "blob.write",
        #"{"entity":"Photo","id":1,"attribute":"text","data":"abc","upload":"u"}"#
      )
      #expect(try first?.receive()["ok"]?["length"]?.int64 == 3)
      first = nil
      let second = try RawConnection(daemon.socket)
      try second.call(
        1,
        "blob.write",
        #"{"entity":"Photo","id":1,"attribute":"text","data":"d","upload":"u","final":true}"#
      )
      #expect(try second.receive()["ok"]?["length"]?.int64 == 1)
      #expect(try daemon.terminate() == 0)
      let check = try Program.run([Programs.daemon, "--check", "--store", daemon.store])
      #expect(check.status == 0, "\(check.output)\(check.errors)")
    }

    @Test func `the command line puts files and gets them`() throws {
      let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let file = daemon.folder.path + "/in"
      try Data(bytes).write(to: URL(filePath: file))
      let put = try depot(["blob", "put", "Photo/1", "image", file])
      #expect(put.status == 0, "\(put.errors)")
      let get = try depot(["blob", "get", "Photo/1", "image", "--range", "70000-70009"])
      #expect(get.status == 0, "\(get.errors)")
      #expect(get.bytes == Array(bytes[70_000...70_009]))
      #expect(try depot(["blob", "get", "Photo/1", "image"]).bytes == bytes)
      let text = String(repeating: "ä€🎉", count: 60_000)
      try Data(text.utf8).write(to: URL(filePath: file))
      #expect(try depot(["blob", "put", "Photo/1", "text", file]).status == 0)
      #expect(try depot(["blob", "get", "Photo/1", "text"]).bytes == Array(text.utf8))
      try Data([0x61, 0xFF]).write(to: URL(filePath: file))
      #expect(try depot(["blob", "put", "Photo/1", "text", file]).status != 0)
      #expect(try depot(["blob", "get", "Photo/1", "text"]).bytes.count == text.utf8.count)
      #expect(try depot(["blob", "get", "Photo/1", "text", "--range", "5"]).status != 0)
    }

    private func depot(_ arguments: [String]) throws -> Outcome {
      try Program.run([Programs.depot] + arguments + ["--socket", daemon.socket])
    }
  }
}
