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
      let clock = ContinuousClock()
      let start = clock.now
      var count = 0
      while clock.now - start < .seconds(1) {
        count += try first.count(Item.self)
        DepotLinux.Process.sleep(milliseconds: 50)
      }
      #expect(count > 0)
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
      let ping = RawConnection.frame(#"{"ping":1}"#)
      try connection.send(bytes: Array(ping[..<2]))
      let rest = Array(ping[2...]) + Array(repeating: ping, count: 2000).joined() + ping[..<2]
      let before = try daemon.status("VmRSS")
      for _ in 0..<600 {
        try connection.send(bytes: rest)
        for _ in 0..<2001 { _ = try connection.receive() }
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
      Process.sleep(milliseconds: 1500)
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
      for _ in 0..<10 {
        DepotLinux.Process.sleep(milliseconds: 300)
        #expect(try daemon.status("VmRSS") - before < 200 << 10, "KiB")
      }
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

    @Test func `paths of very many steps are refused, and end nothing`() throws {
      let daemon = try TestDaemon(
        schema: #"""
          {"entities":[{"name":"A","attributes":[{"name":"x","type":"int64"}],"relationships":[\#
          {"name":"a","destination":"A","inverse":"b","optional":true},\#
          {"name":"b","destination":"A","inverse":"a","optional":true}]}]}
          """#
      )
      let connection = try RawConnection(daemon.socket)
      var id = 0
      func code(_ call: String, _ rest: String) throws -> String? {
        id += 1
        try connection.call(id, call, #"{"entity":"A",\#(rest)}"#)
        return try connection.receiveAnswer(of: id).terminal.errorCode
      }
      for (name, count) in [("a", 20), ("b", 8)] {
        let path = String(repeating: name + ".", count: count) + "x"
        #expect(try code("count", #""where":{"==":[{"attribute":"\#(path)"},1]}"#) == nil)
      }
      for count in [40, 60, 100, 9000] {
        let path = Array(repeating: "b", count: count).joined(separator: ".")
        let codes = [
          try code("count", #""where":{"==":[{"attribute":"\#(path).x"},1]}"#),
          try code("count", #""where":"\#(path).x == 1""#),
          try code("fetch", #""select":["\#(path).x"]"#),
          try code("fetch", #""sort":[{"attribute":"\#(path).x"}]"#),
          try code("update", #""where":"\#(path).x == 1","set":{"x":1}"#),
        ]
        #expect(Set(codes) == ["limit.predicate"], "\(count): \(codes)")
        let prefetched = try code("fetch", #""prefetch":["\#(path)"]"#)
        #expect(prefetched == (count > 60 ? "limit.predicate" : nil))
      }
    }

    @Test func `what doubles with each level, or is very wide, is refused`() throws {
      let daemon = try TestDaemon(
        schema: #"""
          {"entities":[{"name":"A","attributes":[{"name":"b","type":"bool"}],"relationships":[\#
          {"name":"k","destination":"A","toMany":true},{"name":"p","destination":"A","optional":true}]}]}
          """#
      )
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "insert", #"{"entity":"A","columns":["b"],"rows":[[true],[false]]}"#)
      #expect(try connection.receiveAnswer(of: 1).terminal.errorCode == nil)
      func code(_ id: Int, _ call: String, _ rest: String) throws -> String? {
        try connection.call(id, call, #"{"entity":"A",\#(rest)}"#)
        return try connection.receiveAnswer(of: id).terminal.errorCode
      }
      var predicate = "b"
      for depth in 1...40 {
        predicate = "(\(predicate)) IN {b, TRUE}"
        let code = try code(1 + depth, "count", #""where":"\#(predicate)""#)
        #expect(depth > 4 || code == nil)
        #expect(depth < 16 || code == "limit.predicate")
      }
      let paths = (0..<512).map { number in
        #""\#((0..<9).map { number >> $0 & 1 == 0 ? "k" : "p" }.joined(separator: "."))""#
      }
      #expect(
        try code(100, "fetch", #""prefetch":[\#(paths.joined(separator: ","))]"#)
          == "limit.predicate"
      )
    }

    @Test func `what takes memory or time many times over is refused`() throws {
      let daemon = try TestDaemon(
        schema: #"""
          {"entities":[{"name":"A","attributes":[{"name":"t","type":"string"},{"name":"n","type":"int64"}]}]}
          """#
      )
      let connection = try RawConnection(daemon.socket)
      var id = 0
      func code(_ call: String, _ rest: String) throws -> String? {
        id += 1
        try connection.call(id, call, #"{"entity":"A",\#(rest)}"#)
        return try connection.receiveAnswer(of: id).terminal.errorCode
      }
      func repeated(_ text: String, _ count: Int, by separator: String = ",") -> String {
        Array(repeating: text, count: count).joined(separator: separator)
      }
      let long = String(repeating: "x", count: 4 << 20)
      #expect(try code("insert", #""columns":["t","n"],"rows":[["\#(long)",1]]"#) == nil)
      for (uses, expected) in [(6, nil), (20, "limit.predicate"), (300, "limit.predicate")] {
        let condition = repeated("t == $v", uses, by: " AND ")
        for call in ["count", "fetch", "exists", "delete"] where call != "delete" || uses > 6 {
          #expect(try code(call, #""where":"\#(condition)","bind":{"v":"\#(long)"}"#) == expected)
        }
        let sum = repeated("length($v)", uses, by: " + ")
        #expect(
          try code("update", #""where":"n == 1","compute":{"n":"\#(sum)"},"bind":{"v":"\#(long)"}"#)
            == expected
        )
      }
      for (count, expected) in [
        (1500, nil), (2500, "limit.predicate"), (20_000, "limit.predicate"),
      ] {
        #expect(try code("fetch", #""select":[\#(repeated(#""n""#, count))]"#) == expected)
        #expect(try code("get", #""ids":[1],"select":[\#(repeated(#""n""#, count))]"#) == expected)
        let values = (0..<count).map {
          #"{"name":"c\#($0)","aggregate":"max","of":{"attribute":"n"}}"#
        }
        #expect(try code("aggregate", #""values":[\#(values.joined(separator: ","))]"#) == expected)
      }
      let key = #"{"attribute":"n"}"#
      #expect(try code("fetch", #""sort":[\#(repeated(key, 64))]"#) == nil)
      #expect(
        try code("fetch", #""sort":[\#(repeated(key, 64))],"after":[\#(repeated("1", 65))]"#) == nil
      )
      #expect(try code("fetch", #""sort":[\#(repeated(key, 65))]"#) == "limit.predicate")
      let sum = repeated("n == 1", 250, by: " OR ")
      for (count, expected) in [(4, nil), (6, "limit.predicate")] {
        let keys = repeated(#"{"key":"\#(sum)"}"#, count)
        #expect(try code("fetch", #""sort":[\#(keys)]"#) == expected)
      }
    }

    @Test func `what multiplies in the service's hands is answered at once`() throws {
      let daemon = try TestDaemon(
        schema: #"""
          {"entities":[{"name":"A","attributes":[{"name":"n","type":"int64"}],"relationships":[\#
          {"name":"k","destination":"A","toMany":true}]}]}
          """#
      )
      let connection = try RawConnection(daemon.socket)
      var id = 0
      func code(_ call: String, _ arguments: String) throws -> String? {
        id += 1
        try connection.call(id, call, arguments)
        return try connection.receiveAnswer(of: id).terminal.errorCode
      }
      func list(_ count: Int, _ element: (Int) -> String) -> String {
        (0..<count).map(element).joined(separator: ",")
      }
      #expect(try code("insert", #"{"entity":"A","columns":["n"],"rows":[[1],[2]]}"#) == nil)

      // Lists of lists of elements.
      var predicate = "true"
      for level in (0..<9).reversed() {
        let name = level == 0 ? "SELF" : "v\(level - 1)"
        let elements = list(10) { _ in #"{"variable":"\#(name)"}"# }
        predicate = #"{"any":[{"values":[\#(elements)]},\#(predicate)],"variable":"v\#(level)"}"#
      }
      id += 1
      try connection.call(id, "watch", #"{"count":{"entity":"A","where":\#(predicate)}}"#)
      try connection.send(#"{"id":\#(id),"cancel":true}"#)
      #expect(try connection.receiveAnswer(of: id).terminal.errorCode == "cancelled.by_client")

      // Names that are nearly right, and long or many.
      let long = String(repeating: "é", count: 4 << 20)
      #expect(try code(long, "{}") == "request.unknown_op")
      let names = list(40_000) { #""\#(String(repeating: "x", count: 90))\#($0)":1"# }
      let unbound =
        #"{"entity":"A","where":{"==":[{"variable":"\#(String(repeating: "y", count: 90))"},1]}"#
      #expect(try code("count", unbound + #","bind":{\#(names)}}"#) == "request.predicate")

      // Many names in one request, and lists of what isn't a name.
      let set = list(100_000) { #""a\#($0)":0"# }
      let compute = list(1000) { #""b\#($0)":1"# }
      #expect(
        try code("update", #"{"entity":"A","ids":[1],"set":{\#(set)},"compute":{\#(compute)}}"#)
          == "schema.unknown_attribute"
      )
      let change =
        #"{"entity":"A","columns":["$id","$version"],"rows":[],"base":{"columns":[],"rows":[]}}"#
      #expect(try code("save", #"{"update":[\#(list(60_000) { _ in change })]}"#) == nil)
      let removed = list(500_000) { _ in "1" }
      #expect(
        try code("update", #"{"entity":"A","ids":[1],"set":{"k":{"remove":[\#(removed)]}}}"#) == nil
      )
      let paths = list(330) { number in
        let steps =
          (0..<9).map { number >> $0 & 1 == 0 ? "k" : "n" } + Array(repeating: "k", count: 50)
        return #"{"==":[{"attribute":"\#(steps.joined(separator: "."))"},1]}"#
      }
      #expect(try code("count", #"{"entity":"A","where":{"and":[\#(paths)]}}"#) != nil)
      #expect(try code("count", #"{"entity":"A"}"#) == nil)
    }

    @Test func `a row that is larger than a frame is refused while it is read`() throws {
      let names = (0..<20).map { "t\($0)" }
      let attributes = names.map { #"{"name":"\#($0)","type":"string","optional":true}"# }
      let daemon = try TestDaemon(
        schema: #"{"entities":[{"name":"A","attributes":[\#(attributes.joined(separator: ","))]}]}"#
      )
      let connection = try RawConnection(daemon.socket)
      var id = 0
      func answer(_ call: String, _ rest: String) throws -> JSONValue {
        id += 1
        try connection.call(id, call, #"{"entity":"A",\#(rest)}"#)
        return try connection.receiveAnswer(of: id).terminal
      }
      let long = String(repeating: "x", count: 4 << 20)
      #expect(try answer("insert", #""columns":["t0"],"rows":[["\#(long)"]]"#).errorCode == nil)
      #expect(try answer("get", #""ids":[1]"#)["ok", "rows"] != nil)
      let compute = names.dropFirst().map { #""\#($0)":{"attribute":"t0"}"# }.joined(separator: ",")
      #expect(try answer("update", #""ids":[1],"compute":{\#(compute)}"#).errorCode == nil)
      for (call, arguments) in [("get", #""ids":[1]"#), ("fetch", #""limit":1"#)] {
        #expect(try answer(call, arguments).errorCode == "limit.frame_bytes")
      }
      for name in names {
        let row = try answer("get", #""ids":[1],"select":["\#(name)"]"#)["ok", "rows"]
        #expect(row?.array?.first?.array?.last?.string == long)
      }
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
