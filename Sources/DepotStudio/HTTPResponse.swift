/// The status codes of this server's answers.
enum HTTPStatus: Int, Hashable, Sendable {
  case switchingProtocols = 101
  case ok = 200
  case seeOther = 303
  case notModified = 304
  case badRequest = 400
  case unauthorized = 401
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case requestTimeout = 408
  case upgradeRequired = 426
  case headTooLarge = 431
  case unavailable = 503
  case versionNotSupported = 505

  var phrase: String {
    switch self {
    case .switchingProtocols: "Switching Protocols"
    case .ok: "OK"
    case .seeOther: "See Other"
    case .notModified: "Not Modified"
    case .badRequest: "Bad Request"
    case .unauthorized: "Unauthorized"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .requestTimeout: "Request Timeout"
    case .upgradeRequired: "Upgrade Required"
    case .headTooLarge: "Request Header Fields Too Large"
    case .unavailable: "Service Unavailable"
    case .versionNotSupported: "HTTP Version Not Supported"
    }
  }
}

/// An answer to a request.
struct HTTPResponse: Hashable, Sendable {
  var status: HTTPStatus
  var fields: [(name: String, value: String)] = []
  var body: [UInt8] = []
  /// Whether the connection is closed after it.
  var closes = false

  /// Makes an answer with a file or a document.
  init(_ type: String, _ body: [UInt8]) {
    status = .ok
    self.body = body
    fields = [("Content-Type", type)]
  }

  /// Makes an answer with a status, and a sentence for users.
  init(_ status: HTTPStatus, _ sentence: String = "") {
    self.status = status
    if !sentence.isEmpty {
      body = Array((sentence + "\n").utf8)
      fields = [("Content-Type", "text/plain; charset=utf-8")]
    }
  }

  init(_ fault: HTTPFault) {
    self.init(fault.status, fault.reason)
    closes = true
  }

  /// Returns the answer with an additional header field.
  func with(_ name: String, _ value: String) -> HTTPResponse {
    var copy = self
    copy.fields.append((name, value))
    return copy
  }

  /// The header fields of every answer.
  ///
  /// Nothing from another origin may be loaded, run, or requested; no other page may frame, read,
  /// or include this one; and no text becomes markup in browsers with trusted types.
  static let protection: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        + "trusted-types 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
  ]

  /// The encoded answer.
  var bytes: [UInt8] {
    var head = "HTTP/1.1 \(status.rawValue) \(status.phrase)\r\n"
    var all = fields + Self.protection
    if !all.contains(where: { $0.name == "Cache-Control" }) {
      all.append(("Cache-Control", "no-store"))
    }
    if status != .switchingProtocols {
      if status != .notModified { all.append(("Content-Length", "\(body.count)")) }
      if closes { all.append(("Connection", "close")) }
    }
    for (name, value) in all { head += "\(name): \(value)\r\n" }
    return Array((head + "\r\n").utf8) + body
  }

  static func == (one: HTTPResponse, other: HTTPResponse) -> Bool { one.bytes == other.bytes }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
