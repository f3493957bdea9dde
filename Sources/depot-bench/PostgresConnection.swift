import DepotLinux
import Foundation

/// A connection to PostgreSQL that waits for each answer (protocol 3.0).
///
/// It is as thin as a client can be, so that the service is measured.
final class PostgresConnection {
  private let descriptor: Descriptor
  private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var received: [UInt8] = []
  private var start = 0
  private var message: [UInt8] = []

  /// Connects to the server whose socket is in `folder`, as the user bench.
  ///
  /// - Throws: ``SystemError`` if there is no server, ``BenchError`` if it wants a password.
  init(folder: String) throws {
    descriptor = try UnixSocket.connect(path: folder + "/.s.PGSQL.5432")
    var content: [UInt8] = []
    Self.append(Int32(196_608), to: &content)
    for text in ["user", "bench", "database", "postgres", ""] { Self.append(text, to: &content) }
    Self.append(Int32(content.count + 4), to: &message)
    try send(message + content)
    try waitUntilReady()
  }

  deinit { chunk.deallocate() }

  /// Runs statements that have no parameters.
  func run(_ sql: String) throws {
    message.removeAll(keepingCapacity: true)
    append("Q") { Self.append(sql, to: &$0) }
    try send(message)
    try waitUntilReady()
  }

  /// Prepares the statement that ``execute(_:)`` runs.
  func prepare(_ sql: String) throws {
    message.removeAll(keepingCapacity: true)
    append("P") { content in
      Self.append("s", to: &content)
      Self.append(sql, to: &content)
      Self.append(Int16(0), to: &content)
    }
    append("S") { _ in }
    try send(message)
    try waitUntilReady()
  }

  /// Runs the prepared statement in a transaction of its own.
  func execute(_ values: [String]) throws {
    message.removeAll(keepingCapacity: true)
    append("B") { content in
      Self.append("", to: &content)
      Self.append("s", to: &content)
      Self.append(Int16(0), to: &content)
      Self.append(Int16(values.count), to: &content)
      for value in values {
        Self.append(Int32(value.utf8.count), to: &content)
        content += value.utf8
      }
      Self.append(Int16(0), to: &content)
    }
    append("E") { content in
      Self.append("", to: &content)
      Self.append(Int32(0), to: &content)
    }
    append("S") { _ in }
    try send(message)
    try waitUntilReady()
  }

  /// Waits for a notification; returns its payload.
  func notification() throws -> String {
    while true {
      let (kind, content) = try next()
      guard kind == UInt8(ascii: "A") else { continue }
      let texts = content.dropFirst(4).split(separator: 0, omittingEmptySubsequences: false)
      guard texts.count > 1 else { throw BenchError("a notification says nothing") }
      return String(decoding: texts[1], as: UTF8.self)
    }
  }

  private func waitUntilReady() throws {
    var failure: String?
    while true {
      let (kind, content) = try next()
      switch kind {
      case UInt8(ascii: "Z"):
        if let failure { throw BenchError("PostgreSQL: \(failure)") }
        return
      case UInt8(ascii: "E"): failure = String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "R") where content.last != 0:
        throw BenchError("PostgreSQL wants a password")
      default: continue
      }
    }
  }

  /// Returns the next message: its kind and its content.
  private func next() throws -> (UInt8, ArraySlice<UInt8>) {
    while true {
      if received.count - start >= 5 {
        let length = received[start + 1..<start + 5].reduce(0) { $0 << 8 | Int($1) }
        if received.count - start > length {
          let content = start + 5..<start + 1 + length
          let kind = received[start]
          start = content.upperBound
          return (kind, received[content])
        }
      }
      received.removeFirst(start)
      start = 0
      let count = try descriptor.read(into: chunk)
      guard count > 0 else { throw BenchError("PostgreSQL closed a connection") }
      received += UnsafeRawBufferPointer(rebasing: chunk[..<count])
    }
  }

  private func send(_ bytes: [UInt8]) throws {
    let count = try bytes.withUnsafeBytes { try descriptor.send($0) }
    guard count == bytes.count else { throw BenchError("the kernel took half a message") }
  }

  private func append(_ kind: Unicode.Scalar, _ body: (inout [UInt8]) -> Void) {
    var content: [UInt8] = []
    body(&content)
    message.append(UInt8(ascii: kind))
    Self.append(Int32(content.count + 4), to: &message)
    message += content
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes += text.utf8
    bytes.append(0)
  }
}
