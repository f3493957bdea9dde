internal import DepotLinux
internal import Synchronization

/// The socket of a connection, to which other threads may send what the server's thread needn't be woken for.
///
/// They may while all is sent that the server's thread has for it. Frames of different calls may overtake
/// each other; whoever sends those of one call keeps them in order.
final class SharedSocket: Sendable {
  private struct State {
    /// `nil` as soon as nobody else may send any more.
    var descriptor: Descriptor?
    /// The end of what another thread has sent, for which the kernel had no room.
    var rest: [UInt8] = []
  }

  private let connection: Int64
  private let inbox: Inbox
  private let state: Mutex<State>
  /// Whether the server's thread has nothing for it; it changes under the lock.
  private let isFree = Atomic(true)

  init(_ connection: Int64, _ descriptor: Descriptor, _ inbox: Inbox) {
    self.connection = connection
    self.inbox = inbox
    state = Mutex(State(descriptor: descriptor))
  }

  /// Sends frames from any thread, if the socket is free; returns whether it was.
  ///
  /// `note` is called before anything is sent: whoever hears of it must find that it was given.
  func send(_ frames: [UInt8], noting note: () -> Void) -> Bool {
    state.withLock { state in
      guard isFree.load(ordering: .relaxed), let descriptor = state.descriptor else { return false }
      note()
      var sent = 0
      // If the client is gone, the server's thread hears of it too.
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

  /// Has other threads wait with what they send until the next ``flush(_:to:)``.
  func hold() { state.withLock { _ in isFree.store(false, ordering: .relaxed) } }

  /// Has nobody else send any more.
  func close() { state.withLock { $0.descriptor = nil } }

  /// Sends what the kernel takes of the output, behind what other threads have sent.
  ///
  /// With nothing to send, another thread that is sending isn't waited for, as it posts what it leaves; it is
  /// if this may be the end of the connection.
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
