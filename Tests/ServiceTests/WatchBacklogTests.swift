import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Watches that have more to hear than they take.
  @Suite(.serialized) struct WatchBacklogTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon(["--drain-ms", "1000"])
    }

    @Test func `a stop drops what watches weren't told, and waits for none of them`() throws {
      let writer = try daemon.connect()
      try writer.fill(200, textBytes: 1000)
      let watches = try (0..<4).flatMap { number in
        let connection = try RawConnection(daemon.socket)
        for id in 1...50 {
          let subject = number % 2 == 0 ? "fetch" : "count"
          try connection.call(id, "watch", #"{"\#(subject)":{"entity":"Item"}}"#)
        }
        return [connection]
      }
      try expectSoon("not all watch") { try daemon.watches()["current"]?.int64 == 200 }
      for round in 0..<20 {
        try writer.update(
          Item.self,
          where: #Predicate { $0.n >= 0 },
          set: [.set(\.text, to: String(repeating: "\(round)", count: 1000))]
        )
      }
      #expect(try daemon.terminate() == 0)
      for connection in watches {
        // The end of what it was sent is that of the connection.
        let frames = try connection.receiveAll()
        #expect(!frames.isEmpty)
      }
    }

    @Test func `how late watches are told is a metric`() throws {
      let writer = try daemon.connect()
      let watch = try RawConnection(daemon.socket)
      try watch.call(1, "watch", #"{"count":{"entity":"Item"}}"#)
      while try watch.receive()["kind"]?.string != "live" {}
      let before = try daemon.watches()
      #expect(before["told"]?.int64 == 0)
      try writer.insert([Item(name: "a")])
      #expect(try watch.receive()["kind"]?.string == "change")
      try expectSoon("it isn't counted") { try daemon.watches()["told"]?.int64 == 1 }
      let watches = try daemon.watches()
      let late = try #require(watches["lateSeconds"]?.double)
      #expect(late > 0)
      #expect(watches["longestLateSeconds"]?.double == late)
      let metrics = try daemon.depot(["stats", "--prometheus"]).output
      let labels = #"{container="default",store="main"}"#
      #expect(metrics.contains("depot_store_watches_told_total\(labels) 1\n"))
      for name in ["late_seconds", "longest_late_seconds"] {
        #expect(metrics.contains("depot_store_watches_\(name)\(labels) "), "\(name)")
      }
    }
  }
}

extension TestDaemon {
  /// The counts of the watches of its store.
  fileprivate func watches() throws -> JSONValue {
    try #require(try stats()["store", "watches"])
  }
}
