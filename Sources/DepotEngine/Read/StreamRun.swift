internal import DepotProtocol

/// A stream that is under way.
enum StreamRun {
  case rows(FetchRun)
  case blob(BlobRun)
  case resume(ResumeRun)
  case history(HistoryRun)
  /// What a client that watches is told when it is compared with what it knows.
  case answer(LiveSnapshot)

  /// Whether a frame is still to be written.
  mutating func prepareFrame() throws(ReadEnd) -> Bool {
    switch self {
    case .rows(var run):
      defer { self = .rows(run) }
      return try run.prepareFrame()
    case .blob(let run):
      return run.hasFrame
    case .resume(let run):
      return run.hasFrame
    case .history(let run):
      return try run.prepareFrame()
    case .answer:
      return false
    }
  }

  /// Appends a frame; returns whether it was the last.
  mutating func writeFrame(
    to writer: inout JSONWriter,
    byteLimit: Int
  ) throws(ReadEnd) -> Bool {
    switch self {
    case .rows(var run):
      defer { self = .rows(run) }
      return try run.writeFrame(to: &writer, byteLimit: byteLimit)
    case .blob(var run):
      defer { self = .blob(run) }
      return try run.writeFrame(to: &writer)
    case .resume(var run):
      defer { self = .resume(run) }
      return try run.writeFrame(to: &writer)
    case .history(let run):
      return try run.writeFrame(to: &writer, byteLimit: byteLimit)
    case .answer:
      return true
    }
  }

  /// Appends the terminal frame.
  func writeEnd(to writer: inout JSONWriter) {
    switch self {
    case .rows(let run): run.writeEnd(to: &writer)
    case .blob(let run): run.writeEnd(to: &writer)
    case .history(let run): run.writeEnd(to: &writer)
    case .resume, .answer: break
    }
  }

  /// What is kept of the rows of a watched query.
  var snapshot: LiveSnapshot? {
    switch self {
    case .rows(let run): run.snapshot
    case .resume(let run): run.snapshot
    case .history(let run): run.snapshot
    case .answer(let snapshot): snapshot
    case .blob: nil
    }
  }

  /// How many rows were written.
  var rowCount: Int {
    switch self {
    case .rows(let run): run.rowCount
    case .blob(let run): run.rowCount
    case .resume(let run): run.rowCount
    case .history(let run): run.rowCount
    case .answer: 0
    }
  }

  /// Ends the statement and with it its snapshot.
  func close() {
    switch self {
    case .rows(let run): run.close()
    case .blob(let run): run.close()
    case .resume(let run): run.close()
    case .history(let run): run.close()
    case .answer: break
    }
  }
}
