import Testing

@testable import DepotStudio

/// Who gets in: hosts, origins, tokens, and cookies.
@Suite struct GateTests {
  private func request(_ target: String, _ fields: [String: String] = [:]) -> HTTPRequest {
    HTTPRequest(
      method: "GET",
      target: target,
      fields: ["host": "127.0.0.1:8020"].merging(fields) { $1 }
    )
  }

  private func status(_ verdict: Gate.Verdict) -> HTTPStatus? {
    if case .refused(let status, _) = verdict { status } else { nil }
  }

  /// A gate whose token was used, and the cookie that it gave.
  private func opened() throws -> (gate: Gate, cookie: String) {
    var gate = Gate(port: 8020)
    let target = gate.makeAddress().replacing("http://127.0.0.1:8020", with: "")
    guard case .exchanged(let cookie) = gate.judge(request(target)) else {
      throw HTTPFault(.unauthorized, "the token isn't taken")
    }
    return (gate, String(cookie.prefix { $0 != ";" }))
  }

  @Test func `a token of 128 bits is good once, and becomes a cookie that no script reads`() throws
  {
    var gate = Gate(port: 8020)
    let address = gate.makeAddress()
    #expect(address.wholeMatch(of: #/http://127\.0\.0\.1:8020/\?token=[0-9a-f]{32}/#) != nil)
    let target = address.replacing("http://127.0.0.1:8020", with: "")
    guard case .exchanged(let cookie) = gate.judge(request(target)) else {
      Issue.record("the token isn't taken")
      return
    }
    #expect(
      cookie.wholeMatch(
        of: #/depot-studio-8020=[0-9a-f]{32}; HttpOnly; SameSite=Strict; Path=//#
      ) != nil
    )
    #expect(status(gate.judge(request(target))) == .unauthorized, "it was used")
    let value = String(cookie.prefix { $0 != ";" })
    #expect(gate.judge(request("/studio.json", ["cookie": "a=b; \(value)"])) == .admitted)
  }

  @Test func `nothing is answered without the cookie, with an origin and without`() throws {
    var (gate, cookie) = try opened()
    let wrong = [
      nil, "", "depot-studio-8020=", "depot-studio-8020", cookie + "0", String(cookie.dropLast()),
      "depot-studio-8021=" + cookie.suffix(32), "x" + cookie,
      "depot-studio-8020=" + String(repeating: "0", count: 32),
    ]
    for target in [
      "/", "/studio.json", "/socket", "/missing", "/?token=", "/?token=\(cookie.suffix(32))",
    ] {
      for origin in [nil, "http://127.0.0.1:8020"] {
        for value in wrong {
          var fields: [String: String] = [:]
          fields["origin"] = origin
          fields["cookie"] = value
          #expect(status(gate.judge(request(target, fields))) == .unauthorized, "\(target)")
        }
      }
    }
  }

  @Test func `the token and the cookie of another start are of no use`() throws {
    let (_, cookie) = try opened()
    var first = Gate(port: 8020)
    let target = first.makeAddress().replacing("http://127.0.0.1:8020", with: "")
    var gate = Gate(port: 8020)
    _ = gate.makeAddress()
    #expect(status(gate.judge(request(target))) == .unauthorized)
    #expect(status(gate.judge(request("/", ["cookie": cookie]))) == .unauthorized)
  }

  @Test func `of tokens that nobody uses, the oldest end`() {
    var gate = Gate(port: 8020)
    let targets = (0..<17).map { _ in
      gate.makeAddress().replacing("http://127.0.0.1:8020", with: "")
    }
    #expect(status(gate.judge(request(targets[0]))) == .unauthorized)
    #expect(status(gate.judge(request(targets[1]))) == nil)
  }

  @Test(arguments: [
    "evil.example", "evil.example:8020", "127.0.0.1", "127.0.0.1:8021", "127.0.0.1:80200",
    "127.0.0.2:8020",
    "localhost", "localhost.:8020", "LOCALHOST:8020", "localhost:08020", "[::1]",
    "[0:0:0:0:0:0:0:1]:8020", "",
    "127.0.0.1:8020, evil.example", "evil@127.0.0.1:8020", "0.0.0.0:8020", "2130706433:8020",
  ])
  func `any other host is refused, also with the cookie`(host: String) throws {
    var (gate, cookie) = try opened()
    let verdict = gate.judge(request("/", ["host": host, "cookie": cookie]))
    #expect(status(verdict) == .forbidden)
    let target = gate.makeAddress().replacing("http://127.0.0.1:8020", with: "")
    #expect(status(gate.judge(request(target, ["host": host]))) == .forbidden)
    #expect(status(gate.judge(request(target))) == nil, "the token wasn't used up by that")
  }

  @Test(arguments: [
    "null", "http://evil.example", "https://127.0.0.1:8020", "http://127.0.0.1",
    "http://127.0.0.1:8021", "",
    "http://localhost:8020", "http://127.0.0.1:8020/", "http://127.0.0.1:8020 http://evil.example",
    "file://",
  ])
  func `any other origin is refused, also with the cookie`(origin: String) throws {
    var (gate, cookie) = try opened()
    for target in ["/", "/studio.json", "/socket"] {
      let verdict = gate.judge(request(target, ["origin": origin, "cookie": cookie]))
      #expect(status(verdict) == .forbidden)
    }
  }

  @Test func `each of the three names of the machine has its own origin`() throws {
    var (gate, cookie) = try opened()
    for host in ["127.0.0.1:8020", "[::1]:8020", "localhost:8020"] {
      let fields = ["host": host, "origin": "http://\(host)", "cookie": cookie]
      #expect(gate.judge(request("/socket", fields)) == .admitted)
    }
    #expect(Gate(port: 80).hosts == ["127.0.0.1", "[::1]", "localhost"])
  }

  @Test func `a foreign page may lead here, and use nothing`() throws {
    var (gate, cookie) = try opened()
    for site in ["cross-site", "same-site"] {
      let using = ["sec-fetch-site": site, "sec-fetch-mode": "no-cors", "cookie": cookie]
      #expect(status(gate.judge(request("/client/depot.js", using))) == .forbidden)
      let leading = ["sec-fetch-site": site, "sec-fetch-mode": "navigate"]
      #expect(status(gate.judge(request("/", leading))) == .unauthorized)
    }
  }

  @Test func `a secret is in no message`() {
    let secret = Secret()
    #expect("\(secret)" == "(secret)")
    #expect(secret.isEqual(to: secret.text))
    #expect(!secret.isEqual(to: Secret().text))
    #expect(!secret.isEqual(to: ""))
    #expect(!secret.isEqual(to: secret.text + secret.text))
  }
}
