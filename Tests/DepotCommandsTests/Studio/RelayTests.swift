import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotStudio

/// WebSockets as sessions with the service.
@Suite(.serialized) struct RelayTests {
  private static let hello = #"{"hello":{"protocol":[1,1]}}"#

  @Test func `a message is a frame, both ways`() throws {
    let bridge = try RunningBridge()
    let (page, service) = try bridge.session()
    try page.say(Self.hello)
    _ = try RunningBridge.frame(service)
    for text in [
      "{}", #"{"id":1,"call":"ping"}"#, #"{"a":"\#(String(repeating: "é", count: 70000))"}"#,
    ] {
      try page.say(text)
      #expect(try RunningBridge.frame(service) == text)
      try service.sendAll(RunningBridge.framed(text))
      #expect(try page.hear()?.text == text)
    }
    try page.send(RawBrowser.frame([7, 8], kind: 9))
    let pong = try page.hear()
    #expect(pong?.kind == 10)
    #expect(pong?.content == [7, 8])
  }

  @Test(arguments: [
    (false, #"{"hello":{"protocol":[1,1]}}"#, "read"),
    (false, #"{"hello":{"protocol":[1,1],"access":"owner"}}"#, "read"),
    (false, #"{"hello":{"protocol":[1,1],"access":"write"}}"#, "read"),
    (false, #"{"hello":{"protocol":[1,1],"\u0061ccess":"owner"}}"#, "read"),
    (false, #"{"hello":{"protocol":[1,1],"access":["owner"]}}"#, "read"),
    (true, #"{"hello":{"protocol":[1,1]}}"#, "write"),
    (true, #"{"hello":{"protocol":[1,1],"access":"owner"}}"#, "write"),
    (true, #"{"hello":{"protocol":[1,1],"access":"read"}}"#, "read"),
  ])
  func `a page gets no more access than the bridge allows`(
    allowsWrites: Bool,
    hello: String,
    access: String
  ) throws {
    let bridge = try RunningBridge(allowsWrites: allowsWrites)
    let (page, service) = try bridge.session()
    try page.say(hello)
    let frame = try JSONValue(parsing: #require(try RunningBridge.frame(service)).utf8)
    #expect(frame["hello"]?["access"]?.string == access)
    #expect(frame["hello"]?["protocol"]?.text == "[1,1]")
  }

  @Test(arguments: [
    #"{"id":1,"call":"ping"}"#, #"{"hello":{"protocol":[1,1]},"id":1}"#, #"{"hello":[]}"#, "[]", "",
    "{",
    #"{"hello":{"protocol":[1,1],"access":"read","access":"owner"}}"#,
    #"{"hello":{"protocol":[1,1]},"hello":{"protocol":[1,1]}}"#,
    #"{"hello":{"protocol":[1,1]}}{"hello":{"protocol":[1,1]}}"#,
  ])
  func `a page begins with hello and nothing else`(message: String) throws {
    let bridge = try RunningBridge(allowsWrites: true)
    let (page, service) = try bridge.session()
    try page.say(message)
    #expect(try page.hear()?.code == 1008)
    #expect(try RunningBridge.frame(service) == nil)
  }

  @Test func `hello gets the container and the author of the command unless it has others`() throws
  {
    let bridge = try RunningBridge { configuration in
      configuration.container = "main"
      configuration.author = "ada"
    }
    let (page, service) = try bridge.session()
    try page.say(#"{"hello":{"protocol":[1,1],"author":"eve","want":["credit"]}}"#)
    let frame = try JSONValue(parsing: #require(try RunningBridge.frame(service)).utf8)
    #expect(
      frame.text
        == #"{"hello":{"access":"read","author":"eve","container":"main","protocol":[1,1],"want":["credit"]}}"#
    )
  }

  @Test func `an upgrade that breaks the rules gets no session`() throws {
    let bridge = try RunningBridge()
    let cookie = try bridge.cookie()
    let right = RawBrowser.upgrade(port: bridge.port).merging(["Cookie": cookie]) { $1 }
    let changes: [(String, String?, Int)] = [
      ("Cookie", nil, 401), ("Cookie", "a=b", 401), ("Origin", nil, 403),
      ("Origin", "http://evil.example", 403), ("Origin", "null", 403),
      ("Host", "evil.example", 403),
      ("Host", nil, 400), ("Upgrade", nil, 426), ("Connection", "keep-alive", 426),
      ("Sec-WebSocket-Version", "8", 426), ("Sec-WebSocket-Key", "a", 400),
      ("Sec-WebSocket-Key", nil, 400), ("Sec-Fetch-Site", "same-site", 403),
    ]
    for (name, value, status) in changes {
      var fields = right
      fields.updateValue(value, forKey: name)
      #expect(
        try bridge.browser().ask("/socket", fields)?.status == status,
        "\(name) \(value ?? "-")"
      )
    }
    #expect(try bridge.browser().ask("/socket", right)?.status == 101)
    // A client without the rules of HTTP.
    let raw = try bridge.browser()
    try raw.send(RawBrowser.frame(Array(Self.hello.utf8)))
    #expect(try raw.answer()?.status == 400)
  }

  @Test func `a giant message is refused before it has come`() throws {
    let bridge = try RunningBridge()
    let (page, service) = try bridge.session()
    try page.say(Self.hello)
    _ = try RunningBridge.frame(service)
    var header: [UInt8] = [0x81, 0xFF]
    let size = Limits.frameBytes + 1
    for shift in stride(from: 56, through: 0, by: -8) { header.append(UInt8(size >> shift & 255)) }
    try page.send(header + [0, 0, 0, 0])
    #expect(try page.hear()?.code == 1009)
    #expect(try page.isEnded())
    #expect(try RunningBridge.frame(service) == nil)
  }

  @Test func `a page that stops reading holds the service back, and loses nothing`() throws {
    let bridge = try RunningBridge()
    let (page, service) = try bridge.session()
    try page.say(Self.hello)
    _ = try RunningBridge.frame(service)
    try service.setNonblocking()
    let padding = String(repeating: "x", count: 100_000)
    var sent = 0
    var isHeld = false
    // The buffers of the kernel hold far less than these 200 MB.
    while sent < 2000, !isHeld {
      let bytes = RunningBridge.framed(#"{"n":\#(sent),"p":"\#(padding)"}"#)
      var offset = 0
      while offset < bytes.count {
        do throws(SystemError) {
          offset += try service.send(bytes, from: offset)
        } catch {
          guard error.wouldBlock else { throw error }
          if !Poll.canWrite(service, milliseconds: 500) {
            isHeld = true
            // The rest of the frame comes when there is room.
            let rest = Array(bytes[offset...])
            let descriptor = service
            try Thread.start(name: "rest") {
              var taken = 0
              while taken < rest.count {
                if let count = try? descriptor.send(rest, from: taken) { taken += count }
                _ = Poll.canWrite(descriptor, milliseconds: 100)
              }
            }
            offset = bytes.count
          }
        }
      }
      sent += 1
    }
    #expect(isHeld, "200 MB were taken for a page that doesn't read")
    // Other sessions work meanwhile.
    let (other, its) = try bridge.session()
    try other.say(Self.hello)
    #expect(try RunningBridge.frame(its) != nil)
    for number in 0..<sent {
      #expect(try page.hearJSON()["n"]?.int64 == Int64(number))
    }
  }

  @Test func `a service that stops reading holds the page back, and loses nothing`() throws {
    let bridge = try RunningBridge()
    let (page, service) = try bridge.session()
    try page.say(Self.hello)
    _ = try RunningBridge.frame(service)
    let message = RawBrowser.frame([UInt8](repeating: 120, count: 200_000))
    var count = 0
    var rest: [UInt8] = []
    while count < 1000, rest.isEmpty {
      var offset = 0
      while offset < message.count {
        do throws(SystemError) {
          offset += try page.descriptor.send(message, from: offset)
        } catch {
          guard error.wouldBlock else { throw error }
          guard !Poll.canWrite(page.descriptor, milliseconds: 500) else { continue }
          rest = Array(message[offset...])
          offset = message.count
        }
      }
      count += 1
    }
    #expect(!rest.isEmpty, "200 MB were taken for a service that doesn't read")
    for _ in 0..<count - 1 { #expect(try RunningBridge.frame(service)?.utf8.count == 200_000) }
    try page.send(rest)
    #expect(try RunningBridge.frame(service)?.utf8.count == 200_000)
  }

  @Test func `the end of the service's connection is told with a reason`() throws {
    let bridge = try RunningBridge()
    do {
      let (page, service) = try bridge.session()
      try service.sendAll(RunningBridge.framed(#"{"event":"draining"}"#))
      service.endConnection()
      #expect(try page.hear()?.text == #"{"event":"draining"}"#)
      let last = try page.hear()
      #expect(last?.code == 1012)
      #expect(try page.isEnded())
    }
    let cookie = try bridge.cookie()
    bridge.takeServiceDown()
    let page = try RawBrowser.webSocket(port: bridge.port, cookie: cookie)
    let last = try #require(try page.hear())
    #expect(last.code == 1013)
    #expect(last.text.hasSuffix("No service answers."))
  }

  @Test func `a page that closes ends its session with the service`() throws {
    let bridge = try RunningBridge()
    let (page, service) = try bridge.session()
    try page.send(RawBrowser.frame([0x03, 0xE8], kind: 8))
    #expect(try page.hear()?.code == 1000)
    #expect(try RunningBridge.frame(service) == nil)
    let (gone, its) = try bridge.session()
    gone.descriptor.endConnection()
    #expect(try RunningBridge.frame(its) == nil)
  }

  @Test func `only so many pages are served`() throws {
    let bridge = try RunningBridge { $0.limits.webSockets = 2 }
    let cookie = try bridge.cookie()
    let pages = try (0..<2).map { _ in try RawBrowser.webSocket(port: bridge.port, cookie: cookie) }
    let fields = RawBrowser.upgrade(port: bridge.port).merging(["Cookie": cookie]) { $1 }
    #expect(try bridge.browser().ask("/socket", fields)?.status == 503)
    #expect(try bridge.browser().ask("/studio.json", ["Cookie": cookie])?.status == 200)
    #expect(pages.count == 2)
  }

  @Test func `the end closes all sessions`() throws {
    let bridge = try RunningBridge()
    let sessions = try (0..<3).map { _ in try bridge.session() }
    let idle = try bridge.browser()
    bridge.askToEnd()
    for (page, service) in sessions {
      #expect(try page.hear()?.code == 1001)
      #expect(try RunningBridge.frame(service) == nil)
    }
    #expect(try idle.isEnded())
    try expectSoon { bridge.hasEnded }
    #expect(throws: SystemError.self) { try bridge.browser() }
  }
}
