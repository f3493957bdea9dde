import TestSupport
import Testing

@testable import DepotStudio

/// The heads of requests: each that isn't exactly one is refused.
@Suite struct HTTPRequestTests {
  private func parse(_ text: String) throws(HTTPFault) -> (request: HTTPRequest, count: Int)? {
    try HTTPRequest.first(in: Array(text.utf8)[...])
  }

  @Test func `a request has a method, a target, and fields`() throws {
    let text = "GET /a?token=12&x= HTTP/1.1\r\nHost: localhost:8020\r\nX-Y:\t b c \r\n\r\nGET"
    let (request, count) = try #require(try parse(text))
    #expect(count == text.utf8.count - 3)
    #expect(request.method == "GET")
    #expect(request.path == "/a")
    #expect(request.parameter("token") == "12")
    #expect(request.parameter("x") == "")
    #expect(request.parameter("y") == nil)
    #expect(request.fields == ["host": "localhost:8020", "x-y": "b c"])
  }

  @Test func `the beginning of a request waits for its end`() throws {
    let bytes = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    for count in 0..<bytes.count {
      #expect(try HTTPRequest.first(in: bytes[..<count]) == nil)
    }
  }

  @Test(arguments: [
    "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\u{7F}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: \u{e9}\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nCookie: b\r\ncookie: c\r\n\r\n",
    "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
    "GET /\r\nHost: a\r\n\r\n", "GET / HTTQ/1.1\r\nHost: a\r\n\r\n",
    "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", " / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "PING\r\n\r\n",
    "*1\r\n$4\r\nPING\r\n", "\0\0\0\u{10}{\"hello\"", "\u{16}\u{3}\u{1}",
  ])
  func `a malformed head is a 400`(text: String) {
    let fault = #expect(throws: HTTPFault.self) { try parse(text) }
    #expect(fault?.status == .badRequest)
  }

  @Test(arguments: ["HTTP/1.0", "HTTP/2.0", "HTTP/9.9"])
  func `other versions are refused`(version: String) {
    let fault = #expect(throws: HTTPFault.self) { try parse("GET / \(version)\r\nHost: a\r\n\r\n") }
    #expect(fault?.status == .versionNotSupported)
  }

  @Test func `a head that is too large is refused before its end comes`() {
    let long = "GET / HTTP/1.1\r\nHost: " + String(repeating: "a", count: HTTPRequest.headLimit)
    #expect(#expect(throws: HTTPFault.self) { try parse(long) }?.status == .headTooLarge)
    let fields = (0...HTTPRequest.fieldLimit).map { "X-\($0): a\r\n" }.joined()
    let many = "GET / HTTP/1.1\r\n\(fields)"
    #expect(#expect(throws: HTTPFault.self) { try parse(many) }?.status == .headTooLarge)
  }

  @Test(arguments: seeds(200))
  func `whatever comes is a request, a part of one, or refused`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var bytes = Array(
      "GET /a?token=1 HTTP/1.1\r\nHost: localhost:1\r\nOrigin: http://localhost:1\r\nCookie: a=b\r\n\r\n"
        .utf8
    )
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[place] = .random(in: 0...255, using: &random)
      case 1: bytes.insert(random.pick([0x0A, 0x0D, 0, 0x20, 0x3A, 0xFF]), at: place)
      default: bytes.removeSubrange(place...)
      }
      if bytes.isEmpty { bytes = [0] }
    }
    do throws(HTTPFault) {
      guard let (request, count) = try HTTPRequest.first(in: bytes[...]) else { return }
      #expect(count <= bytes.count)
      // The compared texts have no character that could end a line or a C string.
      let texts = [request.method, request.target] + request.fields.values
      #expect(
        texts.allSatisfy { $0.utf8.allSatisfy { 0x20..<0x7F ~= $0 || $0 == 9 } },
        "seed \(seed)"
      )
      var gate = Gate(port: 1)
      guard case .refused = gate.judge(request) else {
        Issue.record("seed \(seed) got in")
        return
      }
    } catch {
      #expect(error.status.rawValue >= 400)
    }
  }
}
