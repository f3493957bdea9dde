/// The head of an HTTP/1.1 request without a body, the only requests that this server supports.
struct HTTPRequest: Hashable, Sendable {
  var method: String
  /// The path, and after a question mark the query.
  var target: String
  /// The header fields by their lower-case names.
  var fields: [String: String]

  /// The target up to the question mark.
  var path: Substring { target.prefix { $0 != "?" } }

  /// The value of a query parameter, without percent-decoding; `nil` if it is missing.
  func parameter(_ name: String) -> Substring? {
    guard let start = target.firstIndex(of: "?") else { return nil }
    for member in target[target.index(after: start)...].split(separator: "&") {
      let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0] == name { return parts[1] }
    }
    return nil
  }

  /// Whether a list field, such as `Connection`, contains a word.
  func lists(_ word: String, in field: String) -> Bool {
    fields[field]?.split(separator: ",").contains {
      $0.trimmedOfBlanks.lowercased() == word
    } ?? false
  }
}

/// The reason why bytes aren't a valid request, with the status for the answer.
struct HTTPFault: Error, Hashable, Sendable {
  var status: HTTPStatus
  var reason: String

  init(_ status: HTTPStatus, _ reason: String) {
    self.status = status
    self.reason = reason
  }
}

extension HTTPRequest {
  /// The most bytes of a head.
  static let headLimit = 16 << 10
  /// The most fields of a head.
  static let fieldLimit = 64

  /// Parses the first request in some bytes.
  ///
  /// It is strict also where RFC 9112 allows servers to be lenient.
  ///
  /// - Returns: The request, and how many bytes it has; `nil` if its end hasn't come.
  /// - Throws: ``HTTPFault`` if it can't be a request; the connection has to end then.
  static func first(
    in bytes: ArraySlice<UInt8>
  ) throws(HTTPFault) -> (request: HTTPRequest, count: Int)? {
    var lines: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    let limit = min(bytes.endIndex, bytes.startIndex + headLimit)
    for index in start..<limit where bytes[index] == newline {
      guard index > start, bytes[index - 1] == carriageReturn else {
        throw HTTPFault(.badRequest, "A line ends without a carriage return.")
      }
      let line = bytes[start..<index - 1]
      start = index + 1
      guard !line.isEmpty else { return (try HTTPRequest(lines), start - bytes.startIndex) }
      try checkCharacters(line)
      guard lines.count <= fieldLimit else {
        throw HTTPFault(.headTooLarge, "There are more than \(fieldLimit) header fields.")
      }
      // The first line is checked early, so that a client of another protocol is refused at once.
      if lines.isEmpty { _ = try HTTPRequest(firstLine: line) }
      lines.append(line)
    }
    guard bytes.count < headLimit else {
      throw HTTPFault(.headTooLarge, "The header has more than \(headLimit) bytes.")
    }
    let begun = bytes[start...]
    guard !lines.isEmpty || begun.allSatisfy({ isPrintable($0) || $0 == carriageReturn }) else {
      throw HTTPFault(.badRequest, "This is no request of HTTP.")
    }
    return nil
  }

  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  private static func isPrintable(_ byte: UInt8) -> Bool { (0x20..<0x7F).contains(byte) }

  private static func checkCharacters(_ line: ArraySlice<UInt8>) throws(HTTPFault) {
    guard line.allSatisfy({ isPrintable($0) || $0 == UInt8(ascii: "\t") }) else {
      throw HTTPFault(.badRequest, "A header has characters that aren't printable ASCII.")
    }
  }

  private init(firstLine first: ArraySlice<UInt8>) throws(HTTPFault) {
    let words = String(decoding: first, as: UTF8.self)
      .split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 3, !words[0].isEmpty, words[0].utf8.allSatisfy(Self.isTokenCharacter)
    else {
      throw HTTPFault(.badRequest, "The first line isn't a method, a target, and a version.")
    }
    guard words[2] == "HTTP/1.1" else {
      throw words[2].hasPrefix("HTTP/") && words[2].utf8.count == 8
        ? HTTPFault(.versionNotSupported, "Only HTTP/1.1 is spoken here.")
        : HTTPFault(.badRequest, "The first line ends with no version of HTTP.")
    }
    guard words[1].hasPrefix("/") else {
      throw HTTPFault(.badRequest, "The target isn't a path.")
    }
    (method, target, fields) = (words[0], words[1], [:])
  }

  private init(_ lines: [ArraySlice<UInt8>]) throws(HTTPFault) {
    guard let first = lines.first else {
      throw HTTPFault(.badRequest, "The request has no first line.")
    }
    try self.init(firstLine: first)
    for line in lines.dropFirst() {
      let (name, value) = try Self.field(line)
      guard fields.updateValue(value, forKey: name) == nil || Self.repeatable.contains(name) else {
        throw HTTPFault(.badRequest, "The header field \(name) is there twice.")
      }
    }
    guard fields["transfer-encoding"] == nil, (fields["content-length"] ?? "0") == "0" else {
      throw HTTPFault(.badRequest, "No request has a body here.")
    }
    guard fields["host"] != nil else {
      throw HTTPFault(.badRequest, "The header field host is missing.")
    }
  }

  /// The fields that may be there several times; their values are not used.
  private static let repeatable: Set<String> = [
    "accept", "accept-language", "cache-control", "pragma", "via", "sec-websocket-extensions",
    "sec-websocket-protocol",
  ]

  private static func field(
    _ line: ArraySlice<UInt8>
  ) throws(HTTPFault) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
      line[..<colon].allSatisfy(isTokenCharacter)
    else { throw HTTPFault(.badRequest, "A header field has no name.") }
    let value = String(decoding: line[(colon + 1)...], as: UTF8.self).trimmedOfBlanks
    return (String(decoding: line[..<colon], as: UTF8.self).lowercased(), value)
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

extension StringProtocol {
  /// The text without leading and trailing spaces and tabs.
  var trimmedOfBlanks: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    return String(String(drop(while: isBlank)).reversed().drop(while: isBlank).reversed())
  }
}
