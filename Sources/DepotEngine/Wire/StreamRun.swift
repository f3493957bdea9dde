internal import DepotProtocol

/// A running stream.
protocol StreamRun {
  /// The number of written rows.
  var rowCount: Int { get }
  /// The rows of a watched query to keep, once all are written.
  var snapshot: LiveSnapshot? { get }

  /// Moves to the next frame; returns whether one is needed.
  mutating func prepareFrame() throws -> Bool

  /// Appends a frame with about `byteLimit` bytes of rows; returns whether it was the last.
  mutating func writeFrame(to writer: inout JSONWriter, byteLimit: Int) throws -> Bool

  /// Appends the final frame.
  func writeEnd(to writer: inout JSONWriter)

  /// Ends the statement, but not the connection's snapshot.
  func close()
}

extension StreamRun {
  /// Returns a frame with about `byteLimit` bytes of rows, and whether it was the last.
  ///
  /// The final frame follows the last one.
  mutating func nextFrame(byteLimit: Int) throws -> (bytes: [UInt8], isLast: Bool) {
    var writer = JSONWriter(capacity: byteLimit + 4096)
    let isLast = try writeFrame(to: &writer, byteLimit: byteLimit)
    if isLast { writeEnd(to: &writer) }
    return (writer.bytes, isLast)
  }

  var finalFrame: [UInt8] { JSONWriter.bytes(writeEnd) }
}

/// The stream of a watched count or groups, which is compared with the client's state for changes.
struct AnswerRun: StreamRun {
  let snapshot: LiveSnapshot?
  var rowCount: Int { 0 }

  func prepareFrame() -> Bool { false }
  func writeFrame(to writer: inout JSONWriter, byteLimit: Int) -> Bool { true }
  func writeEnd(to writer: inout JSONWriter) {}
  func close() {}
}
