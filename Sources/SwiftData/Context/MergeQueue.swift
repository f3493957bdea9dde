internal import DepotProtocol
internal import Dispatch
internal import Synchronization

/// The queue of changes that others have saved, until the context merges them on its actor or
/// thread.
final class MergeQueue: RemoteReceiver {
  private let state = Mutex(State())

  fileprivate struct State {
    /// The context that the queue belongs to.
    var context = ReturningReference<ModelContext>()
    var executor = ContextExecutor.caller
    var events: [RemoteEvent] = []
    /// The transaction that is merged partly.
    var rest: Entry?
    var isScheduled = false
    /// Whether the context is merging on its actor or queue.
    var isWorking = false
    /// How many changes are in ``events``.
    var changes = 0
    /// The context's own saves whose events haven't arrived yet, by their stores, in order.
    var own: [String: [DepotProtocol.HistoryToken]] = [:]
    /// The stores with an event that others saved before an own save, and that was merged after it.
    var late: Set<String> = []
    var isOpen = false
    /// Whether the next round merges all waiting events, however many.
    var isUrgent = false
    /// The use of the context, which is notified of waiting events where no queue merges them in
    /// time.
    var accessGuard: ContextAccessGuard?
  }

  /// An event, its relation to the context, and its next change.
  typealias Entry = (event: RemoteEvent, origin: EventOrigin, next: Int)

  /// How much may wait to be merged; beyond that it is less work to read the objects anew.
  fileprivate static let limits = (events: 1000, changes: 50_000)

  /// The actor or thread of a context.
  enum ContextExecutor: Sendable {
    /// Wherever the program calls it.
    case caller
    /// On the main queue.
    case main
    /// On the queue of an executor.
    case queue(DispatchQueue)
    /// On an actor, as long as that lives.
    case actor(WeakActor)

    /// Returns the executor of an actor; the caller's thread if there is none.
    init(_ actor: (any Actor)?) {
      self =
        actor.map { $0 === MainActor.shared ? .main : .actor(WeakActor(actor: $0)) } ?? .caller
    }

    var isCaller: Bool {
      if case .caller = self { return true }
      return false
    }

    /// Whether work that is enqueued there is done before all that comes later.
    var isOrdered: Bool {
      switch self {
      case .main, .queue: true
      case .actor, .caller: false
      }
    }

    /// Whether this runs there; `false` if that is unknown.
    var isCurrent: Bool {
      switch self {
      case .main: MainQueue.isCurrent
      case .queue(let queue): ActorQueue.isCurrent(queue)
      case .actor, .caller: false
      }
    }

    /// Runs a function there as soon as possible; never, if there is no such actor or queue.
    func perform(_ body: @escaping @Sendable () -> Void) {
      switch self {
      case .main: DispatchQueue.main.async(execute: body)
      case .queue(let queue): queue.async(execute: body)
      case .actor(let executor):
        guard let actor = executor.actor else { break }
        Task { await Self.run(on: actor, body) }
      case .caller: break
      }
    }

    /// Does something there, or at once if there is no such place, and says which.
    func performOrSkip(_ body: @escaping @Sendable (_ isThere: Bool) -> Void) {
      switch self {
      case .caller: body(false)
      case .actor(let executor) where executor.actor == nil: body(false)
      default: perform { body(true) }
      }
    }

    private static func run(on actor: isolated any Actor, _ body: () -> Void) { body() }
  }

  init() {}

  /// Sets the context that this belongs to.
  func adopt(_ context: ModelContext) {
    let (reference, accessGuard) = (ReturningReference(object: context), context.accessGuard)
    state.withLock { state in
      state.context = reference
      state.accessGuard = accessGuard
      state.updateAccessGuard()
    }
  }

  /// The actor or thread of the context.
  var executor: ContextExecutor {
    get { state.withLock(\.executor) }
    set {
      state.withLock { state in
        state.executor = newValue
        state.updateAccessGuard()
      }
    }
  }

  /// Whether events are taken.
  var isOpen: Bool {
    get { state.withLock(\.isOpen) }
    set {
      state.withLock { state in
        state.isOpen = newValue
        guard !newValue else { return }
        state.removeEvents()
        state.rest = nil
        state.own = [:]
        state.late = []
        state.updateAccessGuard()
      }
    }
  }

  /// Notes that a transaction is the context's own.
  func noteOwn(_ token: DepotProtocol.HistoryToken, store: String) {
    state.withLock { state in if state.isOpen { state.own[store, default: []].append(token) } }
  }

  func receive(_ event: RemoteEvent) {
    schedule { state in
      if state.isOpen { state.add(event) }
      state.updateAccessGuard()
      return state.isOpen
    }
  }

