internal import DepotProtocol

/// The calls of one client and the next actions for them, without any input or output.
///
/// Every call that is submitted gets exactly one ``Action/finish(_:_:)``. A ticket identifies a
/// call across connections; its id is its number on one of them.
struct ReplyTable: Sendable {
  typealias Ticket = Int64

  /// A task of the table's owner.
  enum Action: Sendable {
    case send(ClientFrame)
    /// The outcome; a ``CancellationError`` if the call was cancelled.
    case finish(Ticket, Result<JSONNode, any Error>)
    /// A frame of a stream.
    case rows(Ticket, RowFrame)
  }

  private var calls: [Ticket: PendingCall] = [:]
  private var tickets: [Int64: Ticket] = [:]
  /// The ids of calls whose answers are ignored, but which the service still counts.
  private var abandoned: Set<Int64> = []
  /// The calls that wait in each lane.
  private var waiting = PendingCall.QueueKind.allCases.map { _ in Queue<Ticket>() }
  /// How many calls of each lane the service has.
  private var sent = PendingCall.QueueKind.allCases.map { _ in 0 }
  private var nextTicket: Ticket = 0
  private var lastUrgentTicket: Ticket = 0
  private var nextID: Int64 = 1
  private var limits: (inFlight: Int, streams: Int, watches: Int)?
  /// When a call may fail here for lack of time, on the monotonic clock in nanoseconds.
  private(set) var nextExpiry: UInt64?
  /// Whether the service ends the connection after answering the calls that it has.
  private(set) var isDraining = false
}

extension ReplyTable {
  /// How many calls the service is working on, without watches, which have a limit of their own.
  var inFlight: Int { tickets.count + abandoned.count - sent[.watch] }

  /// Whether any call waits for its outcome.
  var isEmpty: Bool { calls.isEmpty }

  /// Returns a ticket for a call to come.
  mutating func reserve() -> Ticket {
    nextTicket += 1
    return nextTicket
  }

  /// Adds a call to be sent before all waiting ones; its outcome is ignored.
  mutating func submitFirst(_ call: PendingCall) {
    // Lower than every ticket that was reserved.
    lastUrgentTicket -= 1
    calls[lastUrgentTicket] = call
    waiting[call.queueKind].putBack([lastUrgentTicket])
  }

  /// Adds a call, to be sent after the waiting ones.
  mutating func submit(_ call: PendingCall, as ticket: Ticket, now: UInt64) -> [Action] {
    calls[ticket] = call
    noteExpiry(call)
    waiting[call.queueKind].append(ticket)
    let actions = admit(now: now)
    if call.queueKind != .plain, calls[ticket]?.id == nil { setQueueDeadline(of: ticket, now: now) }
    return actions
  }

  /// Sends the next calls: within the service's limits, in the order of submission.
  mutating func admit(now: UInt64) -> [Action] {
    guard let limits, !isDraining else { return [] }
    var actions: [Action] = []
    while inFlight < limits.inFlight {
      let stream = sent[.stream] < limits.streams ? first(.stream) : nil
      guard let ticket = [first(.plain), stream].compactMap({ $0 }).min() else { break }
      actions += send(ticket, now: now)
    }
    while sent[.watch] < limits.watches, let ticket = first(.watch) {
      actions += send(ticket, now: now)
    }
    return actions
  }

  /// Returns the oldest call that waits in a lane and isn't finished.
  private mutating func first(_ queueKind: PendingCall.QueueKind) -> Ticket? {
    while let ticket = waiting[queueKind].first, calls[ticket] == nil {
      waiting[queueKind].removeFirst()
    }
    return waiting[queueKind].first
  }

  /// Sends the call that is the first in its lane.
  private mutating func send(_ ticket: Ticket, now: UInt64) -> [Action] {
    guard var call = calls[ticket] else { return [] }
    let id = nextID
    nextID += 1
    let frame = call.send(as: id, now: now)
    calls[ticket] = call
    tickets[id] = ticket
    waiting[call.queueKind].removeFirst()
    sent[call.queueKind] += 1
    return [.send(.call(frame))]
  }

