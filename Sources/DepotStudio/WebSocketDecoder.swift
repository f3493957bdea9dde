/// Splits a browser's bytes into the messages of a WebSocket (RFC 6455).
struct WebSocketDecoder: Sendable {
  /// An event from the browser.
  enum Event: Hashable, Sendable {
    case text([UInt8])
    case ping([UInt8])
    case pong
    /// The browser closes the WebSocket, with a code if it sent one.
    case close(UInt16?)
  }

  /// The reason why the connection has to end, with the code of its close frame.
  struct Fault: Error, Hashable, Sendable {
    var code: UInt16
    var reason: String

    static func violation(_ reason: String) -> Fault { Fault(code: 1002, reason: reason) }
  }

  private enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  private struct Header {
    var isLast: Bool
    var opcode: Opcode
    var size: Int
    var mask: (UInt8, UInt8, UInt8, UInt8)
    var count: Int
  }

  private let limit: Int
  private var buffer: [UInt8] = []
  private var start = 0
  /// The frames of an unfinished message.
  private var message: [UInt8] = []
  private var isInMessage = false

  /// Creates a decoder of messages with at most `limit` bytes.
  init(limit: Int) {
    self.limit = limit
  }

  /// The number of stored bytes.
  var heldCount: Int { buffer.count - start + message.count }

  /// Adds received bytes.
  mutating func receive(_ bytes: some Collection<UInt8>) {
    if start == buffer.count {
      buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 16)
      start = 0
    } else if start > 1 << 16 {
      buffer.removeSubrange(..<start)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Removes and returns the next event, or `nil` if more bytes are needed.
  ///
  /// - Throws: ``Fault`` if a frame is invalid or too large, as soon as its header is received.
  mutating func next() throws(Fault) -> Event? {
    while let header = try header() {
      try check(header)
      guard buffer.count - start >= header.count + header.size else { return nil }
      let content = takeContent(header)
      if let event = try take(content, header) { return event }
    }
    return nil
  }

  private func header() throws(Fault) -> Header? {
    let available = buffer.count - start
    guard available >= 2 else { return nil }
    let (first, second) = (buffer[start], buffer[start + 1])
    guard first & 0x70 == 0 else { throw .violation("A frame has reserved bits.") }
    guard let opcode = Opcode(rawValue: first & 15) else {
      throw .violation("A frame is of an unknown kind.")
    }
    guard second & 0x80 != 0 else { throw .violation("A frame isn't masked.") }
    let short = Int(second & 0x7F)
    let sizeCount = short < 126 ? 0 : short == 126 ? 2 : 8
    let count = 2 + sizeCount + 4
    guard !opcode.isControl || short < 126 && first & 0x80 != 0 else {
      throw .violation("A control frame is too long or in parts.")
    }
    guard available >= count else { return nil }
    var size: UInt64 = sizeCount == 0 ? UInt64(short) : 0
    for index in 0..<sizeCount { size = size << 8 | UInt64(buffer[start + 2 + index]) }
    guard size <= UInt64(Int64.max) else { throw .violation("A frame has an impossible size.") }
    guard sizeCount == 0 || size >= (sizeCount == 2 ? 126 : 65536) else {
      throw .violation("The size of a frame isn't in its shortest form.")
    }
    let mask = start + count - 4
    return Header(
      isLast: first & 0x80 != 0,
      opcode: opcode,
      size: Int(size),
      mask: (buffer[mask], buffer[mask + 1], buffer[mask + 2], buffer[mask + 3]),
      count: count
    )
  }

  private func check(_ header: Header) throws(Fault) {
    switch header.opcode {
    case .binary: throw Fault(code: 1003, reason: "Frames are text.")
    case .text where isInMessage: throw .violation("A message begins within another.")
    case .continuation where !isInMessage: throw .violation("There is nothing to continue.")
    case .text, .continuation:
      guard header.size <= limit - message.count else {
        throw Fault(code: 1009, reason: "A message has at most \(limit) bytes.")
      }
    case .close, .ping, .pong: break
    }
  }

  private mutating func takeContent(_ header: Header) -> [UInt8] {
    let first = start + header.count
    let mask = header.mask
    let content = [UInt8](unsafeUninitializedCapacity: header.size) { result, count in
      buffer.withUnsafeBufferPointer { bytes in
        for index in 0..<header.size {
          let key =
            switch index & 3 {
            case 0: mask.0
            case 1: mask.1
            case 2: mask.2
            default: mask.3
            }
          result.initializeElement(at: index, to: bytes[first + index] ^ key)
        }
      }
      count = header.size
    }
    start = first + header.size
    return content
  }

  private mutating func take(_ content: [UInt8], _ header: Header) throws(Fault) -> Event? {
    switch header.opcode {
    case .ping: return .ping(content)
    case .pong: return .pong
    case .close:
      guard !content.isEmpty else { return .close(nil) }
      guard content.count >= 2 else { throw .violation("A close has half a code.") }
      return .close(UInt16(content[0]) << 8 | UInt16(content[1]))
    case .text, .binary, .continuation:
      message.append(contentsOf: content)
      isInMessage = !header.isLast
      guard header.isLast else { return nil }
      let whole = message
      message = []
      guard String(validating: whole, as: UTF8.self) != nil else {
        throw Fault(code: 1007, reason: "A message isn't UTF-8.")
      }
      return .text(whole)
    }
  }
}

/// Encodes the frames for the browser.
enum WebSocketFrame {
  /// Appends a text message.
  static func append(text: [UInt8], to bytes: inout [UInt8]) {
    append(0x81, text, to: &bytes)
  }

