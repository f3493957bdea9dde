import TestSupport
import Testing

@testable import DepotStudio

/// The frames of WebSockets, and how one begins.
@Suite struct WebSocketTests {
  private func decode(_ bytes: [UInt8], limit: Int = 1 << 20) throws -> [WebSocketDecoder.Event] {
    var decoder = WebSocketDecoder(limit: limit)
    decoder.receive(bytes)
    var events: [WebSocketDecoder.Event] = []
    while let event = try decoder.next() { events.append(event) }
    return events
  }

  private func text(_ content: String) -> WebSocketDecoder.Event { .text(Array(content.utf8)) }

  @Test func `the masked example of the standard is read`() throws {
    let bytes: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    #expect(try decode(bytes) == [text("Hello")])
  }

  @Test(arguments: [0, 1, 125, 126, 127, 65535, 65536, 70000])
  func `a message of any size is read as it was written`(size: Int) throws {
    let content = (0..<size).map { UInt8(97 + $0 % 26) }
    #expect(try decode(RawBrowser.frame(content)) == [.text(content)])
    var bytes: [UInt8] = []
    WebSocketFrame.append(text: content, to: &bytes)
    #expect(bytes.suffix(size).elementsEqual(content))
    #expect(bytes.count - size == (size < 126 ? 2 : size < 65536 ? 4 : 10))
  }

  @Test func `a message may come in parts, with control frames between them`() throws {
    let bytes =
      RawBrowser.frame(Array("He".utf8), isLast: false) + RawBrowser.frame([1], kind: 9)
      + RawBrowser.frame(Array("l".utf8), kind: 0, isLast: false)
      + RawBrowser.frame([], kind: 10) + RawBrowser.frame(Array("lo".utf8), kind: 0)
      + RawBrowser.frame([3, 232], kind: 8)
    #expect(try decode(bytes) == [.ping([1]), .pong, text("Hello"), .close(1000)])
  }

  @Test(arguments: seeds(20))
  func `frames are the same however their bytes come`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    for size in [5, 200, 70000, 0] {
      bytes += RawBrowser.frame([UInt8](repeating: 97, count: size))
      bytes += RawBrowser.frame([1, 2], kind: 9)
    }
    let whole = try decode(bytes)
    var decoder = WebSocketDecoder(limit: 1 << 20)
    var events: [WebSocketDecoder.Event] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = min(rest.count, random.pick([1, 2, 3, 9, 1000, 30000]))
      decoder.receive(rest.prefix(count))
      rest = rest.dropFirst(count)
      while let event = try decoder.next() { events.append(event) }
    }
    #expect(events == whole, "seed \(seed)")
    #expect(decoder.heldCount == 0)
  }

  @Test(
    arguments: [
      ([0x81, 0x01, 0x61], 1002), ([0xC1, 0x80, 0, 0, 0, 0], 1002),
      ([0x83, 0x80, 0, 0, 0, 0], 1002),
      ([0x8F, 0x80, 0, 0, 0, 0], 1002), ([0x82, 0x80, 0, 0, 0, 0], 1003),
      ([0x80, 0x80, 0, 0, 0, 0], 1002),
      ([0x09, 0x80, 0, 0, 0, 0], 1002), ([0x89, 0xFE, 0, 126], 1002),
      ([0x88, 0x81, 0, 0, 0, 0, 3], 1002),
      ([0x81, 0x82, 0, 0, 0, 0, 0xC3, 0x28], 1007), ([0x81, 0xFE, 0, 5, 0, 0, 0, 0], 1002),
      ([0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0], 1002),
      ([0x81, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1002),
      ([0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], 1009),
      ([0x01, 0x80, 0, 0, 0, 0, 0x81, 0x80, 0, 0, 0, 0], 1002),
    ] as [([UInt8], UInt16)]
  )
  func `frames that break the rules end the connection`(bytes: [UInt8], code: UInt16) {
    let fault = #expect(throws: WebSocketDecoder.Fault.self) { try decode(bytes) }
    #expect(fault?.code == code)
  }

  @Test func `a message that is too large is refused by its header`() {
    var bytes: [UInt8] = [0x81, 0xFF]
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(1_000_001 >> shift & 255))
    }
    let fault = #expect(throws: WebSocketDecoder.Fault.self) {
      try decode(bytes + [0, 0, 0, 0], limit: 1_000_000)
    }
    #expect(fault?.code == 1009)
    let part = [UInt8](repeating: 97, count: 600)
    let parts = RawBrowser.frame(part, isLast: false) + RawBrowser.frame(part, kind: 0)
    #expect(
      #expect(throws: WebSocketDecoder.Fault.self) { try decode(parts, limit: 1000) }?.code == 1009
    )
  }

  @Test func `the answer to the standard's key is the standard's`() {
    #expect(SHA1.base64([]) == "2jmj7l5rSw0yVb/vlWAYkK/YBwk=")
    #expect(SHA1.base64(Array("abc".utf8)) == "qZk+NkcGgWq6PiVxeFDCbJzQ2J0=")
    let long = [UInt8](repeating: 97, count: 1000)
    #expect(SHA1.base64(long) == "KR6abGaZSUm1e6XmUDYemPw2sbo=")
    let request = HTTPRequest(
      method: "GET",
      target: "/socket",
      fields: [
        "origin": "http://localhost:1", "upgrade": "WebSocket", "connection": "keep-alive, Upgrade",
        "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      ]
    )
    let answer = WebSocketHandshake.answer(request)
    #expect(answer.status == .switchingProtocols)
    let accept = answer.fields.first { $0.name == "Sec-WebSocket-Accept" }
    #expect(accept?.value == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    let changes: [(String, String?, HTTPStatus)] = [
      ("upgrade", nil, .upgradeRequired), ("upgrade", "h2c", .upgradeRequired),
      ("connection", "keep-alive", .upgradeRequired), ("origin", nil, .forbidden),
      ("sec-websocket-version", "8", .upgradeRequired), ("sec-websocket-key", nil, .badRequest),
      ("sec-websocket-key", "dGhlIHNhbXBsZQ==", .badRequest),
      ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZ(==", .badRequest),
    ]
    for (name, value, status) in changes {
      var changed = request
      changed.fields[name] = value
      #expect(WebSocketHandshake.answer(changed).status == status, "\(name) \(value ?? "")")
    }
  }
}
