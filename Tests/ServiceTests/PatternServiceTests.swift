import DepotClient
import DepotProtocol
import Testing

extension ServiceTests {
  /// Regular expressions that take long.
  @Suite(.serialized) struct PatternServiceTests {
    /// A pattern that is in another state after nearly each letter of a text of `a` and `b`.
    private static let slow = "(?:a|b)*a(?:a|b){900}c"

    /// Stores rows whose texts take minutes with the pattern.
    private func fill(_ daemon: TestDaemon) throws {
      var state: UInt64 = 1
      let letters = (0..<400_000).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 63 == 0 ? 0x61 : 0x62
      }
      let text = String(decoding: letters, as: UTF8.self)
      try daemon.connect().insert((0..<20).map { Item(name: "\($0)", text: text) })
    }

    private func count(_ connection: RawConnection, _ id: Int, _ members: String = "") throws {
      let predicate = #"{"matches":[{"attribute":"text"},"\#(Self.slow)"]}"#
      try connection.call(id, "count", #"{"entity":"Item","where":\#(predicate)}"#, members)
    }

    @Test func `a long match is cancelled, keeps its deadline, and doesn't outlive the service`()
      throws
    {
      let daemon = try TestDaemon(["--drain-ms", "200"])
      try fill(daemon)
      let connection = try RawConnection(daemon.socket)
      try count(connection, 1, #","deadlineMs":300"#)
      #expect(try connection.receive().errorCode == "deadline.passed")
      try count(connection, 2)
      let early = try connection.receiveIfAny(within: .milliseconds(300))
      #expect(early == nil, "\(early?.text ?? "")")
      try connection.send(#"{"id":2,"cancel":true}"#)
      #expect(try connection.receive().errorCode == "cancelled.by_client")
      try count(connection, 3)
      try connection.send(#"{"ping":1}"#)
      #expect(try connection.receive()["pong"] != nil)
      #expect(try daemon.terminate() == 0)
    }

    @Test(arguments: ["contains", "like"])
    func `a search for a long text that is nearly there keeps its deadline`(test: String) throws {
      let daemon = try TestDaemon()
      let text = String(repeating: "a", count: 2_000_000)
      let needle = String(repeating: "a", count: 500_000) + "b"
      let patterns = (0..<4).map { test == "like" ? "*\(needle)\($0)*" : "\(needle)\($0)" }
      try daemon.connect().insert(patterns.map { Item(name: $0, text: text) })
      let connection = try RawConnection(daemon.socket)
      let predicate = #"{"\#(test)":[{"attribute":"text"},{"attribute":"name"}]}"#
      try connection.call(
        1,
        "count",
        #"{"entity":"Item","where":\#(predicate)}"#,
        #","deadlineMs":300"#
      )
      let answer = try connection.receive()
      #expect(answer.errorCode == "deadline.passed", "\(answer.text.prefix(500))")
    }

    @Test func `a pattern that is hard to backtrack is answered`() throws {
      let daemon = try TestDaemon()
      let texts = ["x", "xy"].map { String(repeating: "x", count: 100_000) + $0 }
      try daemon.connect().insert(texts.map { Item(name: "\($0.count)", text: $0) })
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "count", #"{"entity":"Item","where":"text MATCHES '(x+x+)+y'"}"#)
      #expect(try connection.receive()["ok", "count"]?.int64 == 1)
      try connection.call(2, "count", #"{"entity":"Item","where":"text MATCHES '(x)(?=y)'"}"#)
      let refusal = try connection.receive()
      #expect(refusal.errorCode == "request.predicate")
      #expect(refusal["err", "details", "patternOffset"]?.int64 == 3)
      #expect(refusal["err", "hint"]?.string?.contains("AND NOT") == true)
    }
  }
}
