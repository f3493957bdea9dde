internal import DepotClient
internal import DepotProtocol
internal import Dispatch
public import Observation
internal import Synchronization

/// Counts the transactions of a container's stores, by this program and others, and is observable.
///
/// ```swift
/// let observer = try HistoryObserver(observedModels: [Trip.self], modelContainer: container)
/// for await count in Observations({ observer.eventCounter }) { try readHistory() }
/// ```
// because what changes in it is behind a lock
public final class HistoryObserver: Observable, RemoteReceiver, @unchecked Sendable {
  private let registrar = ObservationRegistrar()
  private let container: ModelContainer
  private let entities: Set<String>
  private let authors: Set<String>
  private let isolation: WeakActor?
  private let state: Mutex<State>

  private struct State {
    var count = 0
    var tokens: [String: DefaultHistoryToken]
  }

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - historyTokens: The moments after which transactions count, by the identifiers of the stores;
  ///     from now on if `nil`.
  ///   - observedModels: The classes whose objects' changes count; all if empty.
  ///   - authors: Whose transactions count; everybody's if empty.
  ///   - modelContainer: Whose stores.
  ///   - isolation: The actor on which observers are told.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if what came after a token isn't kept any more, and
  ///   others if the history can't be read.
  public convenience init(
    historyTokens: [String: any HistoryToken]? = nil,
    observedModels: [any PersistentModel.Type] = [],
    authors: Set<String> = [],
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.init(
      historyTokens?.compactMapValues { $0 as? DefaultHistoryToken } ?? [:],
      modelContainer.names(of: observedModels),
      authors,
      modelContainer,
      isolation
    )
    modelContainer.core.remote.add(self)
    try modelContainer.core.remote.begin()
    for handle in modelContainer.stores {
      guard let token = historyTokens?[handle.identifier] as? DefaultHistoryToken,
        let sequence = token.tokenValue?[handle.identifier]
      else { continue }
      try catchUp(handle, sequence)
    }
  }

  private init(
    _ tokens: [String: DefaultHistoryToken],
    _ entities: Set<String>,
    _ authors: Set<String>,
    _ container: ModelContainer,
    _ isolation: (any Actor)?
  ) {
    self.container = container
    self.entities = entities
    self.authors = authors
    self.isolation = isolation.map(WeakActor.init)
    state = Mutex(State(tokens: tokens))
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
    if case .objects(let changes) = event.event {
      if isWanted(changes) { count(event) }
      return
    }
    guard case .transaction(let transaction) = event.event else { return count(event) }
    if isWanted(transaction) { count(event) }
  }

  private func isWanted(_ changes: ObjectChanges) -> Bool {
    if !authors.isEmpty {
      guard let author = changes.editingState.author, authors.contains(author) else { return false }
    }
    return entities.isEmpty || changes.all.contains { entities.contains($0.entityName) }
  }

  private func isWanted(_ transaction: DepotClient.HistoryTransaction) -> Bool {
    if !authors.isEmpty {
      guard let author = transaction.author, authors.contains(author) else { return false }
    }
    return entities.isEmpty || transaction.changes.contains { entities.contains($0.entity) }
  }

  /// Counts what was saved before the watch began.
  private func catchUp(_ handle: StoreHandle, _ sequence: Int64) throws {
    let store = handle.identifier
    let request = HistoryRequest(
      since: .token(DepotProtocol.HistoryToken(store: store, sequence: sequence))
    )
    var last: Int64 = 0
    do {
      try handle.connect().history(request) { transaction in
        // A large one comes in pieces.
        guard transaction.token.sequence != last, isWanted(transaction) else { return }
        last = transaction.token.sequence
        count(RemoteEvent(store: store, event: .transaction(transaction)))
      }
    } catch {
      throw SwiftDataError(any: error)
    }
  }

  private func count(_ event: RemoteEvent) {
    let isNew = state.withLock { state in
      guard let token = event.token else { return true }
      // What was counted may tell of other stores too.
      let last = state.tokens[event.store]?.sequence(of: event.store) ?? 0
      guard token.sequence(of: event.store) > last else { return false }
      state.tokens[event.store] = token
      return true
    }
    guard isNew else { return }
    guard let isolation else { return increment() }
    switch isolation.actor {
    // Nobody is left to be told there.
    case nil: break
    case let actor? where actor === MainActor.shared: DispatchQueue.main.async { self.increment() }
    case let actor?: Task { await self.increment(on: actor) }
    }
  }

  private func increment(on actor: isolated any Actor) { increment() }

  private func increment() {
    registrar.withMutation(of: self, keyPath: \.eventCounter) {
      state.withLock { $0.count += 1 }
    }
  }
}

extension ModelContainer {
  /// The names of the entities of classes, and of those that descend from them.
  fileprivate func names(of types: [any PersistentModel.Type]) -> Set<String> {
    let wanted = types.map { EntityDescription.of($0) }
    return Set(
      core.descriptions.values.filter { known in wanted.contains { known.isKind(of: $0) } }
        .map(\.name)
    )
  }
}
