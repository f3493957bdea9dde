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
    /// Whether the server's thread has nothing for it.
    var isFree = true
    /// The end of what another thread has sent, for which the kernel had no room.
    var rest: [UInt8] = []
  }

  private let connection: Int64
  private let inbox: Inbox
  private let state: Mutex<State>

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
      guard state.isFree, let descriptor = state.descriptor else { return false }
      note()
      var sent = 0
      frames.withUnsafeBytes { bytes in
        while sent < bytes.count {
          let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
          // If the client is gone, the server's thread hears of it too.
          guard let count = try? descriptor.send(rest) else { return }
          sent += count
        }
      }
      if sent < frames.count {
        state.rest = Array(frames[sent...])
        state.isFree = false
        inbox.post(.rest(connection: connection))
      }
      return true
    }
  }

  // MARK: - Called by the server's thread

  /// Has other threads wait with what they send until the next ``flush(_:to:)``.
  func hold() { state.withLock { $0.isFree = false } }

  /// Has nobody else send any more.
  func close() { state.withLock { $0.descriptor = nil } }

  /// Sends what the kernel takes of the output, behind what other threads have sent.
  ///
  /// - Returns: Whether all is sent.
  /// - Throws: ``SystemError`` if the client is gone.
  func flush(
    _ output: inout OutputQueue,
    to descriptor: Descriptor
  ) throws(SystemError) -> Bool {
    try state.withLock { (state) throws(SystemError) in
      if !state.rest.isEmpty {
        output.prepend(state.rest)
        state.rest = []
      }
      state.isFree = false
      state.isFree = try output.flush(to: descriptor)
      return state.isFree
    }
  }
}
