internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// Reads frames from clients, with a time slice for each session.
extension Server {
  /// The time for sessions' input in one round of the loop; each gets a fifth at most.
  private static let iterationNanoseconds: UInt64 = 10_000_000
  /// The bytes of unanswered requests above which a session's next call waits.
  private static let requestBytes = 32 << 20
  /// The bytes of all unanswered requests above which sessions with more than a few of them wait.
  private static let allRequestBytes = 256 << 20
  private static let fewRequestBytes = 1 << 20

  func enqueue(_ session: Session) { sessions.enqueue(session) }

  /// Handles the sessions' input, each for its time slice.
  ///
  /// Sessions without a slice in this round come first in the next one.
  func serveReady() {
    releaseHeld()
    let count = sessions.ready.count
    guard count > 0 else { return }
    var time = Monotonic.now()
    let end = time + Self.iterationNanoseconds
    let slice = Self.iterationNanoseconds / UInt64(max(5, count))
    var served = 0
    while served < count, served == 0 || time < end {
      let session = sessions.ready[served]
      served += 1
      session.lists.remove(.ready)
      if session.lists.contains(.all) { serve(session, until: time + slice) }
      if served < count { time = Monotonic.now() }
    }
    sessions.dequeue(served)
  }

  private func serve(_ session: Session, until end: UInt64) {
    if session.input == .readable {
      session.input = .awaited
      receive(session)
    }
    if session.lists.contains(.all) { process(session, until: end) }
  }

  /// Reads the bytes that a client sent.
  private func receive(_ session: Session) {
    let count: Int
    do throws(SystemError) {
      count = try session.descriptor.read(into: received.bytes)
    } catch {
      if !error.wouldBlock { end(session) }
      return
    }
    guard count > 0 else {
      session.input = .ended
      session.revokeDirectAnswer()
      return scheduleFlush(session)
    }
    // Bytes after the end are discarded until the client notices it.
    if session.state.isClosing { return }
    session.lastProgress = now
    session.decoder.receive(UnsafeRawBufferPointer(rebasing: received.bytes[..<count]))
  }

  /// Begins calls that waited, and handles complete frames, until the time slice ends.
  private func process(_ session: Session, until end: UInt64) {
    repeat {
      if session.state.isClosing { return }
      do throws(DepotError) {
        guard startWaiting(session) ? true : try handleFrame(session) else {
          // Its socket may be watched again, or its connection may be finished.
          if session.input == .ended || !session.interest.contains(.reads) {
            scheduleFlush(session)
          }
          return
        }
      } catch {
        return perform(session.state.fail(error), session)
      }
    } while Monotonic.now() < end
    enqueue(session)
    scheduleFlush(session)
  }

  /// Handles the next frame, and returns whether there was one that needn't wait.
  private func handleFrame(_ session: Session) throws(DepotError) -> Bool {
    if let (frame, count) = session.held {
      guard hasRoom(session) else {
        sessions.hold(session)
        return false
      }
      session.held = nil
      perform(session.state.receive(frame, bytes: count), session)
      return true
    }
    guard let event = try session.decoder.nextPlace() else { return false }
    if let refusal = session.state.refusal {
      close(session, refusal)
      return true
    }
    switch event {
    case .frame(let place):
      let frame = try session.decoder.frame(at: place, &shapes)
      if case .call = frame, !hasRoom(session) {
        session.held = (frame, place.count)
        sessions.hold(session)
        scheduleFlush(session)
        return false
      }
      perform(session.state.receive(consume frame, bytes: place.count), session)
    case .skipped(let length):
      session.send(FrameDecoder.tooLarge(length, Limits.frameBytes))
      scheduleFlush(session)
    }
    return true
  }

  /// Whether a session's next call may begin, given its unanswered requests.
  ///
  /// Until then no more is read from it, so that requests can't fill the memory while a store is
  /// busy.
  private func hasRoom(_ session: Session) -> Bool {
    let own = session.state.requestBytes
    guard own > Self.fewRequestBytes else { return true }
    guard own <= Self.requestBytes else { return false }
    return sessions.values.reduce(0) { $0 + $1.state.requestBytes } <= Self.allRequestBytes
  }

  /// Continues with the sessions whose next call may begin now.
  private func releaseHeld() {
    guard !sessions.held.isEmpty else { return }
    for (number, session) in sessions.held {
      let isGone = !session.lists.contains(.all) || session.state.isClosing
      guard isGone || hasRoom(session) else { continue }
      sessions.release(number)
      guard !isGone else { continue }
      session.lastProgress = now
      enqueue(session)
    }
  }

  private func perform(_ action: consuming SessionState.Action, _ session: Session) {
    scheduleFlush(session)
    switch consume action {
    case .nothing: break
    case .welcome(let hello, let version): welcome(session, hello, version)
    case .start(let call): start(consume call, session)
    case .reject(let id, let error):
      session.fail(id, error)
      statistics.invalidCalls += 1
    case .grant(let id, let count):
      guard let credit = session.calls[id]?.stream?.credit else { return }
      session.calls[id]?.stream?.credit = credit + count
      topUp(session)
    case .cancel(let id):
      session.calls[id]?.control.cancel()
      endIfStopped(id, session)
    case .pong(let number): session.send { $0.write(.object(["pong": .int64(number)])) }
    case .close(let error): close(session, error)
    }
  }
}
