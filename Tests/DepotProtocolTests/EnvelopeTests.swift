import DepotProtocol
import Testing

@Suite struct EnvelopeTests {
  /// Every frame of a client with its wire form; calls have a table of their own.
  static let frames: [(ClientFrame, String)] = [
    (.more(id: 7, 16), #"{"id":7,"more":16}"#),
    (.cancel(id: 7), #"{"id":7,"cancel":true}"#),
    (.ping(42), #"{"ping":42}"#), (.pong(-1), #"{"pong":-1}"#),
    (.hello(Hello(versions: 1...1)), #"{"hello":{"protocol":[1,1],"client":{}}}"#),
    (
      .hello(Hello(versions: 1...1, access: .read)),
      #"{"hello":{"protocol":[1,1],"client":{},"access":"read"}}"#
    ),
    (
      .hello(
        Hello(
          versions: 1...3,
          client: ["name": "x", "language": "swift"],
          int64: .string,
          want: ["credit"]
        )
      ),
      #"{"hello":{"protocol":[1,3],"client":{"language":"swift","name":"x"},"options":{"int64":"string"},"want":["credit"]}}"#
    ),
    (
      .call(
        Call(
          id: 1,
          .delete(DeleteRequest(entity: "P", rows: .identifiers([1]))),
          deadlineMilliseconds: 2000,
          credit: 8,
          key: "k\""
        )
      ),
      #"{"id":1,"call":"delete","args":{"entity":"P","ids":[1]},"deadlineMs":2000,"credit":8,"key":"k\""}"#
    ),
  ]

  @Test func `every frame of a client is read as it is written`() throws {
    for (frame, json) in Self.frames {
      #expect(try ClientFrame(Array(json.utf8)) == frame)
      switch frame {
      case .hello(let hello): #expect(jsonText { $0.write(hello) } == json)
      case .call(let call): #expect(jsonText { $0.write(call) } == json)
      default: break
      }
    }
  }

  /// Frames that can't be attributed to a call.
  static let unattributable: [(String, DepotError.Code)] = [
    ("{}", .frame), (#"{"goodbye":1}"#, .frame), (#"{"event":"draining"}"#, .frame), ("[]", .type),
    ("7", .type),
    (#"{"id":0,"call":"ping"}"#, .sequence), (#"{"id":9007199254740992,"call":"ping"}"#, .sequence),
    (#"{"id":{},"call":"ping"}"#, .type), (#"{"id":99999999999999999999}"#, .numberRange),
    (#"{"ping":"x"}"#, .type), (#"{"ping":1,"pong":1}"#, .unknownMember), (#"{"hello":1}"#, .type),
    (#"{"hello":{"protocol":[1]}}"#, .hello), (#"{"hello":{"protocol":[0,1]}}"#, .hello),
    (#"{"hello":{"protocol":[2,1]}}"#, .hello), (#"{"hello":{"protocol":[1,4294967296]}}"#, .hello),
    (#"{"hello":{"protocol":[1,0]}}"#, .hello), (#"{"hello":{"protocol":[1,-1]}}"#, .hello),
    (#"{"hello":{"protocol":["a","b"]}}"#, .type),
    (#"{"hello":{"protocol":[1,1],"x":1}}"#, .unknownMember),
    (#"{"hello":{"protocol":[1,1],"access":"all"}}"#, .usage),
    (#"{"hello":{"protocol":[1,1],"options":{"x":1}}}"#, .unknownMember),
    (#"{"hello":{"protocol":[1,1],"client":{"name":1}}}"#, .type),
    (#"{"hello":{"protocol":[1,1]},"x":1}"#, .unknownMember), (#"{"id":1,"id":2}"#, .duplicateKey),
    ("{", .json),
  ]

  @Test(arguments: unattributable)
  func `a frame that belongs to no call is an error of its own`(
    json: String,
    code: DepotError.Code
  ) throws {
    let error = try #require(throws: DepotError.self) { try ClientFrame(Array(json.utf8)) }
    #expect(error.code == code, "\(error)")
  }

  @Test func `versions are negotiated downwards`() throws {
    #expect(try Hello(versions: 1...1).negotiate() == 1)
    #expect(try Hello(versions: 1...9).negotiate() == 1)
    let error = try #require(throws: DepotError.self) { try Hello(versions: 2...9).negotiate() }
    #expect(error.code == .version)
    #expect(error.details?["max"] == .int64(1))
  }

  @Test func `replies have their golden forms`() {
    let reply = ReplyWriter(id: 7, framing: .lines)
    #expect(
      jsonText { reply.ok(to: &$0) { $0.raw("{\"count\":1}") } }
        == "{\"id\":7,\"ok\":{\"count\":1}}\n"
    )
    let failure = jsonText { reply.failure(DepotError(.unique, "Taken."), to: &$0) }
    #expect(
      failure
        == #"{"id":7,"err":{"code":"conflict.unique","message":"Taken.","retry":"after_refetch","effect":"none"}}"#
        + "\n"
    )
    for (columns, head) in [(["$id", "a"], #""columns":["$id","a"],"#), (nil, "")] {
      let rows = jsonText { writer in
        let start = reply.beginRows(columns: columns, in: &writer)
        writer.raw("[1,2]")
        reply.endRows(from: start, in: &writer)
      }
      #expect(rows == "{\"id\":7,\(head)\"next\":[[1,2]]}\n")
    }
  }

  @Test func `the length of a reply is that of its JSON`() {
    var writer = JSONWriter()
    writer.raw("x")
    ReplyWriter(id: 7).ok(to: &writer) { $0.raw("{}") }
    #expect(Array(writer.bytes.dropFirst().prefix(4)) == [0, 0, 0, 16])
    #expect(String(decoding: writer.bytes.dropFirst(5), as: UTF8.self) == #"{"id":7,"ok":{}}"#)
  }

  @Test func `integers of rows follow the form that the client asked for`() {
    #expect(jsonText { $0.integer(-5, as: .number) } == "-5")
    #expect(jsonText { $0.integer(.min, as: .string) } == "\"-9223372036854775808\"")
  }

  @Test func `an error is read as it is written, and unknown members are ignored`() throws {
    var error = DepotError(.unique, "Taken\0.").hint("Use another.").at("/args/rows/3")
      .details(["index": .array([.string("a")])])
    error.effect = .unknown
    let json = jsonText { $0.write(error) }
    #expect(try DepotError(JSONDocument(Array(json.utf8)).root) == error)
    let later = #"{"code":"new.reason","message":"m","effect":"odd","severity":9,"retry":"now"}"#
    let read = try DepotError(JSONDocument(Array(later.utf8)).root)
    #expect(read.code.rawValue == "new.reason" && read.effect == .none)
  }

  @Test(arguments: [
    #"{"id":1,"columns":["x"],"next":[[1,1,"a"]]}"#,
    #"{"id":1,"next":[[1,1,"a"]],"columns":["x"]}"#,
  ])
  func `the members of a frame of rows come in any order`(json: String) throws {
    guard case .next(1, let columns, let offset) = try ServerFrame(Array(json.utf8)) else {
      Issue.record("It isn't read as rows.")
      return
    }
    #expect(columns == ["x"])
    #expect(json.utf8.dropFirst(offset).starts(with: "[[1,1".utf8))
  }

  @Test(arguments: [#"{"id":1,"progress":3}"#, #"{"news":[]}"#, "{}"])
  func `a frame of a later version is no error`(json: String) throws {
    guard case .other = try ServerFrame(Array(json.utf8)) else {
      Issue.record("It is taken for one of now.")
      return
    }
  }

  @Test func `rows written together equal rows written one by one`() throws {
    struct Refusal: Error {}
    // Short and long texts, whose bytes are collected and aren't.
    let texts = (0..<300).map { String(repeating: "ab", count: $0 * 7 % 400) }
    var (single, together) = (RowBatch([[.int64(1)]]), RowBatch([[.int64(1)]]))
    for text in texts { single.appendRow { $0.append(text) } }
    try together.appendRows(texts.count) { index, row in row.append(texts[index]) }
    #expect(together == single)
    #expect(throws: Refusal.self) {
      try together.appendRows(texts.count) { index, row in
        row.append(texts[index])
        if index == 250 { throw Refusal() }
      }
    }
    #expect(together == single)
  }

  @Test func `a row that can't be written leaves the batch as it was`() throws {
    struct Refusal: Error {}
    var batch = RowBatch([[.int64(1)]])
    #expect(throws: Refusal.self) {
      try batch.appendRow { row throws(Refusal) in
        row.append("half")
        throw Refusal()
      }
    }
    #expect(batch == RowBatch([[.int64(1)]]))
    batch.append([.int64(2)])
    #expect(String(decoding: batch.json, as: UTF8.self) == "[[1],[2]]")
    #expect(batch.count == 2)
  }
}