  /// Ends a call that was sent or not.
  private mutating func finish(
    _ ticket: Ticket,
    _ result: Result<JSONNode, any Error>
  ) -> [Action] {
    guard let call = calls.removeValue(forKey: ticket) else { return [] }
    if call.id != nil { sent[call.queueKind] -= 1 }
    return [.finish(ticket, result)]
  }

  /// Cancels a call: on the service if it was sent, at once if not.
  mutating func cancel(_ ticket: Ticket) -> [Action] {
    guard let call = calls[ticket], !call.isCancelled else { return [] }
    calls[ticket]?.markCancelled()
    if let id = call.id { return call.isDoubtful ? [] : [.send(.cancel(id: id))] }
    return finishIfCancelled(ticket)
  }

  /// Ends a call that the service doesn't have and that was cancelled, if it can't have done anything.
  private mutating func finishIfCancelled(_ ticket: Ticket) -> [Action] {
    guard let call = calls[ticket], call.isCancelled, !call.mayBeDone else { return [] }
    return finish(ticket, .failure(CancellationError()))
  }

  /// Allows a stream to send more frames, because that many were consumed.
  mutating func more(_ ticket: Ticket, _ count: Int) -> [Action] {
    guard let id = calls[ticket]?.id else { return [] }
    return [.send(.more(id: id, count))]
  }

  /// Fails a call that turned out not to be sent; the next ``admit(now:)`` sends others instead.
  mutating func fail(_ id: Int64, _ error: DepotError) -> [Action] {
    guard let ticket = tickets.removeValue(forKey: id) else { return [] }
    return finish(ticket, .failure(error))
  }
}

extension ReplyTable {
  /// Records a new connection for calls.
  mutating func connect(
    inFlight: Int,
    streams: Int,
    watches: Int = Limits.watches,
    now: UInt64
  ) -> [Action] {
    limits = (inFlight, streams, watches)
    isDraining = false
    return admit(now: now)
  }

  /// Records that the service will answer the calls that it has, and no more.
  mutating func drain() {
    isDraining = true
  }

  /// Records that the service has begun none of the unanswered calls.
  ///
  /// Calls about this connection fail with it.
  mutating func end() -> [Action] {
    isDraining = true
    let unanswered = tickets.filter { ticket in
      calls[ticket.value].map { !$0.hasDelivered && !$0.operation.isOfConnection } ?? false
    }
    for id in unanswered.keys { tickets[id] = nil }
    return withdraw(unanswered.values.sorted())
  }

  /// Takes back calls that the service hasn't begun, to be sent again unless they were cancelled.
  private mutating func withdraw(_ tickets: [Ticket]) -> [Action] {
    for ticket in tickets { calls[ticket]?.withdraw() }
    requeue(tickets)
    return tickets.flatMap { finishIfCancelled($0) }
  }

  /// Records the terminal frame of a call.
  mutating func receive(
    _ id: Int64,
    _ result: Result<JSONNode, DepotError>,
    now: UInt64
  ) -> [Action] {
    guard let ticket = tickets.removeValue(forKey: id) else {
      guard abandoned.remove(id) != nil else { return [] }
      return admit(now: now)
    }
    if case .failure(let error) = result, error.effect == .none, let call = calls[ticket] {
      if error.code == .draining, !call.hasDelivered, !call.operation.isOfConnection {
        isDraining = true
        return withdraw([ticket])
      }
      // The error says only that this attempt didn't make the write.
      if call.isDoubtful, !error.code.isVerdict {
        return finish(ticket, .failure(call.lost(error))) + admit(now: now)
      }
    }
    return finish(ticket, outcome(result)) + admit(now: now)
  }

  private func outcome(_ result: Result<JSONNode, DepotError>) -> Result<JSONNode, any Error> {
    switch result {
    case .success(let node): .success(node)
    case .failure(let error) where error.code == .cancelled: .failure(CancellationError())
    case .failure(let error): .failure(error)
    }
  }

  /// Records a frame of a stream.
  mutating func receive(_ id: Int64, _ frame: RowFrame) -> [Action] {
    guard let ticket = tickets[id] else { return [] }
    calls[ticket]?.markDelivered()
    return [.rows(ticket, frame)]
  }

