import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Clients that do what they shouldn't, and the others beside them.
  @Suite(.serialized) struct HostileTests {
    @Test func `a client that never finishes hello is told and closed after five seconds`() throws {
      let daemon = try TestDaemon()
      let before = try daemon.descriptorCount()
      let clock = ContinuousClock()
      let start = clock.now
      let slow = try (0..<20).map { index in
        let connection = try RawConnection(daemon.socket, hello: false)
        let half = RawConnection.frame(#"{"hello":{"protocol":[1,1]}}"#).prefix(index)
        if !half.isEmpty { try connection.send(bytes: Array(half)) }
        return connection
      }
      let other = try daemon.connect()
      for _ in 0..<100 { try other.ping() }
      #expect(try daemon.descriptorCount() >= before + slow.count, "it waits for the others")
      for (index, connection) in slow.enumerated() where index > 0 {
        let frames = try connection.receiveAll()
        #expect(frames.first?.errorCode == "protocol.hello", "after \(index) bytes")
      }
      let line = try Self.text(of: slow[0].descriptor)
      #expect(line.hasPrefix(#"{"err":{"code":"protocol.hello","#), "\(line)")
      #expect(line.hasSuffix("}}\n"), "\(line)")
      #expect(clock.now - start >= .seconds(5))
      try expectSoon("descriptors stay open") { try daemon.descriptorCount() <= before + 1 }
    }

    @Test func `a frame that isn't finished closes its connection when the time has passed`() throws
    {
      let daemon = try TestDaemon(["--stall-ms", "300"])
      let slow = try RawConnection(daemon.socket)
      try slow.send(bytes: [0, 0, 1, 0, 0x7B])
      #expect(try slow.receiveAll().map(\.errorCode) == ["protocol.frame"])
    }

    @Test func `one connection more than allowed is told so, and let in when another has gone`()
      throws
    {
      let daemon = try TestDaemon(["--max-connections", "3"])
      var connections = try (0..<3).map { _ in try RawConnection(daemon.socket) }
      let error = #expect(throws: DepotError.self) { try daemon.connect() }
      #expect(error?.code == .tooManyConnections)
      connections.removeLast()
      try expectSoon("nobody is let in") { (try? daemon.connect()) != nil }
      _ = connections
    }

    @Test func `a client that goes on sending reads the error and then the end, not a reset`()
      throws
    {
      let daemon = try TestDaemon()
      let descriptor = try UnixSocket.connect(path: daemon.socket)
      let text = Array("GET / HTTP/1.1\r\n".utf8) + [UInt8](repeating: 0x20, count: 100_000)
      _ = try text.withUnsafeBytes { try descriptor.send($0) }
      DepotLinux.Process.sleep(milliseconds: 50)
      _ = try text.withUnsafeBytes { try descriptor.send($0) }
      #expect(try Self.text(of: descriptor).contains("protocol.frame"))
    }

    /// Returns all that the service sends until it closes.
    private static func text(of descriptor: Descriptor) throws -> String {
      var received: [UInt8] = []
      try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
        while true {
          let count = try descriptor.read(into: buffer)
          if count == 0 { return }
          received += Array(buffer[..<count])
        }
      }
      return String(decoding: received, as: UTF8.self)
    }

    @Test func `without descriptors the service serves who is there and doesn't spin`() throws {
      let daemon = try TestDaemon(prefix: ["prlimit", "--nofile=40"])
      let first = try daemon.connect()
      try first.fill(100)
      var others = try (0..<60).map { _ in try RawConnection(daemon.socket, hello: false) }
      try expectSoon("it isn't out of descriptors") { daemon.log.contains("not accepting") }
      let ticks = try daemon.processorTicks()
      for _ in 0..<20 {
        #expect(try first.count(Item.self) == 100)
        DepotLinux.Process.sleep(milliseconds: 50)
      }
      #expect(try daemon.processorTicks() - ticks < 30, "it spins")
      others.removeAll()
      try expectSoon("nobody is let in") { (try? daemon.connect()) != nil }
    }

    @Test func `clients are let in as soon as there are descriptors again, and it is logged once`()
      throws
    {
      let daemon = try TestDaemon()
      func limit(_ number: String) throws {
        let limit = ["prlimit", "--pid", "\(daemon.identifier)", "--nofile=\(number):1024"]
        #expect(try Program.run(limit).status == 0)
      }
      try limit("8")
      // Nobody is connected, so that nothing of the service's own becomes free.
      let waiting = try RawConnection(daemon.socket, hello: false)
      try expectSoon("it isn't out of descriptors") { daemon.log.contains("not accepting") }
      let ticks = try daemon.processorTicks()
      DepotLinux.Process.sleep(milliseconds: 1000)
      #expect(try daemon.processorTicks() - ticks < 10, "it spins")
      try limit("1024")
      try expectSoon("nobody is let in") {
        daemon.log.contains("accepting again")
      }
      _ = try RawConnection(daemon.socket)
      #expect(daemon.log.split(separator: "\n").count { $0.contains("not accepting") } == 1)
      withExtendedLifetime(waiting) {}
    }

    @Test func `a frame of sixteen mebibytes of small objects costs bounded memory`() throws {
      let daemon = try TestDaemon()
      let connection = try RawConnection(daemon.socket)
      let before = try daemon.status("VmHWM")
      let head = #"{"id":1,"call":"ping","args":{"x":["#
      let count = (Limits.frameBytes - head.utf8.count - 3) / 3
      let body = String(repeating: "{},", count: count - 1) + "{}"
      try connection.send(head + body + "]}}")
      let answer = try connection.receive()
      #expect(answer.errorCode == "limit.values", "\(answer.text)")
      #expect(try daemon.status("VmHWM") - before < 96 << 10, "KiB")
    }

    @Test func `ten thousand calls sent at once are all answered, each once`() throws {
      let daemon = try TestDaemon()
      let connection = try RawConnection(daemon.socket)
      let total = 10_000
      let socket = connection
      let bytes = (1...total).flatMap {
        RawConnection.frame(#"{"id":\#($0),"call":"ping","args":{}}"#)
      }
      try socket.send(bytes: bytes)
      var seen: Set<Int64> = []
      for _ in 0..<total {
        let frame = try connection.receive()
        #expect(frame["ok"] != nil)
        seen.insert(try #require(frame["id"]?.int64))
      }
      #expect(seen.count == total)
    }

    @Test func `writes sent far beyond the limit are stored or refused, and said to be which`()
      throws
    {
      let daemon = try TestDaemon()
      let connection = try RawConnection(daemon.socket)
      let total = 1000
      let bytes = (1...total).flatMap { id in
        RawConnection.frame(
          #"{"id":\#(id),"call":"insert","args":{"entity":"Item","columns":["name"],"rows":[["\#(id)"]]}}"#
        )
      }
      try connection.send(bytes: bytes)
      var stored: Set<String> = []
      for _ in 0..<total {
        let frame = try connection.receive()
        if frame["ok"] != nil {
          stored.insert("\(frame["id"]?.int64 ?? 0)")
        } else {
          #expect(frame.errorCode == "limit.in_flight")
        }
      }
      let names = try daemon.connect().fetch(Item.self).map(\.name)
      #expect(Set(names) == stored)
      #expect(stored.count >= Limits.inFlight)
    }

    @Test(
      arguments: [
        [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [0, 0, 0, 2, 0x5B, 0x5D], [0, 0, 0, 1, 0x7B],
      ] as [[UInt8]]
    )
    func `bytes without sense after hello close the connection with a reason`(bytes: [UInt8]) throws
    {
      let daemon = try TestDaemon()
      let other = try daemon.connect()
      let connection = try RawConnection(daemon.socket)
      try connection.send(bytes: bytes)
      let frames = try connection.receiveAll()
      #expect(frames.count == 1)
      #expect(frames.first?.errorCode != nil)
      try other.ping()
    }

    @Test(arguments: [10, 40, 90, 160, 250])
    func `a client that closes its side behind many calls is told the end`(count: Int) throws {
      let daemon = try TestDaemon()
      try daemon.connect().fill(4000)
      for round in 0..<8 {
        let connection = try RawConnection(daemon.socket)
        let bytes = (1...count + round).flatMap { id in
          RawConnection.frame(
            #"{"id":\#(id),"call":"count","args":{"entity":"Item","where":"text LIKE '*y*'"}}"#
          )
        }
        try connection.send(bytes: bytes)
        shutdown(connection.descriptor.number, Int32(SHUT_WR))
        #expect(try connection.receiveAll().count == count + round)
      }
    }

    @Test func `a client that sends the beginning of the next frame always holds no memory`() throws
    {
      let daemon = try TestDaemon()
      let connection = try RawConnection(daemon.socket)
      // A frame is long, so that few of them are many bytes.
      let ping = RawConnection.frame(#"{"ping":1"# + String(repeating: " ", count: 130) + "}")
      try connection.send(bytes: Array(ping[..<2]))
      let rest = Array(ping[2...]) + Array(repeating: ping, count: 200).joined() + ping[..<2]
      let before = try daemon.status("VmRSS")
      for _ in 0..<600 {
        try connection.send(bytes: rest)
        for _ in 0..<201 { _ = try connection.receive() }
      }
      #expect(try daemon.status("VmRSS") - before < 8 << 10)
    }

    @Test func `a client that takes large rows slowly is waited for`() throws {
      let daemon = try TestDaemon(
        schema: #"{"entities":[{"name":"Blob","attributes":[{"name":"data","type":"data"}]}]}"#
      )
      let text = String(repeating: "A", count: 10 << 20)
      let writer = try RawConnection(daemon.socket)
      for id in 1...10 {
        try writer.call(
          id,
          "insert",
          #"{"entity":"Blob","columns":["data"],"rows":[["\#(text)"]]}"#
        )
        #expect(try writer.receive()["ok"] != nil)
      }
      let reader = try RawConnection(daemon.socket)
      try reader.call(1, "fetch", #"{"entity":"Blob"}"#)
      // All that it may be sent waits for it.
      try daemon.settle()
      let frames = try reader.receiveAnswer(of: 1)
      #expect(frames.terminal["ok", "rows"]?.int64 == 10, "\(frames.terminal.text.prefix(200))")
    }

    @Test func `streams of large rows that nobody reads take bounded memory`() throws {
      let daemon = try TestDaemon(
        ["--stall-ms", "120000"],
        schema: #"{"entities":[{"name":"Blob","attributes":[{"name":"data","type":"data"}]}]}"#
      )
      let text = String(repeating: "A", count: 10 << 20)
      let reader = try RawConnection(daemon.socket)
      try reader.call(1, "insert", #"{"entity":"Blob","columns":["data"],"rows":[["\#(text)"]]}"#)
      #expect(try reader.receive()["ok"] != nil)
      let before = try daemon.status("VmRSS")
      for id in 2...31 { try reader.call(id, "fetch", #"{"entity":"Blob"}"#) }
      try daemon.settle()
      #expect(try daemon.status("VmRSS") - before < 200 << 10, "KiB")
      var rows = 0
      for _ in 2...31 {
        var frame = try reader.receive()
        while frame["next"] != nil { frame = try reader.receive() }
        rows += Int(frame["ok", "rows"]?.int64 ?? 0)
      }
      #expect(rows == 30)
    }

    @Test func `a client that sends more than may wait is read again when there is room`() throws {
      let daemon = try TestDaemon()
      let connection = try RawConnection(daemon.socket)
      let text = String(repeating: "a", count: 4 << 20)
      for id in 1...24 {
        try connection.call(
          id,
          "insert",
          #"{"entity":"Item","columns":["name","text"],"rows":[["\#(id)","\#(text)"]]}"#
        )
      }
      for _ in 1...24 { #expect(try connection.receive()["ok"] != nil) }
    }

    @Test func `a client that sends all and closes its side still gets its answers`() throws {
      let daemon = try TestDaemon()
      try daemon.connect().fill(20_000)
      let connection = try RawConnection(daemon.socket)
      try connection.call(
        1,
        "insert",
        #"{"entity":"Item","columns":["name"],"rows":[["a"]]}"#
      )
      try connection.call(2, "fetch", #"{"entity":"Item"}"#)
      shutdown(connection.descriptor.number, Int32(SHUT_WR))
      let frames = try connection.receiveAll()
      #expect(frames.contains { $0["id"]?.int64 == 1 && $0["ok"] != nil })
      #expect(frames.last?["ok", "rows"]?.int64 == 20_001)
    }
  }
}
