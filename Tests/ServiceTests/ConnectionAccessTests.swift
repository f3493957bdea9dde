import DepotClient
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Connections that are for less than their user may do.
  @Suite(.serialized) struct ConnectionAccessTests {
    /// The operations with the arguments of their documented examples.
    private static func operations() throws -> [(name: String, arguments: String)] {
      let path = Programs.root + "/proto-docs/protocol.json"
      let document = try JSONValue(parsing: Data(contentsOf: URL(filePath: path)))
      return try #require(document["operations"]?.array).map { entry in
        try (#require(entry["name"]?.string), #require(entry["example"]?["args"]).text)
      }
    }

    @Test func `a connection for reading changes nothing, whatever it asks for`() throws {
      let daemon = try TestDaemon()
      let connection = try LineConnection(daemon.socket, access: "read")
      var refused: Set<String> = []
      for (name, arguments) in try Self.operations() where name != "watch" && name != "backup" {
        let code = try connection.call(name, arguments).error?["code"]?.string
        if code == "permission.op" { refused.insert(name) }
      }
      let changing = Operation.declarations.filter { $0.privilege != .read && $0.name != "backup" }
      // A container that isn't open would be made.
      #expect(refused == Set(changing.map(\.name)).union(["container.open"]))
      #expect(daemon.process.isRunning)
      #expect(try connection.call("count", #"{"entity":"Item"}"#).error == nil)
      // A store in a database has no file to copy.
      #expect(try connection.call("backup").error?["code"]?.string != "permission.op")
    }

    @Test func `a connection for writing leaves to the owner what is the owner's`() throws {
      let daemon = try TestDaemon()
      let connection = try LineConnection(daemon.socket, access: "write")
      try connection.demand("insert", #"{"entity":"Item","columns":["name"],"rows":[["a"]]}"#)
      for name in ["shutdown", "compact"] {
        #expect(try connection.call(name).error?["code"]?.string == "permission.op")
      }
      // The page of a browser must name no path.
      let store = #"{"name":"x","stores":[{"name":"s","path":"\#(daemon.folder.path)/other"}]}"#
      let answer = try connection.call("container.open", store)
      #expect(answer.error?["code"]?.string == "permission.op")
      #expect(!FileManager.default.fileExists(atPath: daemon.folder.path + "/other"))
      // A store in a database has no file to copy.
      #expect(try connection.call("backup").error?["code"]?.string != "permission.op")
    }

    @Test func `a connection for everything is as one that says nothing`() throws {
      let daemon = try TestDaemon()
      let connection = try LineConnection(daemon.socket, access: "owner")
      let answer = try connection.call("connection.close", #"{"connection":999999}"#)
      #expect(answer.error?["code"]?.string == "notfound.connection")
      let roles = try ["read", "write", "owner"].map { access in
        let connection = try LineConnection(daemon.socket, access: access)
        let clients = try connection.demand("stats").result?["connections"]?["list"]?.array
        return clients?.last?["role"]?.string
      }
      #expect(roles == ["reader", "writer", "owner"])
    }

    @Test func `clients of both kinds ask for less than their user may`() async throws {
      let daemon = try TestDaemon()
      let insert = InsertRequest([Item(name: "a")])
      let reader = try BlockingConnection(socket: SocketPath(daemon.socket), access: .read)
      #expect(throws: DepotError.self) { _ = try reader.insert(insert) }
      for access in ConnectionAccess.allCases {
        let client = try await Client(
          socket: SocketPath(daemon.socket),
          options: ClientOptions(access: access)
        )
        let codes = await [
          Self.code { _ = try await client.count(CountRequest(entity: "Item")) },
          Self.code { _ = try await client.insert(insert) },
          Self.code { try await client.close(connection: 999_999) },
        ]
        let isRefused = codes.map { $0 == .operation }
        switch access {
        case .read: #expect(isRefused == [false, true, true])
        case .write: #expect(isRefused == [false, false, true])
        case .owner: #expect(isRefused == [false, false, false])
        }
        client.close()
      }
    }

    /// Returns the code of a failure; `nil` without one.
    private static func code(_ body: () async throws -> Void) async -> DepotError.Code? {
      do {
        try await body()
        return nil
      } catch {
        return (error as? DepotError)?.code
      }
    }

    @Test func `access can't be widened by another hello`() throws {
      let daemon = try TestDaemon()
      let connection = try LineConnection(daemon.socket, access: "read")
      try connection.send(#"{"hello":{"protocol":[1,1]}}"#)
      #expect(try connection.receive()["err"]?["code"]?.string == "protocol.hello")
      #expect(throws: DepotError.self) { try connection.receive() }
    }
  }
}
