import DepotLinux
import DepotProtocol
import Foundation
import Glibc

/// A connection on which calls are written as text, one in each line.
final class LineConnection {
  private let descriptor: Descriptor
  private var rest: [UInt8] = []
  private var number = 0

  init(_ socket: String) throws {
    descriptor = try UnixSocket.connect(path: socket)
    try send(#"{"hello":{"protocol":[1,1]}}"#)
    _ = try receive()
  }

  private func send(_ line: String) throws {
    try Array((line + "\n").utf8).withUnsafeBytes { try descriptor.write($0) }
  }

  private func receive() throws -> JSONValue {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let end = rest.firstIndex(of: 0x0A) {
        defer { rest.removeSubrange(...end) }
        return try JSONValue(parsing: rest[..<end])
      }
      let count = read(descriptor.number, &bytes, bytes.count)
      if count < 0, errno == EAGAIN {
        usleep(200)
        continue
      }
      guard count > 0 else { throw DepotError(.disconnected, "The service closed the connection.") }
      rest += bytes[..<count]
    }
  }

  /// The answer to a call: the rows of all its parts, and its end.
  struct Answer: Equatable {
    var rows: [JSONValue] = []
    var result: JSONValue?
    var error: JSONValue?

    /// Whether nothing in it differs from the right answer but that it was cut short by an error.
    func isPart(of whole: Answer) -> Bool {
      if error == nil { return self == whole }
      return error?["code"]?.string == "storage.corrupt" && whole.rows.starts(with: rows)
    }
  }

  /// Makes a call, and waits for its end.
  func call(_ operation: String, _ arguments: String) throws -> Answer {
    number += 1
    try send(#"{"id":\#(number),"call":"\#(operation)","args":\#(arguments)}"#)
    var answer = Answer()
    while true {
      let frame = try receive()
      if let next = frame["next"] {
        answer.rows += next.array ?? [next]
      } else if frame["id"]?.int64 == Int64(number), frame["ok"] != nil || frame["err"] != nil {
        answer.result = frame["ok"]
        answer.error = frame["err"]
        return answer
      }
    }
  }

  /// Makes a call that must succeed.
  @discardableResult
  func demand(_ operation: String, _ arguments: String) throws -> Answer {
    let answer = try call(operation, arguments)
    if let error = answer.error { throw DepotError(.bug, "\(operation): \(error.text)") }
    return answer
  }
}
