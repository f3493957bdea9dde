import DepotLinux
import DepotProtocol
import Foundation
import TestSupport

/// A connection that says exactly what it is told to.
final class RawConnection {
  let descriptor: Descriptor
  private var decoder = FrameDecoder(limit: 256 << 20, framing: .length)
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
  private let signal: WakeSignal

  /// Connects, and says hello unless told not to.
  init(_ socket: String, hello: Bool = true) throws {
    signal = try WakeSignal(isBlocking: false)
    descriptor = try UnixSocket.connect(path: socket)
    guard hello else { return }
    try send(#"{"hello":{"protocol":[1,1],"want":["credit"]}}"#)
    let answer = try receive()
    guard answer["welcome"] != nil else {
      throw DepotError(.hello, "no welcome: \(answer.text)")
    }
  }

  deinit { buffer.deallocate() }

  /// Sends bytes as they are.
  func send(bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      sent += try bytes.withUnsafeBytes {
        try descriptor.send(UnsafeRawBufferPointer(rebasing: $0[sent...]))
      }
    }
  }

  /// Sends a frame.
  func send(_ json: String) throws {
    try send(bytes: Self.frame(json))
  }

  static func frame(_ json: String) -> [UInt8] {
    let length = UInt32(json.utf8.count)
    return withUnsafeBytes(of: length.bigEndian) { Array($0) } + Array(json.utf8)
  }

  /// Sends a call; `members` stand behind its arguments.
  func call(
    _ id: Int,
    _ operation: String,
    _ arguments: String = "{}",
    _ members: String = ""
  ) throws {
    try send(#"{"id":\#(id),"call":"\#(operation)","args":\#(arguments)\#(members)}"#)
  }

  /// Receives the next frame.
  ///
  /// - Throws: ``DepotError`` `unavailable.disconnected` at the end, `deadline.passed` if nothing
  ///   comes in time.
  func receive(within limit: Duration = patience) throws -> JSONValue {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while true {
      if case .frame(let bytes)? = try decoder.next() { return try JSONValue(parsing: bytes) }
      guard try readSome(until: end) else {
        throw DepotError(.disconnected, "The service closed the connection.")
      }
    }
  }

  /// Receives the next frame, or `nil` if none comes in this time.
  func receiveIfAny(within limit: Duration) throws -> JSONValue? {
    do {
      return try receive(within: limit)
    } catch let error as DepotError where error.code == .deadline {
      return nil
    }
  }

  /// Receives until the end of the connection; returns the frames before it.
  func receiveAll(within limit: Duration = patience) throws -> [JSONValue] {
    var frames: [JSONValue] = []
    while true {
      do {
        frames.append(try receive(within: limit))
      } catch let error as DepotError where error.code == .disconnected {
        return frames
      }
    }
  }

  /// Receives the frames of a call up to its terminal one.
  func receiveAnswer(of id: Int) throws -> (next: [JSONValue], terminal: JSONValue) {
    var next: [JSONValue] = []
    while true {
      let frame = try receive()
      guard frame["id"]?.int64 == Int64(id) else { continue }
      if frame["next"] == nil { return (next, frame) }
      next.append(frame)
    }
  }

  private func readSome(until end: ContinuousClock.Instant) throws -> Bool {
    let left = (end - ContinuousClock().now) / .milliseconds(1)
    let ready = Poll.wait(
      for: descriptor,
      wantsWrite: false,
      or: signal,
      milliseconds: max(0, Int(left))
    )
    guard ready.canRead else { throw DepotError(.deadline, "Nothing came in time.") }
    do throws(SystemError) {
      let count = try descriptor.read(into: buffer)
      decoder.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      return count > 0
    } catch {
      guard error.code == ECONNRESET else { throw error }
      return false
    }
  }
}

extension JSONValue {
  /// The code of the error that the frame brings.
  var errorCode: String? { self["err"]?["code"]?.string }

  /// Follows member names and positions.
  subscript(path: String...) -> JSONValue? {
    path.reduce(self) { value, name in
      value.flatMap { value in
        Int(name).flatMap { index in
          value.array.flatMap { $0.indices.contains(index) ? $0[index] : nil }
        } ?? value[name]
      }
    }
  }
}
