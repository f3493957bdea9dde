import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The connections to a service, as its operator sees them.
  @Suite(.serialized) struct ClientsTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon()
    }

    private func clients() throws -> [JSONValue] {
      let outcome = try daemon.depot(["clients", "-o", "json"])
      #expect(outcome.status == 0, "\(outcome.errors)")
      return try JSONValue(parsing: outcome.bytes).array ?? []
    }

    @Test func `stats tell the calls that wait for the writer, and behind whom`() throws {
      let (busy, other) = (try RawConnection(daemon.socket), try RawConnection(daemon.socket))
      let names = (0..<3000).map { "[\"\($0)\"]" }.joined(separator: ",")
      let rows = #"{"entity":"Item","columns":["name"],"rows":[\#(names)]}"#
      for id in 1...40 { try busy.call(id, "insert", rows) }
      let observer = try RawConnection(daemon.socket)
      try other.call(1, "insert", #"{"entity":"Item","columns":["name"],"rows":[["a"]]}"#)
      var number = 0
      try expectSoon("no call waits") {
        number += 1
        try observer.call(number, "stats")
        let writer = try observer.receive()["ok", "store", "writer"]
        guard let running = writer?["running"]?.array?.first,
          let waiting = writer?["queue"]?.array?.first
        else { return false }
        #expect(running["op"]?.string == "insert")
        #expect(running["entity"]?.string == "Item")
        #expect(running["connection"]?.int64 != nil)
        #expect((waiting["seconds"]?.double ?? -1) >= 0)
        #expect((writer?["waiting"]?.int64 ?? 0) >= 1)
        return true
      }
    }

    @Test func `clients are listed with their users, programs, and running calls`() throws {
      #expect(try clients().isEmpty)
      let none = try daemon.depot(["clients", "-o", "table"])
      #expect(none.errors == "No other client is connected.\n")
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "watch", #"{"count":{"entity":"Item"}}"#)
      _ = try connection.receive()
      let client = try #require(try clients().first)
      #expect(client["uid"]?.int64 == Int64(DepotLinux.Process.user))
      #expect(client["user"]?.string == UserDatabase.name(ofUser: DepotLinux.Process.user))
      #expect(client["pid"]?.int64 == Int64(DepotLinux.Process.identifier))
      #expect(client["role"]?.string == "owner")
      #expect(client["since"]?.string?.hasSuffix("Z") == true)
      let call = try #require(client["calls"]?.array?.first)
      #expect(call["op"]?.string == "watch")
      #expect(call["seconds"]?.double != nil)
      let table = try daemon.depot(["clients", "-o", "table"])
      #expect(table.output.contains("watch"), "\(table.output)")
      #expect(table.output.contains("(\(DepotLinux.Process.identifier))"))
    }

    @Test func `the owner ends a connection, which is told why`() throws {
      let connection = try RawConnection(daemon.socket)
      let number = try #require(try clients().first?["connection"]?.int64)
      let outcome = try daemon.depot(["clients", "end", "\(number)"])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try connection.receive().errorCode == "unavailable.ended")
      try expectSoon("still there") { try clients().isEmpty }
      let again = try daemon.depot(["clients", "end", "\(number)"])
      #expect(again.status == 1)
      #expect(again.errors.contains("depot clients"), "\(again.errors)")
    }

    @Test func `a read whose connection was ended leaves nothing in doubt`() throws {
      let watch = try Program([
        Programs.depot, "--socket", daemon.socket, "--no-start", "watch", "Item", "-o", "ndjson",
      ])
      try expectSoon("no watch") { watch.output.contains("snapshot") }
      let number = try #require(try clients().first?["connection"]?.int64)
      #expect(try daemon.depot(["clients", "end", "\(number)"]).status == 0)
      let outcome = try watch.wait()
      #expect(outcome.errors.contains("unavailable.ended"))
      #expect(!outcome.errors.contains("Nobody knows"), "\(outcome.errors)")
    }

    @Test func `a client that reconnects goes on after its connection was ended`() async throws {
      let client = try await Client(socket: SocketPath(daemon.socket))
      try await client.ping()
      let number = try #require(try clients().first?["connection"]?.int64)
      #expect(try daemon.depot(["clients", "end", "\(number)"]).status == 0)
      try await expectSoon("not again") { (try? await client.ping()) != nil }
      // Its connection is another one.
      let numbers = try clients().map { $0["connection"]?.int64 }
      #expect(numbers.count == 1 && numbers != [number], "\(numbers)")
      client.close()
    }

    @Test(arguments: [["clients", "end"], ["clients", "end", "x"], ["clients", "start"]])
    func `what isn't understood is wrong usage`(arguments: [String]) throws {
      #expect(try daemon.depot(arguments).status == 64)
    }

    @Test func `every metric is explained, and calls have histograms that add up`() throws {
      try daemon.connect().fill(10)
      let file = daemon.folder.path + "/depot.prom"
      let outcome = try daemon.depot(["stats", "--prometheus", "--to", file])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.isEmpty)
      let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      for (index, line) in lines.enumerated() where line.hasPrefix("# TYPE ") {
        let name = line.split(separator: " ")[2]
        #expect(index > 0 && lines[index - 1].hasPrefix("# HELP \(name) "), "\(line)")
      }
      func number(_ metric: String) -> Int? {
        lines.first { $0.hasPrefix(metric + " ") }.flatMap { Int($0.dropFirst(metric.count + 1)) }
      }
      let count = try #require(number(#"depot_calls_total{op="insert"}"#))
      #expect(count > 0)
      #expect(number(#"depot_call_seconds_bucket{op="insert",le="+Inf"}"#) == count)
      #expect(number(#"depot_call_seconds_count{op="insert"}"#) == count)
      let labels = #"{container="default",store="main"}"#
      let size = number("depot_store_file_bytes" + labels) ?? 0
      #expect(Programs.keepStoresInCluster ? size > 0 : size == FileSystem.size(of: daemon.store))
      #expect(number("depot_store_free_disk_bytes" + labels) ?? 0 > 0)
      let left = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)
      #expect(!left.contains { $0.hasPrefix("depot.prom.") })
      let wrong = try daemon.depot([
        "stats", "--prometheus", "--to", daemon.folder.path + "/no/depot.prom",
      ])
      #expect(wrong.status == 66)
      // Root could put a file in the place of a device.
      let pipe = daemon.folder.path + "/pipe"
      #expect(mkfifo(pipe, 0o600) == 0)
      #expect(try daemon.depot(["stats", "--prometheus", "--to", pipe]).status == 64)
    }
  }
}