  static func append(pong content: [UInt8], to bytes: inout [UInt8]) {
    append(0x8A, content, to: &bytes)
  }

  /// Adds the last frame, with a code and a reason of at most 123 bytes.
  static func append(close code: UInt16, _ reason: String, to bytes: inout [UInt8]) {
    var text = reason
    while text.utf8.count > 123 { text.removeLast() }
    append(0x88, [UInt8(code >> 8), UInt8(code & 255)] + Array(text.utf8), to: &bytes)
  }

  private static func append(_ first: UInt8, _ content: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(first)
    let sizeCount: Int
    switch content.count {
    case ..<126:
      bytes.append(UInt8(content.count))
      sizeCount = 0
    case ..<65536:
      bytes.append(126)
      sizeCount = 2
    default:
      bytes.append(127)
      sizeCount = 8
    }
    for index in 0..<sizeCount {
      bytes.append(UInt8(truncatingIfNeeded: content.count >> (8 * (sizeCount - 1 - index))))
    }
    bytes.append(contentsOf: content)
  }
}

/// The handshake of a WebSocket.
enum WebSocketHandshake {
  private static let identifier = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  /// Returns the answer that starts the WebSocket, or the refusal of an invalid request.
  static func answer(_ request: HTTPRequest) -> HTTPResponse {
    guard request.lists("websocket", in: "upgrade"), request.lists("upgrade", in: "connection")
    else {
      return HTTPResponse(.upgradeRequired, "A WebSocket is here.")
        .with("Upgrade", "websocket").with("Connection", "Upgrade")
    }
    // Browsers always send the origin of the page.
    guard request.fields["origin"] != nil else {
      return HTTPResponse(.forbidden, "A WebSocket needs an origin.")
    }
    guard request.fields["sec-websocket-version"] == "13" else {
      return HTTPResponse(.upgradeRequired, "The version of WebSockets is 13.")
        .with("Sec-WebSocket-Version", "13").with("Upgrade", "websocket")
    }
    guard let key = request.fields["sec-websocket-key"], isKey(key) else {
      return HTTPResponse(.badRequest, "The key isn't 16 bytes of base64.")
    }
    return HTTPResponse(.switchingProtocols)
      .with("Upgrade", "websocket").with("Connection", "Upgrade")
      .with("Sec-WebSocket-Accept", SHA1.base64(Array((key + identifier).utf8)))
  }

  private static func isKey(_ text: String) -> Bool {
    text.utf8.count == 24 && text.hasSuffix("==")
      && text.utf8.dropLast(2).allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "/"):
          true
        default: false
        }
      }
  }
}
