import DepotLinux
import DepotProtocol
import Foundation

/// What a client process is to do.
struct ProofPlan: Codable, Sendable {
  var name: String
  /// What no other process of the run has.
  var number: Int64
  var seed: UInt64
  var socket: String
  /// Where it writes its recordings; when the file `stop` is there it ends.
  var folder: String
  var sessions: Int
  var subscribers: Int
  /// Whether there is work on notes, and whoever watches it.
  var hasNotes: Bool
  /// Rows that nobody deletes.
  var core: [Int64]
  var notes: [Int64]
  var labels: [Int64]
  /// What the service can do.
  var features: Set<String>
  /// The process that started it, without which it ends.
  var parent: Int32

  func has(_ feature: String) -> Bool { features.contains(feature) }
}

/// A client that never gives up: it connects again, and sends writes again with their keys.
final class ProofSession {
  let recorder: Recorder
  let name: String
  private let socket: String
  private var connection: RawConnection?
  private var nextCall = 1
  private var nextName = 0
  /// Whether to give up.
  private let isOver: () -> Bool

  /// Why a session gave up.
  struct GivenUp: Error {}

  init(name: String, socket: String, folder: String, isOver: @escaping () -> Bool) throws {
    self.name = name
    self.socket = socket
    self.isOver = isOver
    recorder = try Recorder("\(folder)/\(name).ndjson")
  }

  /// A name for the next operation.
  func newName() -> String {
    nextName += 1
    return "\(name)-\(nextName)"
  }

  /// How a call is hurried.
  enum Haste {
    case deadline(milliseconds: Int)
    /// It is cancelled after so many milliseconds.
    case cancel(milliseconds: UInt32)
  }

  /// The answer to a call.
  struct Answer {
    var rows: [JSONValue] = []
    var result: JSONValue?
    var error: JSONValue?
  }

  /// Calls, again and again until there is an answer that says what became of it.
  ///
  /// - Parameters:
  ///   - call: The operation.
  ///   - arguments: The object of its arguments.
  ///   - name: What the recording calls it, and the key of a write.
  ///   - isWrite: Whether it has a key and is sent again.
  ///   - members: More members of the frame.
  ///   - note: More members of the recording.
  ///   - kind: What the names of the events in the recording begin with.
  ///   - haste: How the first attempt is hurried.
  /// - Returns: The answer; `nil` if the connection was lost in a read.
  /// - Throws: ``GivenUp`` if it is over before that.
  func perform(
    _ call: String,
    _ arguments: String,
    name: String,
    isWrite: Bool,
    members: String = "",
    note: String = "",
    kind: String = "",
    haste: Haste? = nil
  ) throws -> Answer? {
    recorder.note(kind + "call", name, #","call":"\#(call)","args":\#(arguments)"#)
    var haste = haste
    let key = isWrite ? #","key":"\#(name)""# : ""
    while true {
      let attempt = try attempt(call, arguments, key + members, haste)
      // What an attempt that was lost has stored can't be taken back by hurrying another.
      haste = nil
      guard let answer = attempt else {
        recorder.note(kind + "lost", name)
        if isWrite { continue }
        return nil
      }
      if let error = answer.error {
        if isWrite, error["effect"]?.string == "unknown" { continue }
        recorder.note(kind + "err", name, #","err":\#(error.text)"#)
      } else {
        let rows = answer.rows.isEmpty ? "" : #","rows":\#(JSONValue.array(answer.rows).text)"#
        recorder.note(kind + "ok", name, #","ok":\#(answer.result?.text ?? "{}")\#(rows)\#(note)"#)
      }
      return answer
    }
  }

  /// Calls once.
  ///
  /// - Returns: The answer; `nil` if the connection was lost before it.
  func attempt(
    _ call: String,
    _ arguments: String,
    _ members: String = "",
    _ haste: Haste? = nil
  ) throws -> Answer? {
    do {
      let connection = try connected()
      let id = nextCall
      nextCall += 1
      var members = members
      if case .deadline(let milliseconds)? = haste {
        members += #","deadlineMs":\#(milliseconds)"#
      }
      try connection.call(id, call, arguments, members)
      if case .cancel(let milliseconds)? = haste {
        if milliseconds > 0 { DepotLinux.Process.sleep(milliseconds: milliseconds) }
        try connection.send(#"{"id":\#(id),"cancel":true}"#)
      }
      var answer = Answer()
      while true {
        let frame = try connection.receive()
        guard frame["id"]?.int64 == Int64(id) else { continue }
        if let result = frame["ok"] { answer.result = result }
        if let error = frame["err"] { answer.error = error }
        if answer.result != nil || answer.error != nil { return answer }
        answer.rows += frame["next"]?.array ?? []
        try connection.send(#"{"id":\#(id),"more":1}"#)
      }
    } catch is GivenUp {
      throw GivenUp()
    } catch {
      disconnect()
      return nil
    }
  }

  func disconnect() {
    connection = nil
    nextCall = 1
  }

  /// Returns the connection, waiting until there is a service.
  func connected() throws -> RawConnection {
    while true {
      if let connection { return connection }
      if isOver() { throw GivenUp() }
      connection = try? RawConnection(socket)
      if connection == nil { DepotLinux.Process.sleep(milliseconds: 5) }
    }
  }
}