  /// Records that the connection is lost: calls that can be sent again wait, the others fail.
  mutating func disconnect(_ error: DepotError) -> [Action] {
    limits = nil
    abandoned = []
    let sent = tickets.values.sorted()
    tickets = [:]
    var actions: [Action] = []
    for ticket in sent {
      guard let call = calls[ticket], !call.canBeSentAgain else { continue }
      // A stream that its service cut off can be requested again from the next one.
      let failure =
        call.queueKind == .plain || error.code == .disconnected
        ? error
        : DepotError(.disconnected, "The service ended the connection.").hint(error.description)
      let isCancelled = call.isCancelled && !call.mayBeDone
      actions += finish(ticket, .failure(isCancelled ? CancellationError() : call.lost(failure)))
    }
    requeue(sent)
    return actions
  }

  /// Puts calls that were sent, and have no outcome, back to where they were.
  private mutating func requeue(_ tickets: [Ticket]) {
    let byQueueKind = Dictionary(grouping: tickets) { calls[$0]?.queueKind }
    for case (let queueKind?, let tickets) in byQueueKind {
      sent[queueKind] -= tickets.count
      waiting[queueKind].putBack(tickets)
      for ticket in tickets {
        calls[ticket]?.detach()
        if let call = calls[ticket] { noteExpiry(call) }
      }
    }
  }

  /// Fails every call, since there will be no connection.
  mutating func failAll(_ error: DepotError) -> [Action] {
    tickets = [:]
    limits = nil
    let all = calls.sorted { $0.key < $1.key }
    return all.flatMap { finish($0.key, .failure($0.value.lost(error))) }
  }

  /// Fails the calls whose time is over.
  mutating func expire(now: UInt64) -> [Action] {
    guard let nextExpiry, nextExpiry <= now else { return [] }
    self.nextExpiry = nil
    var actions: [Action] = []
    for (ticket, call) in calls.sorted(by: { $0.key < $1.key }) {
      guard let expiry = call.expiry, expiry <= now else {
        noteExpiry(call)
        continue
      }
      let isLate = call.id != nil || call.deadline.map { $0 <= now } ?? false
      if !isLate, !isFull(call.queueKind) {
        // It waits for the connection.
        setQueueDeadline(of: ticket, now: now)
        continue
      }
      let error =
        isLate
        ? call.lost(DepotError(.deadline, "No answer came before the deadline."))
        : Self.neverSent(call.queueKind, sent[call.queueKind])
      if let id = call.id {
        tickets[id] = nil
        abandoned.insert(id)
        actions.append(.send(.cancel(id: id)))
      }
      actions += finish(ticket, .failure(error))
    }
    return actions
  }

  private mutating func setQueueDeadline(of ticket: Ticket, now: UInt64) {
    calls[ticket]?.queueDeadline = now + PendingCall.queuePatience
    if let call = calls[ticket] { noteExpiry(call) }
  }

  /// Whether the connection has as many calls of a lane as it may.
  private func isFull(_ queueKind: PendingCall.QueueKind) -> Bool {
    guard let limits else { return false }
    return sent[queueKind] >= (queueKind == .watch ? limits.watches : limits.streams)
  }

  /// Returns the error of a call that others of its kind leave no room for.
  private static func neverSent(_ queueKind: PendingCall.QueueKind, _ count: Int) -> DepotError {
    queueKind == .watch
      ? DepotError(.tooManyWatches, "The client watches \(count) queries, and none of them ended.")
        .hint("End some of them, or use another Client.")
      : DepotError(.tooManyStreams, "The client has \(count) open fetches, and none of them ended.")
        .hint("Read some of them to their end or leave them, or use another Client.")
  }

  /// Makes sure that the clock is checked when the call's time is over.
  private mutating func noteExpiry(_ call: PendingCall) {
    guard let expiry = call.expiry else { return }
    nextExpiry = min(nextExpiry ?? expiry, expiry)
  }
}

extension Array {
  /// The element of a lane.
  fileprivate subscript(queueKind: PendingCall.QueueKind) -> Element {
    get { self[queueKind.rawValue] }
    _modify { yield &self[queueKind.rawValue] }
  }
}
