internal import Dispatch
internal import Synchronization

/// What others have saved, until the context to which this belongs merges it where it is at home.
// because the context is used at its home alone, and all else is behind a lock
final class ContextInbox: @unchecked Sendable, RemoteReceiver {
  private let state = Mutex(State())

  private struct State {
    var home = Home.caller
    var events: [RemoteEvent] = []
    var isScheduled = false
    /// The tokens of the context's own saves that weren't told yet.
    var own: Set<DefaultHistoryToken> = []
    var isOpen = false
  }

  /// Where a context is used.
  enum Home: Sendable {
    /// Wherever the program calls it.
    case caller
    /// On the main queue.
    case main
    /// On the queue of an executor.
    case queue(DispatchQueue)
    /// On an actor.
    case actor(any Actor)

    var isCaller: Bool {
      if case .caller = self { return true }
      return false
    }

    /// Does something there as soon as possible; never, if there is no such place.
    func perform(_ body: @escaping @Sendable () -> Void) {
      switch self {
      case .main: DispatchQueue.main.async(execute: body)
      case .queue(let queue): queue.async(execute: body)
      case .actor(let actor): Task { await Self.run(on: actor, body) }
      case .caller: break
      }
    }

    private static func run(on actor: isolated any Actor, _ body: () -> Void) { body() }
  }

  private weak var context: ModelContext?

  init() {}

  /// Says whose this is.
  func adopt(_ context: ModelContext) { self.context = context }

  /// Where the context is used.
  var home: Home {
    get { state.withLock(\.home) }
    set { state.withLock { $0.home = newValue } }
  }

  /// Whether events are taken.
  var isOpen: Bool {
    get { state.withLock(\.isOpen) }
    set {
      state.withLock { state in
        state.isOpen = newValue
        if !newValue { state.events = [] }
      }
    }
  }

  /// Notes that a transaction is the context's own.
  func noteOwn(_ token: DefaultHistoryToken) {
    state.withLock { state in if state.isOpen { state.own.insert(token) } }
  }

  func receive(_ event: RemoteEvent) {
    let home: Home? = state.withLock { state in
      guard state.isOpen else { return nil }
      state.events.append(event)
      guard !state.isScheduled else { return nil }
      if case .caller = state.home { return nil }
      state.isScheduled = true
      return state.home
    }
    schedule(home)
  }

  /// Takes the next event that isn't of the context's own making.
  func next() -> RemoteEvent? {
    state.withLock { state in
      while !state.events.isEmpty {
        let event = state.events.removeFirst()
        if let token = event.token, state.own.remove(token) != nil { continue }
        return event
      }
      return nil
    }
  }

  /// How many events wait.
  var count: Int { state.withLock(\.events.count) }

  /// Whether there is something to merge.
  var isEmpty: Bool { count == 0 }

  /// Lets the context do something at its home as soon as it can; does nothing if it has none.
  func schedule() {
    let home: Home? = state.withLock { state in
      if state.isScheduled { return nil }
      if case .caller = state.home { return nil }
      state.isScheduled = true
      return state.home
    }
    schedule(home)
  }

  private func schedule(_ home: Home?) { home?.perform { self.work() } }

  /// Makes an actor the home of a context that has none.
  func settle(on actor: (any Actor)?) {
    guard let actor else { return }
    state.withLock { state in
      if case .caller = state.home {
        state.home = actor === MainActor.shared ? .main : .actor(actor)
      }
    }
  }

  /// Merges what there is, at the context's home.
  private func work() {
    state.withLock { $0.isScheduled = false }
    context?.work()
  }
}
