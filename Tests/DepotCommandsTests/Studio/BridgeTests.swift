import DepotLinux
import DepotProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DepotStudio

/// The bridge as browsers and attackers meet it.
@Suite(.serialized) struct BridgeTests {
  @Test func `it listens on this machine's own two addresses and on no other`() throws {
    let bridge = try RunningBridge()
    let (first, second) = ("0100007F", "00000000000000000000000001000000")
    // The kernel lists sockets piece by piece, and may leave one out while others come and go.
    let addresses = try #require(
      poll {
        let addresses = try Self.listeningAddresses(port: bridge.port)
        return addresses.contains(first) ? addresses : nil
      }
    )
    #expect(addresses.subtracting([first, second]).isEmpty)
  }

  /// Returns the addresses at which programs of this machine listen, in hexadecimal digits.
  private static func listeningAddresses(port: UInt16) throws -> Set<String> {
    var addresses: Set<String> = []
    for file in ["/proc/net/tcp", "/proc/net/tcp6"] {
      let text = String(
        decoding: try #require(FileSystem.contents(of: file, limit: 1 << 24)),
        as: UTF8.self
      )
      for line in text.split(separator: "\n").dropFirst() {
        let words = line.split(separator: " ")
        let parts = words[1].split(separator: ":")
        guard UInt16(parts[1], radix: 16) == port, words[3] == "0A" else { continue }
        addresses.insert(String(parts[0]))
      }
    }
    return addresses
  }

  @Test func `a port that is somebody's is refused by name`() throws {
    let other = try LoopbackSocket.listen(.v4, port: 0)
    let port = try LoopbackSocket.port(of: other)
    let configuration = StudioConfiguration(
      port: port,
      allowsWrites: false,
      storeName: "",
      diagram: { "" },
      connect: { .failure(DepotError(.noService, "")) }
    )
    let error = #expect(throws: DepotError.self) {
      try StudioBridge(configuration, end: StudioEnd())
    }
    #expect(error?.message == "Another program listens on port \(port).")
  }

  @Test func `the address leads to the page, once`() throws {
    let bridge = try RunningBridge()
    let query = try #require(URL(string: bridge.addresses[0])?.query)
    let browser = try bridge.browser()
    let first = try #require(try browser.ask("/?\(query)"))
    #expect(first.status == 303)
    #expect(first.fields["location"] == "/")
    let cookie = try #require(first.fields["set-cookie"]?.components(separatedBy: ";").first)
    #expect(try browser.ask("/?\(query)")?.status == 401)
    let page = try #require(try browser.ask("/", ["Cookie": cookie]))
    #expect(page.status == 200)
    #expect(page.fields["content-type"] == "text/html; charset=utf-8")
    #expect(page.text.contains("<title>Depot Studio</title>"))
  }

  @Test func `every route asks for the cookie, and each answer has all protections`() throws {
    let bridge = try RunningBridge()
    let cookie = try bridge.cookie()
    let routes =
      ["/", "/socket", "/studio.json", "/diagram.json", "/missing"]
      + PageFiles().names.map { "/\($0)" }
    var statuses: [String: Int] = [:]
    for route in routes {
      let browser = try bridge.browser()
      for fields in [[:], ["Cookie": cookie], ["Cookie": cookie, "Origin": "http://evil.example"]] {
        let answer = try #require(try browser.ask(route, fields))
        if fields.isEmpty { #expect(answer.status == 401, "\(route)") }
        if fields.count == 2 { #expect(answer.status == 403, "\(route)") }
        if fields.count == 1 { statuses[route] = answer.status }
        for (name, value) in HTTPResponse.protection {
          #expect(answer.fields[name.lowercased()] == value, "\(route)")
        }
        #expect(!answer.fields.keys.contains { $0.hasPrefix("access-control") })
      }
    }
    for (route, status) in statuses {
      #expect(status == (route == "/socket" ? 426 : route == "/missing" ? 404 : 200), "\(route)")
    }
    let policy = try #require(
      HTTPResponse.protection.first { $0.name == "Content-Security-Policy" }
    )
    for word in [
      "default-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
    ] {
      #expect(policy.value.contains(word))
    }
    #expect(!policy.value.contains("unsafe"))
  }

  @Test(arguments: [
    "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "FOO", "PRI",
  ])
  func `only GET is a method`(method: String) throws {
    let bridge = try RunningBridge()
    let cookie = try bridge.cookie()
    for route in ["/", "/socket", "/studio.json", "/diagram.json"] {
      let browser = try bridge.browser()
      let answer = try browser.ask(route, method: method, ["Cookie": cookie])
      #expect(answer?.status == 405)
      #expect(try browser.isEnded())
      #expect(answer?.fields["allow"] == "GET")
      #expect(try bridge.browser().ask(route, method: method)?.status == 401)
    }
  }

  @Test(arguments: [
    "/..", "/../../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd", "/client/../index.html",
    "/client/",
    "/client/node.js", "/index.html/", "/INDEX.HTML", "/index.html%00", "/./index.html",
    "/studio.json/", "/diagram.json/",
  ])
  func `a path is one of a list or leads nowhere`(path: String) throws {
    let bridge = try RunningBridge()
    let answer = try bridge.browser().ask(path, ["Cookie": bridge.cookie()])
    #expect(answer?.status == 404)
  }

  @Test func `the diagram is drawn once for all that wait, and meanwhile others are answered`()
    throws
  {
    let isDrawn = Semaphore()
    let count = Mutex(0)
    let bridge = try RunningBridge(diagram: {
      isDrawn.wait()
      return count.withLock { count in
        count += 1
        return "[\(count)]"
      }
    })
    let cookie = try bridge.cookie()
    let waiting = try (0..<3).map { _ in try bridge.browser() }
    for browser in waiting {
      let head = "GET /diagram.json HTTP/1.1\r\nHost: 127.0.0.1:\(bridge.port)"
      try browser.send("\(head)\r\nCookie: \(cookie)\r\n\r\n")
    }
    #expect(try bridge.browser().ask("/studio.json", ["Cookie": cookie])?.status == 200)
    isDrawn.signal()
    for browser in waiting {
      let answer = try #require(try browser.answer())
      #expect(answer.text == "[1]")
      #expect(answer.fields["content-type"] == "application/json")
    }
    // The next one is another drawing, on the same connection too.
    isDrawn.signal()
    #expect(try waiting[0].ask("/diagram.json", ["Cookie": cookie])?.text == "[2]")
  }

  @Test func `a diagram that can't be drawn is an answer with the reason`() throws {
    let bridge = try RunningBridge(diagram: { throw DepotError(.noService, "No service answers.") })
    let answer = try bridge.browser().ask("/diagram.json", ["Cookie": bridge.cookie()])
    #expect(answer?.status == 503)
    #expect(answer?.text == "No service answers.\n")
  }

  @Test func `a file has a version, and comes compressed to those who take that`() throws {
    let bridge = try RunningBridge()
    let cookie = try bridge.cookie()
    let browser = try bridge.browser()
    let plain = try #require(try browser.ask("/client/depot.js", ["Cookie": cookie]))
    #expect(plain.fields["content-encoding"] == nil)
    let source = try Data(
      contentsOf: URL(filePath: Programs.root + "/proto-docs/clients/js/depot.js")
    )
    #expect(Data(plain.body) == source)
    let tag = try #require(plain.fields["etag"])
    let again = try browser.ask("/client/depot.js", ["Cookie": cookie, "If-None-Match": tag])
    #expect(again?.status == 304)
    #expect(again?.body == [])
    let fields = ["Cookie": cookie, "Accept-Encoding": "deflate, gzip, br"]
    let packed = try #require(try browser.ask("/client/depot.js", fields))
    #expect(packed.fields["content-encoding"] == "gzip")
    #expect(packed.body.count < plain.body.count / 2)
    let folder = try TemporaryFolder()
    try Data(packed.body).write(to: URL(filePath: folder.path + "/a.gz"))
    #expect(try Program.run(["gzip", "-dc", folder.path + "/a.gz"]).bytes == plain.body)
  }

  @Test func `a malformed head gets a 400 and the end, and nobody else notices`() throws {
    let bridge = try RunningBridge()
    let cookie = try bridge.cookie()
    let neighbour = try bridge.browser()
    for text in ["PING\r\n\r\n", "\0\0\0\u{4}{}", "GET / HTTP/1.1\r\nHost: a\nX\r\n\r\n"] {
      let browser = try bridge.browser()
      try browser.send(text)
      #expect(try browser.answer()?.status == 400)
      #expect(try browser.isEnded())
      #expect(try neighbour.ask("/studio.json", ["Cookie": cookie])?.status == 200)
    }
  }

  @Test func `requests may come together, and are answered in their order`() throws {
    let bridge = try RunningBridge()
    let cookie = try bridge.cookie()
    let browser = try bridge.browser()
    let paths = ["/studio.json", "/missing", "/client/depot.js", "/", "/studio.json"]
    let text = paths.map { path in
      "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(bridge.port)\r\nCookie: \(cookie)\r\n\r\n"
    }
    try browser.send(text.joined())
    let statuses = try paths.map { _ in try browser.answer()?.status }
    #expect(statuses == [200, 404, 200, 200, 200])
  }

  @Test func `a request that doesn't come to its end is given up`() throws {
    let bridge = try RunningBridge { $0.limits.headMilliseconds = 200 }
    let silent = try bridge.browser()
    #expect(try silent.isEnded())
    // On a machine that is slow enough, a connection ends before its first bytes come.
    let isTold: Bool? = try poll {
      let begun = try bridge.browser()
      guard (try? begun.send("GET / HTTP/1.1\r\nHost:")) != nil,
        let answer = try begun.answer()
      else { return nil }
      return try answer.status == 408 && begun.isEnded()
    }
    #expect(isTold == true)
  }

  @Test func `those who never get in can't keep the user out`() throws {
    let bridge = try RunningBridge { $0.limits.connections = 16 }
    let cookie = try bridge.cookie()
    let (page, service) = try bridge.session()
    var idle: [RawBrowser] = []
    for number in 0..<200 {
      idle.append(try bridge.browser())
      if number % 2 == 0 { try idle[number].send("GET / HT") }
      guard number % 20 == 19 else { continue }
      #expect(try bridge.browser().ask("/studio.json", ["Cookie": cookie])?.status == 200)
    }
    // A page that is open stays so.
    try page.say(#"{"hello":{"protocol":[1,1]}}"#)
    #expect(try RunningBridge.frame(service)?.hasPrefix(#"{"hello":"#) == true)
    #expect(try idle[0].isEnded())
  }

  @Test(.enabled(if: Programs.isRoot, "only root can become another user"))
  func `another user is refused also with the cookie`() throws {
    let bridge = try RunningBridge()
    let script = """
      import os, socket, sys
      "a".encode("idna")
      if sys.argv[3] != "0": os.setuid(int(sys.argv[3]))
      s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      s.sendall((f"GET /studio.json HTTP/1.1\\r\\nHost: 127.0.0.1:{sys.argv[1]}\\r\\n"
                 f"Cookie: {sys.argv[2]}\\r\\n\\r\\n").encode())
      print(s.recv(4096).decode().split()[1])
      """
    let cookie = try bridge.cookie()
    for (user, status) in [("0", "200\n"), ("1000", "403\n")] {
      let outcome = try Program.python(script, ["\(bridge.port)", cookie, user])
      #expect(outcome.output == status, "\(outcome.errors)")
    }
  }
}
