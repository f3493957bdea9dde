package import DepotLinux
package import DepotProtocol
import Foundation

/// A connection over TCP on which a test writes requests as they are, and speaks as a WebSocket.
package final class RawBrowser {
  package let descriptor: Descriptor
  /// The bytes that were received and not taken.
  private var rest: [UInt8] = []
  private let port: UInt16

  package init(port: UInt16, _ family: LoopbackSocket.Family = .v4) throws {
    self.port = port
    descriptor = try LoopbackSocket.connect(family, port: port)
    try descriptor.setNonblocking()
  }

  /// The beginning of an answer.
  package struct Answer {
    package var status: Int
    /// The fields by their names in lower case.
    package var fields: [String: String]
    package var body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// Sends bytes, and waits for room; returns whether all were taken.
  @discardableResult
  package func send(_ bytes: [UInt8], within limit: Duration = patience) throws -> Bool {
    var sent = 0
    let end = ContinuousClock.now + limit
    while sent < bytes.count {
      do throws(SystemError) {
        sent += try descriptor.send(bytes, from: sent)
      } catch {
        guard error.wouldBlock else { throw error }
        guard ContinuousClock.now < end else { return false }
        DepotLinux.Process.sleep(milliseconds: 1)
      }
    }
    return true
  }

  package func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Receives more bytes; returns whether there were any before the end.
  private func receive() throws -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let end = ContinuousClock.now + patience
    while ContinuousClock.now < end {
      do {
        let count = try bytes.withUnsafeMutableBytes { try descriptor.read(into: $0) }
        rest += bytes[..<count]
        return count > 0
      } catch let error as SystemError where error.wouldBlock {
        descriptor.waitUntilReadable(milliseconds: 100)
      } catch {
        return false
      }
    }
    throw TestFailure("nothing came in time")
  }

  /// Reads to the end of the connection; returns true when it comes.
  package func isEnded() throws -> Bool {
    while try receive() {}
    return true
  }

  /// Takes so many bytes; `nil` at the end.
  package func take(_ count: Int) throws -> [UInt8]? {
    while rest.count < count {
      guard try receive() else { return nil }
    }
    defer { rest.removeFirst(count) }
    return Array(rest[..<count])
  }

  /// Receives an answer; `nil` at the end.
  package func answer() throws -> Answer? {
    let blank = Array("\r\n\r\n".utf8)
    var end: Int?
    while end == nil {
      end = rest.indices.dropLast(3).first { rest[$0..<$0 + 4].elementsEqual(blank) }
      if end == nil, try !receive() { return nil }
    }
    guard let end, let head = try take(end + 4) else { return nil }
    let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    var answer = Answer(status: 0, fields: [:], body: [])
    answer.status = Int(lines[0].split(separator: " ")[1]) ?? 0
    for line in lines.dropFirst() where !line.isEmpty {
      let parts = line.components(separatedBy: ": ")
      answer.fields[parts[0].lowercased()] = parts.dropFirst().joined(separator: ": ")
    }
    answer.body = try take(answer.fields["content-length"].flatMap { Int($0) } ?? 0) ?? []
    return answer
  }

  /// Sends a request of a well-behaved browser, and receives the answer.
  ///
  /// - Parameters:
  ///   - target: The path.
  ///   - method: The method.
  ///   - fields: More header fields, or others than a browser sends; `nil` leaves one out.
  /// - Returns: The answer; `nil` if the connection ends without one.
  /// - Throws: ``TestFailure`` if nothing comes.
  package func ask(
    _ target: String,
    method: String = "GET",
    _ fields: [String: String?] = [:]
  ) throws -> Answer? {
    var all: [String: String?] = ["Host": "127.0.0.1:\(port)"]
    for (name, value) in fields { all.updateValue(value, forKey: name) }
    let lines = all.sorted { $0.key < $1.key }.compactMap { name, value in
      value.map { "\(name): \($0)\r\n" }
    }
    try send("\(method) \(target) HTTP/1.1\r\n\(lines.joined())\r\n")
    return try answer()
  }

  /// The fields with which a browser asks for a WebSocket.
  package static func upgrade(port: UInt16) -> [String: String?] {
    [
      "Origin": "http://127.0.0.1:\(port)", "Upgrade": "websocket",
      "Connection": "keep-alive, Upgrade", "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]
  }

  /// Uses an address with its token; returns the cookie that it gives, or `nil`.
  package static func cookie(of address: String) throws -> String? {
    guard let url = URL(string: address), let port = url.port, let query = url.query else {
      return nil
    }
    let answer = try RawBrowser(port: UInt16(port)).ask("/?\(query)")
    return answer?.fields["set-cookie"]?.components(separatedBy: ";").first
  }

  /// Opens a WebSocket.
  ///
  /// - Throws: ``TestFailure`` if it is refused.
  package static func webSocket(port: UInt16, cookie: String) throws -> RawBrowser {
    let browser = try RawBrowser(port: port)
    var fields = upgrade(port: port)
    fields.updateValue(cookie, forKey: "Cookie")
    guard let answer = try browser.ask("/socket", fields), answer.status == 101 else {
      throw TestFailure("the WebSocket is refused")
    }
    return browser
  }

  /// A frame of a WebSocket.
  package struct Frame: Hashable {
    package var kind: UInt8
    package var content: [UInt8]

    package var text: String { String(decoding: content, as: UTF8.self) }

    /// The code of a frame that closes.
    package var code: Int? {
      kind == 8 && content.count >= 2 ? Int(content[0]) << 8 | Int(content[1]) : nil
    }
  }

  /// Returns the bytes of a frame, with a mask.
  package static func frame(
    _ content: [UInt8],
    kind: UInt8 = 1,
    isLast: Bool = true
  ) -> [UInt8] {
    let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    var bytes = [(isLast ? 0x80 : 0) | kind]
    switch content.count {
    case ..<126: bytes.append(0x80 | UInt8(content.count))
    case ..<65536: bytes += [0xFE, UInt8(content.count >> 8), UInt8(content.count & 255)]
    default:
      bytes.append(0xFF)
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(content.count >> shift & 255))
      }
    }
    return bytes + mask + content.enumerated().map { $1 ^ mask[$0 & 3] }
  }

  /// Sends a message.
  package func say(_ message: String) throws { try send(Self.frame(Array(message.utf8))) }

  /// Receives a frame; `nil` at the end.
  package func hear() throws -> Frame? {
    guard let head = try take(2) else { return nil }
    var size = Int(head[1] & 127)
    if size > 125 {
      guard let digits = try take(size == 126 ? 2 : 8) else { return nil }
      size = digits.reduce(0) { $0 << 8 | Int($1) }
    }
    return try take(size).map { Frame(kind: head[0] & 15, content: $0) }
  }

  /// Receives a message as JSON.
  package func hearJSON() throws -> JSONValue {
    guard let frame = try hear(), frame.kind == 1 else {
      throw TestFailure("no message came")
    }
    return try JSONValue(parsing: frame.content)
  }

  /// Sends a call after hello, and returns its terminal frame.
  package func call(_ id: Int, _ operation: String, _ arguments: String = "{}") throws -> JSONValue
  {
    try say(#"{"id":\#(id),"call":"\#(operation)","args":\#(arguments)}"#)
    while true {
      let frame = try hearJSON()
      if frame["ok"] != nil || frame["err"] != nil { return frame }
    }
  }
}
