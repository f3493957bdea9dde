internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// A watch that reconnects until the user ends it.
final class WatchRun {
  private let session: CommandSession
  private let signals: TerminalSignals
  /// The longest time of trying to connect again.
  private let patience: UInt64
  /// Redraws after time has passed; returns the milliseconds until the next call.
  private let refresh: () throws -> Int?
  private var isInterrupted = false

  init(
    _ session: CommandSession,
    patience: Int,
    refresh: @escaping () throws -> Int?
  ) throws(DepotError) {
    self.session = session
    self.patience = UInt64(patience) * 1_000_000_000
    self.refresh = refresh
    signals = try attempt("There can be no more descriptors", .busy) { () throws(SystemError) in
      try TerminalSignals()
    }
  }

  /// Watches until the user interrupts, or the wanted number of frames has arrived.
  ///
  /// - Parameters:
  ///   - request: The query to watch.
  ///   - limit: The number of frames after which the watch ends; `body` says which frames count.
  ///   - token: Returns the token to continue from.
  ///   - lost: Is called when the connection was lost, before it is made again.
  ///   - body: Handles a frame and returns whether it counts.
  /// - Throws: ``DepotError`` if there is no service at first or for too long.
  func run(
    _ request: WatchRequest,
    limit: Int = .max,
    since token: () -> HistoryToken?,
    lost: (DepotError) throws -> Void,
    frames body: ([UInt8]) throws -> Bool
  ) throws {
    var connection = try session.connect(mayStart: false)
    var left = limit
    var request = request
    while true {
      request.since = token()
      do {
        return try connection.watch(request, waiting: wait) { bytes in
          if try body(bytes) { left -= 1 }
          return left > 0
        }
      } catch let error as DepotError where [.disconnected, .draining].contains(error.code) {
        try lost(error)
        guard let next = try reconnect(error) else { return }
        connection = next
      }
    }
  }

  /// Waits until a connection is readable; returns whether to continue.
  private func wait(_ socket: Descriptor) throws -> Bool {
    while true {
      let ready = Poll.wait(for: [socket, signals.descriptor], milliseconds: try refresh())
      takeSignals()
      if isInterrupted { return false }
      if ready[0] { return true }
    }
  }

  private func takeSignals() {
    while let event = signals.next() {
      if event == .interrupt { isInterrupted = true }
    }
  }

  /// Reconnects; `nil` if the user interrupts.
  private func reconnect(_ reason: DepotError) throws -> BlockingConnection? {
    let end = Monotonic.now() + patience
    var pause = 50
    while true {
      do {
        return try session.connect(mayStart: false)
      } catch {
        guard error.retry == .later, Monotonic.now() < end else { throw error }
      }
      let wake = Monotonic.now() + UInt64(pause) * 1_000_000
      while Monotonic.now() < wake {
        let left = Int((wake - min(wake, Monotonic.now())) / 1_000_000) + 1
        let next = try refresh()
        _ = Poll.wait(for: [signals.descriptor], milliseconds: min(left, next ?? left))
        takeSignals()
        if isInterrupted { return nil }
      }
      pause = min(pause * 2, 1000)
    }
  }
}
