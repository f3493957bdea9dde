internal import DepotProtocol

/// A stream that is under way.
protocol StreamRun {
  /// How many rows were written.
  var rowCount: Int { get }
  /// The rows of a watched query as they were read, once all are written.
  var snapshot: LiveSnapshot? { get }

  /// Moves to the next frame; returns whether one is still to be written.
  mutating func prepareFrame() throws -> Bool

  /// Appends a frame of about so many bytes of rows; returns whether it was the last.
  mutating func writeFrame(to writer: inout JSONWriter, byteLimit: Int) throws -> Bool

  /// Appends the terminal frame.
  func writeEnd(to writer: inout JSONWriter)

  /// Ends the statement, but not the snapshot, which is the connection's.
  func close()
}

/// A watched count or watched groups, compared with the client's state to find changes.
struct AnswerRun: StreamRun {
  let snapshot: LiveSnapshot?
  var rowCount: Int { 0 }

  func prepareFrame() -> Bool { false }
  func writeFrame(to writer: inout JSONWriter, byteLimit: Int) -> Bool { true }
  func writeEnd(to writer: inout JSONWriter) {}
  func close() {}
}
