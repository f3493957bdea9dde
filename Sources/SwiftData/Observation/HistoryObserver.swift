internal import DepotClient
internal import DepotProtocol
public import Observation
internal import Synchronization

/// Counts the transactions of a container's stores, by this program and others, and is observable.
///
/// ```swift
/// let observer = try HistoryObserver(observedModels: [Trip.self], modelContainer: container)
/// for await count in Observations({ observer.eventCounter }) { try readHistory() }
/// ```
public final class HistoryObserver: Observable, RemoteReceiver, Sendable {
  private let registrar = ObservationRegistrar()
  /// The container of the stores.
  public let modelContainer: ModelContainer
  /// The classes whose objects' changes count; all if empty.
  public let observedModels: [any PersistentModel.Type]
  private let entities: Set<String>
  private let authors: Set<String>
  private let executor: MergeQueue.ContextExecutor
  private let state: Mutex<State>

  private struct State {
    var count = 0
    /// How many transactions observers haven't been notified of yet.
    var pending = 0
    /// The events that came while older transactions were counted; `nil` when that is done.
    var held: [RemoteEvent]? = []
    var tokens: [String: DefaultHistoryToken]

    /// Takes the events that were held back; if there are none, returns `nil` and stops holding
    /// back.
    mutating func takeHeld() -> [RemoteEvent]? {
      guard let events = held, !events.isEmpty else {
        held = nil
        return nil
      }
      held = []
      return events
    }
  }

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - historyTokens: The tokens after which transactions count, by the identifiers of the
  ///     stores; from now on if `nil`.
  ///   - observedModels: The classes whose objects' changes count; all if empty.
  ///   - authors: The authors whose transactions count; everybody's if empty.
  ///   - modelContainer: The container of the stores.
  ///   - isolation: The actor on which observers are notified.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if transactions after a token aren't kept any
  ///   more, and others if the history can't be read.
  public init(
    historyTokens: [String: any HistoryToken]? = nil,
    observedModels: [any PersistentModel.Type] = [],
    authors: Set<String> = [],
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.modelContainer = modelContainer
    self.observedModels = observedModels
    entities = modelContainer.names(of: observedModels)
    self.authors = authors
    executor = MergeQueue.ContextExecutor(isolation)
    let tokens = historyTokens?.compactMapValues { $0 as? DefaultHistoryToken } ?? [:]
    state = Mutex(State(tokens: tokens))
    modelContainer.core.remote.add(self)
    try modelContainer.core.remote.begin()
    for handle in modelContainer.stores {
      guard let moment = tokens[handle.identifier]?[handle.identifier] else { continue }
      try catchUp(handle, moment)
    }
    countHeld()
  }

  /// How many transactions there were.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return state.withLock(\.count)
  }

  /// The last transactions that were counted, by the identifiers of their stores.
  public var historyTokens: [String: any HistoryToken] {
    registrar.access(self, keyPath: \.eventCounter)
    return state.withLock(\.tokens)
  }

  func receive(_ event: RemoteEvent) {
    guard isWanted(event) else { return }
    let isHeld = state.withLock { state in
      state.held?.append(event)
      return state.held != nil
    }
    if !isHeld { count(event) }
  }

  /// Counts the events that were held back, in order, and all others as they arrive from then on.
  private func countHeld() {
    while let events = state.withLock({ $0.takeHeld() }) {
      for event in events { count(event) }
    }
  }

  private func isWanted(_ event: RemoteEvent) -> Bool {
    // The contents of a gap are unknown.
    if case .gap = event.event { return true }
    guard authors.isEmpty || event.author.map(authors.contains) == true else { return false }
    return entities.isEmpty || event.entityNames.contains(where: entities.contains)
  }

  /// Counts the transactions before the watch began.
  private func catchUp(_ handle: StoreHandle, _ token: DepotProtocol.HistoryToken) throws {
    let store = handle.identifier
    let request = HistoryRequest(since: .token(token))
    var last: Int64 = 0
    do {
      try handle.connect().history(request) { transaction in
        let event = RemoteEvent(store: store, event: .transaction(transaction))
        // A large one comes in pieces.
        guard transaction.token.sequence != last, isWanted(event) else { return }
        last = transaction.token.sequence
        count(event)
      }
    } catch {
      throw SwiftDataError(any: error)
    }
  }

  private func count(_ event: RemoteEvent) {
    let isNew = state.withLock { state in
      guard let token = event.token else {
        // The next events may be of another past of the store, with smaller numbers.
        if case .gap = event.event { state.tokens[event.store] = nil }
        return true
      }
      // The counted token may have positions in other stores too.
      let last = state.tokens[event.store]?.sequence(of: event.store) ?? 0
      guard token.sequence(of: event.store) > last else { return false }
      state.tokens[event.store] = token
      return true
    }
    guard isNew else { return }
    state.withLock { $0.pending += 1 }
    if executor.isCaller { increment() } else { executor.perform { self.increment() } }
  }

  private func increment() {
    registrar.withMutation(of: self, keyPath: \.eventCounter) {
      state.withLock { $0.count += 1 }
    }
    state.withLock { $0.pending -= 1 }
  }

  var isSettled: Bool { state.withLock { $0.pending == 0 } }

  func whenHandled(_ body: @escaping @Sendable () -> Void) {
    executor.performOrSkip { _ in body() }
  }
}

extension ModelContainer {
  /// The names of the entities of classes and their subclasses.
  fileprivate func names(of types: [any PersistentModel.Type]) -> Set<String> {
    let wanted = types.map { EntityDescription.of($0) }
    return Set(
      core.descriptions.values.filter { known in wanted.contains { known.isKind(of: $0) } }
        .map(\.name)
    )
  }
}
