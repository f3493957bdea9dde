/// Decides whether a request is admitted, before it is routed.
///
/// The loopback address doesn't authenticate anyone: pages of other origins, other users, and
/// containers can reach it too. So a request must name one of three hosts, must not come from a
/// foreign page, and must have a cookie, which requires a token from the program's own output.
struct Gate: Sendable {
  /// The port that the bridge listens on.
  let port: UInt16
  /// The value of the cookie.
  private let cookie = Secret()
  /// The unused tokens.
  private var tokens: [Secret] = []

  init(port: UInt16) {
    self.port = port
  }

  /// The most unused tokens.
  private static let tokenLimit = 16

  /// The decision about a request.
  enum Verdict: Hashable, Sendable {
    case admitted
    /// The token was right: the answer sets the cookie.
    case exchanged(cookie: String)
    case refused(HTTPStatus, String)
  }

  /// The hosts that requests may name.
  ///
  /// Any other host is refused, such as an attacker's domain that resolves to this machine's
  /// address (DNS rebinding).
  var hosts: [String] {
    // Browsers omit the default port of HTTP.
    ["127.0.0.1", "[::1]", "localhost"].map { port == 80 ? $0 : "\($0):\(port)" }
  }

  /// Returns the address of the page with a new token, which can be used once.
  mutating func makeAddress() -> String {
    let token = Secret()
    tokens.append(token)
    if tokens.count > Self.tokenLimit { tokens.removeFirst() }
    return "http://\(hosts[0])/?token=\(token.text)"
  }

  /// Decides about a request.
  mutating func judge(_ request: HTTPRequest) -> Verdict {
    guard let host = request.fields["host"], hosts.contains(host) else {
      return .refused(.forbidden, "The host isn't one of \(hosts.joined(separator: ", ")).")
    }
    if let origin = request.fields["origin"], origin != "http://\(host)" {
      return .refused(.forbidden, "Another page may not ask here.")
    }
    // Browsers tell where a request comes from. Links from foreign pages are allowed, nothing else.
    if let site = request.fields["sec-fetch-site"], site != "same-origin", site != "none",
      request.fields["sec-fetch-mode"] != "navigate"
    {
      return .refused(.forbidden, "Another page may not ask here.")
    }
    if request.path == "/", let token = request.parameter("token") { return use(token, request) }
    return hasCookie(request) ? .admitted : Self.unknown
  }

  /// The name of the cookie; it has the port, because browsers send cookies to all ports of a host.
  private var cookieName: String { "depot-studio-\(port)" }

  private static let unknown = Verdict.refused(
    .unauthorized,
    "This address needs a token. The command depot studio prints one that works once."
  )

  private mutating func use(_ token: Substring, _ request: HTTPRequest) -> Verdict {
    var found: Int?
    for (index, known) in tokens.enumerated() where known.isEqual(to: token) { found = index }
    guard let found else { return Self.unknown }
    tokens.remove(at: found)
    let attributes = "HttpOnly; SameSite=Strict; Path=/"
    return .exchanged(cookie: "\(cookieName)=\(cookie.text); \(attributes)")
  }

  private func hasCookie(_ request: HTTPRequest) -> Bool {
    var isKnown = false
    for pair in request.fields["cookie"]?.split(separator: ";") ?? [] {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].trimmedOfBlanks == cookieName else { continue }
      if cookie.isEqual(to: parts[1].trimmedOfBlanks) { isKnown = true }
    }
    return isKnown
  }
}
