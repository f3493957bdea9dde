/// The decision who gets in, before any route is looked at.
///
/// Loopback is no identity: pages of other origins, other users, and containers reach it too. So a request names one of
/// three hosts, comes from no foreign page, and has a cookie that only a token from the program's own output gives.
struct Gate: Sendable {
  /// The port that is listened on.
  let port: UInt16
  /// The value of the cookie.
  private let cookie = Secret()
  /// The tokens that nobody has used.
  private var tokens: [Secret] = []

  init(port: UInt16) {
    self.port = port
  }

  /// How many tokens may wait to be used.
  private static let tokenLimit = 16

  /// The outcome for a request.
  enum Verdict: Hashable, Sendable {
    case admitted
    /// The token was right: the answer gives the cookie.
    case exchanged(cookie: String)
    case refused(HTTPStatus, String)
  }

  /// The hosts that requests may name.
  ///
  /// Any other, as an attacker's domain whose address became that of this machine (DNS rebinding), is refused.
  var hosts: [String] {
    // Browsers leave out the port of HTTP.
    ["127.0.0.1", "[::1]", "localhost"].map { port == 80 ? $0 : "\($0):\(port)" }
  }

  /// Returns the address with a token that is good once.
  mutating func makeAddress() -> String {
    let token = Secret()
    tokens.append(token)
    if tokens.count > Self.tokenLimit { tokens.removeFirst() }
    return "http://\(hosts[0])/?token=\(token.text)"
  }

  /// Judges a request.
  mutating func judge(_ request: HTTPRequest) -> Verdict {
    guard let host = request.fields["host"], hosts.contains(host) else {
      return .refused(.forbidden, "The host isn't one of \(hosts.joined(separator: ", ")).")
    }
    if let origin = request.fields["origin"], origin != "http://\(host)" {
      return .refused(.forbidden, "Another page may not ask here.")
    }
    // What browsers say of themselves; a foreign page may lead here but not use anything.
    if let site = request.fields["sec-fetch-site"], site != "same-origin", site != "none",
      request.fields["sec-fetch-mode"] != "navigate"
    {
      return .refused(.forbidden, "Another page may not ask here.")
    }
    if request.path == "/", let token = request.parameter("token") { return use(token, request) }
    return hasCookie(request) ? .admitted : Self.unknown
  }

  /// The name of the cookie, which programs at other ports get too and must not take for theirs.
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
