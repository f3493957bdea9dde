internal import DepotLinux

/// The listening socket, and whether the loop watches it.
struct Acceptor {
  private enum State {
    /// Clients come from inside of the program only.
    case absent
    /// The kernel queues new clients.
    case paused(ListeningSocket)
    case accepting(ListeningSocket)
  }

  private var state: State
  /// Whether the last attempt to accept found no descriptors.
  var isExhausted = false
  /// Whether the socket is gone from its path and couldn't be made again.
  var hasLostSocket = false

  init(_ listener: ListeningSocket?) {
    state = listener.map(State.paused) ?? .absent
  }

  /// The socket, if there is one.
  var listener: ListeningSocket? {
    switch state {
    case .absent: nil
    case .paused(let listener), .accepting(let listener): listener
    }
  }

  /// The socket, if the loop watches it.
  var watched: ListeningSocket? {
    if case .accepting(let listener) = state { listener } else { nil }
  }

  /// Whether clients may wait for the loop to watch the socket again.
  var isPaused: Bool { if case .paused = state { true } else { false } }

  /// Makes a loop watch the socket, unless it does.
  mutating func watch(in loop: EventLoop, token: Int64) throws(SystemError) {
    guard case .paused(let listener) = state else { return }
    try loop.add(listener.descriptor, token: token)
    state = .accepting(listener)
  }

  /// Makes a loop stop watching the socket; the kernel queues new clients.
  mutating func pause(in loop: EventLoop) {
    guard case .accepting(let listener) = state else { return }
    loop.remove(listener.descriptor)
    state = .paused(listener)
  }

  /// Puts another socket into the place of one that is gone; it is watched later.
  mutating func replace(with listener: ListeningSocket, in loop: EventLoop) {
    pause(in: loop)
    state = .paused(listener)
    hasLostSocket = false
  }
}
