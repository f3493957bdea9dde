internal import DepotLinux
internal import Synchronization

/// A connection's socket, with which other threads send without waking the server's thread.
///
/// They may send while the server's thread has no unsent output for it. Frames of different calls
/// may overtake each other; the sender keeps the frames of one call in order.
final class SharedSocket: Sendable {
  private struct State {
    /// `nil` once other threads may send no more.
    var descriptor: Descriptor?
    /// The unsent end of another thread's frames, when the kernel's buffer was full.
    var rest: [UInt8] = []
  }

  private let connection: Int64
  private let inbox: Inbox
  private let state: Mutex<State>
  /// Whether the server's thread has no output for it; changes under the lock.
  private let isFree = Atomic(true)

  init(_ connection: Int64, _ descriptor: Descriptor, _ inbox: Inbox) {
    self.connection = connection
    self.inbox = inbox
    state = Mutex(State(descriptor: descriptor))
  }

  /// Sends frames from any thread, if the socket is free; returns whether it was.
  ///
  /// `note` is called before anything is sent, so that it happens before the client can react.
  func send(_ frames: [UInt8], noting note: () -> Void) -> Bool {
    state.withLock { state in
      guard isFree.load(ordering: .relaxed), let descriptor = state.descriptor else { return false }
      note()
      var sent = 0
      // The server's thread also notices that the client is gone.
      while sent < frames.count, let count = try? descriptor.send(frames, from: sent) {
        sent += count
      }
      if sent < frames.count {
        state.rest = Array(frames[sent...])
        isFree.store(false, ordering: .relaxed)
        inbox.post(.rest(connection: connection))
      }
      return true
    }
  }

  // MARK: - Called by the server's thread

  /// Makes other threads wait with their output until the next ``flush(_:to:)``.
  func hold() { state.withLock { _ in isFree.store(false, ordering: .relaxed) } }

  /// Stops all sending by other threads.
  func close() { state.withLock { $0.descriptor = nil } }

  /// Sends as much output as the kernel accepts, after the frames of other threads.
  ///
  /// Without output this doesn't wait for a sending thread, as that posts its unsent rest, unless
  /// this may be the end of the connection.
  ///
  /// - Returns: Whether all is sent.
  /// - Throws: ``SystemError`` if the client is gone.
  func flush(
    _ output: inout OutputQueue,
    to descriptor: Descriptor,
    isEnding: Bool = false
  ) throws(SystemError) -> Bool {
    if !isEnding, output.count == 0, isFree.load(ordering: .relaxed) { return true }
    return try state.withLock { (state) throws(SystemError) in
      if !state.rest.isEmpty {
        output.prepend(state.rest)
        state.rest = []
      }
      isFree.store(false, ordering: .relaxed)
      let isSent = try output.flush(to: descriptor)
      isFree.store(isSent, ordering: .relaxed)
      return isSent
    }
  }
}
