package import DepotLinux
package import DepotProtocol

/// Streams that are read between other calls.
extension BlockingConnection {
  /// How many frames of an open stream may be on their way.
  static let window = 8

  /// Begins a stream, whose frames ``nextFrame(of:)`` returns.
  ///
  /// - Returns: The number of the call.
  package func openStream(_ operation: Operation, deadline: Duration?) throws -> Int64 {
    let call = try call(of: operation, deadline: deadline, credit: Self.window)
    return try use(isWrite: false) {
      let id = try sendFrame(call)
      calls.streams[id] = OpenStream()
      return id
    }
  }

  /// Waits for the next frame of a stream; `nil` at the end, or if `wait` returned `false`.
  ///
  /// - Throws: The ``DepotError`` that ended the stream; errors of `wait`.
  package func nextFrame(
    of id: Int64,
    waiting wait: (Descriptor) throws -> Bool = { _ in true }
  ) throws -> RowFrame? {
    guard let stream = calls.streams[id] else { return nil }
    return try use(isWrite: false) {
      if let frame = stream.frames.first {
        calls.streams[id]?.frames.removeFirst()
        try allowMore(id)
        return frame
      }
      switch try nextPart(of: id, waiting: wait) {
      case .frame(let frame):
        try allowMore(id)
        return frame
      case nil: return nil
      case .end(let result):
        calls.streams[id] = nil
        _ = try result.get()
        return nil
      }
    }
  }

  /// Counts a consumed frame, and grants the service credit for several together.
  private func allowMore(_ id: Int64) throws(DepotError) {
    guard let taken = calls.streams[id]?.taken else { return }
    let isEnough = (taken + 1) * 2 >= Self.window
    calls.streams[id]?.taken = isEnough ? 0 : taken + 1
    if isEnough { try control(id, "more", .int64(Int64(taken + 1))) }
  }

  /// Cancels a stream that isn't read any more; nothing happens if it is over.
  package func closeStream(_ id: Int64) {
    guard calls.streams.removeValue(forKey: id) != nil else { return }
    _ = try? use(isWrite: false) {
      if calls.early.removeValue(forKey: id) != nil { return }
      try cancel(id)
      _ = try receive(id)
    }
  }
}
