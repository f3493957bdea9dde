import DepotLinux
package import DepotProtocol
import Foundation

/// A connection on which calls are written as text, one in each line.
package final class LineConnection {
  private let descriptor: Descriptor
  private var rest: [UInt8] = []
  private var number = 0

  /// - Parameters:
  ///   - socket: The service's socket.
  ///   - access: How much of the user's rights it is for; everything if `nil`.
  /// - Throws: ``DepotError`` if the service doesn't welcome it.
  package init(_ socket: String, access: String? = nil) throws {
    descriptor = try UnixSocket.connect(path: socket)
    try descriptor.setNonblocking()
    try send(
      access.map { #"{"hello":{"protocol":[1,1],"access":"\#($0)"}}"# }
        ?? #"{"hello":{"protocol":[1,1]}}"#
    )
    let welcome = try receive()
    guard welcome["welcome"] != nil else { throw DepotError(.hello, welcome.text) }
  }

  package func send(_ line: String) throws {
    var bytes = Array((line + "\n").utf8)
    while !bytes.isEmpty {
      do {
        bytes.removeFirst(try bytes.withUnsafeBytes { try descriptor.send($0) })
      } catch let error as SystemError where error.code == EAGAIN {
        DepotLinux.Process.sleep(milliseconds: 1)
      }
    }
  }

  /// Sends a call, and returns its number; `members` stand behind its arguments.
  package func begin(
    _ operation: String,
    _ arguments: String = "{}",
    _ members: String = ""
  ) throws -> Int64 {
    number += 1
    try send(#"{"id":\#(number),"call":"\#(operation)","args":\#(arguments)\#(members)}"#)
    return Int64(number)
  }

  /// Receives the next frame.
  ///
  /// - Throws: ``DepotError`` `unavailable.disconnected` at the end, or if nothing comes in time.
  package func receive() throws -> JSONValue {
    guard let frame = try receive(within: patience) else {
      throw DepotError(.disconnected, "Nothing came in time.")
    }
    return frame
  }

  /// Receives the next frame; `nil` if none comes in this time.
  ///
  /// - Throws: ``DepotError`` `unavailable.disconnected` at the end.
  package func receive(within limit: Duration) throws -> JSONValue? {
    let end = ContinuousClock.now + limit
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let end = rest.firstIndex(of: 0x0A) {
        defer { rest.removeSubrange(...end) }
        return try JSONValue(parsing: rest[..<end])
      }
      do {
        let count = try bytes.withUnsafeMutableBytes { try descriptor.read(into: $0) }
        guard count > 0 else { break }
        rest += bytes[..<count]
      } catch let error as SystemError where error.code == EAGAIN {
        let left = (end - ContinuousClock.now) / .milliseconds(1)
        guard left > 0 else { return nil }
        descriptor.waitUntilReadable(milliseconds: max(1, Int(left)))
      } catch {
        break
      }
    }
    throw DepotError(.disconnected, "The service closed the connection.")
  }

  /// The answer to a call: the rows of all its parts, and its end.
  package struct Answer: Equatable {
    package var rows: [JSONValue] = []
    package var result: JSONValue?
    package var error: JSONValue?

    /// Whether nothing in it differs from the right answer but that it was cut short by an error.
    package func isPart(of whole: Answer) -> Bool {
      if error == nil { return self == whole }
      return error?["code"]?.string == "storage.corrupt" && whole.rows.starts(with: rows)
    }
  }

  /// Makes a call, and waits for its end.
  package func call(
    _ operation: String,
    _ arguments: String = "{}",
    _ members: String = ""
  ) throws -> Answer {
    try end(of: try begin(operation, arguments, members))
  }

  /// Waits for the end of a call.
  package func end(of number: Int64) throws -> Answer {
    var answer = Answer()
    while true {
      let frame = try receive()
      if let next = frame["next"] {
        answer.rows += next.array ?? [next]
      } else if frame["id"]?.int64 == number, frame["ok"] != nil || frame["err"] != nil {
        answer.result = frame["ok"]
        answer.error = frame["err"]
        return answer
      }
    }
  }

  /// Makes a call that must succeed.
  @discardableResult
  package func demand(_ operation: String, _ arguments: String = "{}") throws -> Answer {
    let answer = try call(operation, arguments)
    if let error = answer.error { throw DepotError(.bug, "\(operation): \(error.text)") }
    return answer
  }
}