  /// Records that others may have saved changes without an event.
  func noteGap() {
    state.withLock { state in
      state.events.insert(RemoteEvent(store: "", event: .gap), at: 0)
      state.updateAccessGuard()
    }
  }

  /// The relation of an event to the context that merges it.
  enum EventOrigin {
    /// Others have saved this.
    case foreign
    /// The context has saved this. Its changes of lists are made once more: events that were merged
    /// since may be of earlier saves.
    case own
    /// The context has saved this, and more since; no event of an earlier save by others was merged
    /// since.
    case ownBefore
  }

  /// Takes the rest of the last event, or the next one.
  func next() -> Entry? {
    state.withLock { state in
      if let rest = state.rest {
        state.rest = nil
        // Only now is a part of another context's save merged.
        if rest.origin == .foreign { _ = state.origin(of: rest.event) }
        return rest
      }
      guard !state.events.isEmpty else {
        state.updateAccessGuard()
        return nil
      }
      let event = state.events.removeFirst()
      state.changes -= event.changeCount
      return (event, state.origin(of: event), 0)
    }
  }

  /// Puts the rest of an event back.
  func putBack(_ rest: Entry) { state.withLock { if $0.isOpen { $0.rest = rest } } }

  /// How many events wait.
  var count: Int { state.withLock(\.events.count) }

  /// Whether there is nothing to merge.
  var isEmpty: Bool { state.withLock { $0.events.isEmpty && $0.rest == nil } }

  /// Lets the context work on its actor or queue as soon as possible; does nothing if it has none.
  func schedule() { schedule { _ in true } }

  /// Schedules another round for the rest; returns `false` if it must be merged in this round.
  func scheduleRest() -> Bool {
    state.withLock { state in
      if state.isUrgent { return false }
      schedule(&state)
      return true
    }
  }

  private func schedule(_ isNeeded: (inout State) -> Bool) {
    state.withLock { state in if isNeeded(&state) { schedule(&state) } }
  }

  /// Schedules a round under the lock, so that `isScheduled` means that it is enqueued.
  private func schedule(_ state: inout State) {
    guard !state.isScheduled, !state.executor.isCaller else { return }
    state.isScheduled = true
    state.executor.perform { self.work() }
  }

  var isListening: Bool { isOpen }

  func hurry() {
    let executor = state.withLock { state in
      if state.isWorking || !state.events.isEmpty || state.rest != nil { state.isUrgent = true }
      return state.executor
    }
    if executor.isCurrent { workNow() }
  }

  func whenHandled(_ body: @escaping @Sendable () -> Void) {
    hurry()
    executor.performOrSkip { isThere in
      if isThere { self.workNow() }
      body()
    }
  }

  /// Merges the waiting events, on the context's own queue.
  func workNow() { if !isEmpty { work() } }

  /// Makes an actor the executor of a context that has none.
  func settle(on actor: (any Actor)?) {
    state.withLock { state in
      if state.executor.isCaller { state.executor = ContextExecutor(actor) }
      state.updateAccessGuard()
    }
  }

  /// Merges the waiting events, on the context's actor or queue.
  private func work() {
    let context = state.withLock { state in
      state.isScheduled = false
      state.isWorking = true
      return state.context
    }
    context.object?.work()
    state.withLock { state in
      state.isWorking = false
      if state.events.isEmpty, state.rest == nil { state.isUrgent = false }
    }
  }

  var isSettled: Bool {
    state.withLock { state in
      state.executor.isCaller || !state.isScheduled && !state.isWorking && state.events.isEmpty
    }
  }
}

extension MergeQueue.State {
  /// Notifies the context whether it has something to merge before it is used.
  fileprivate func updateAccessGuard() {
    accessGuard?.hasPendingEvents = !executor.isOrdered && !(events.isEmpty && rest == nil)
  }

  fileprivate mutating func add(_ event: RemoteEvent) {
    events.append(event)
    changes += event.changeCount
    if events.count > MergeQueue.limits.events || changes > MergeQueue.limits.changes {
      removeEvents()
      events = [RemoteEvent(store: event.store, event: .gap)]
    }
  }

  fileprivate mutating func removeEvents() {
    events = []
    changes = 0
  }

  fileprivate mutating func origin(of event: RemoteEvent) -> MergeQueue.EventOrigin {
    guard let token = event.moment, let known = own[event.store] else { return .foreign }
    let rest = known.filter { $0 >= token }
    own[event.store] = rest.isEmpty ? nil : rest
    if rest.contains(token) {
      if rest.count == 1 { late.remove(event.store) }
      return rest.count == 1 || late.contains(event.store) ? .own : .ownBefore
    }
    if rest.isEmpty { late.remove(event.store) } else { late.insert(event.store) }
    return .foreign
  }
}

/// An actor that isn't kept alive from here.
struct WeakActor: Sendable {
  weak var actor: (any Actor)?
}
