import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import Testing

extension ServiceTests {
  /// Queries that are watched over a connection.
  @Suite(.serialized) struct WatchServiceTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon()
      try daemon.connect().fill(3)
    }

    private static let fetch = #"{"fetch":{"entity":"Item","select":["name"]}}"#

    @Test func `changes by others come over the connection`() throws {
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "watch", Self.fetch)
      #expect(try connection.receive()["kind"]?.string == "snapshot")
      #expect(try connection.receive()["kind"]?.string == "live")
      let other = try RawConnection(daemon.socket)
      try other.call(1, "update", #"{"entity":"Item","ids":[2],"set":{"name":"other"}}"#)
      let change = try connection.receive()
      #expect(change["kind"]?.string == "change")
      #expect(change["changes"]?.array?.first?["at"]?.int64 == 1)
    }

    @Test func `only as many frames come as the client has asked for`() throws {
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "watch", Self.fetch, #","credit":1"#)
      #expect(try connection.receive()["kind"]?.string == "snapshot")
      try connection.call(2, "ping")
      #expect(try connection.receive()["id"]?.int64 == 2)
      try connection.send(#"{"id":1,"more":1}"#)
      #expect(try connection.receive()["kind"]?.string == "live")
      for name in ["a", "b"] {
        try connection.call(
          name == "a" ? 3 : 4,
          "update",
          #"{"entity":"Item","ids":[1],"set":{"name":"\#(name)"}}"#
        )
        #expect(try connection.receive()["ok"] != nil)
      }
      try connection.send(#"{"id":1,"more":1}"#)
      let change = try connection.receive()
      #expect(change["next"]?.array?.first?.array?.last?.string == "b")
    }

    @Test func `watches don't count as calls in flight, and there is a limit`() throws {
      let connection = try RawConnection(daemon.socket)
      for id in 1...Limits.watches {
        try connection.call(id, "watch", #"{"count":{"entity":"Item"}}"#)
      }
      for _ in 1...2 * Limits.watches { #expect(try connection.receive()["kind"] != nil) }
      try connection.call(Limits.watches + 1, "watch", #"{"count":{"entity":"Item"}}"#)
      #expect(try connection.receive()["err"]?["code"]?.string == "limit.watches")
      try connection.call(Limits.watches + 2, "ping")
      #expect(try connection.receive()["ok"] != nil)
    }

    @Test func `a bookmark comes when nothing else does`() throws {
      let connection = try RawConnection(daemon.socket)
      try connection.call(
        1,
        "watch",
        #"{"fetch":{"entity":"Item","where":"n < 0"},"bookmarkMs":100}"#
      )
      for kind in ["snapshot", "live", "mark", "mark"] {
        #expect(try connection.receive()["kind"]?.string == kind)
      }
    }

    @Test func `a service that stops ends its watches`() throws {
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "watch", Self.fetch)
      for _ in 1...2 { _ = try connection.receive() }
      let other = try RawConnection(daemon.socket)
      try other.call(1, "shutdown")
      let frames = try connection.receiveAll()
      #expect(frames.contains { $0["err"]?["code"]?.string == "unavailable.draining" })
    }
  }
}
