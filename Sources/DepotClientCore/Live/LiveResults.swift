public import DepotProtocol
public import Observation
internal import Synchronization

/// The records of a watched query, which change as the store does and notify observers.
///
/// ```swift
/// let results = client.live(Package.self, where: #Predicate { $0.section == "games" })
/// try await results.ready()
/// for row in results.rows { print(row.name) }
/// ```
///
/// An observer is notified only when a value that it read changes: the number of rows, the row at a
/// position, a property of a row, ``isLive``, ``error``, or ``token``. An observer of
/// `rows[2].name` is notified when the row at position 2 is another or has another name, and not
/// when another row or property changes.
///
/// The results may be read anywhere. Changes are made on the actor that asked for the results, so
/// that the values stay the same until that actor waits for something. Elsewhere, take ``rows``
/// once, which doesn't change, and read from it. Observe on that actor too: Observation misses a
/// change that another thread makes while an observer is still reading. Observers are notified
/// after the change, so that reading again at once gives the new values.
///
/// The watch ends with the last reference to the results, or with ``stop()``.
public final class LiveResults<Model: Record>: Observable, Sendable {
  private struct State {
    var rows: [LiveRow<Model>] = []
    var token: HistoryToken?
    var isLive = false
    var isEnded = false
    var error: DepotError?
    /// The objects of the rows that were read.
    var records: [Int64: LiveRecord<Model>] = [:]
    /// The positions that were read since their row last changed.
    var readPlaces: [Bool] = []
    var task: Task<Void, Never>?
    /// The tasks that wait for the first rows, by numbers.
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiting = 0
    /// The news of a change under way.
    var notifications = Notifications()

    /// The identifier of the row at a position, or `nil`.
    func identifier(at place: Int) -> Int64? {
      rows.indices.contains(place) ? rows[place].identifier : nil
    }
  }

  /// The observers to be notified once the state has changed.
  private struct Notifications {
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var observers: [@Sendable () -> Void] = []

    mutating func add(_ observer: (@Sendable () -> Void)?) {
      if let observer { observers.append(observer) }
    }

    func notify() {
      for observer in observers { observer() }
      for continuation in waiting.values { continuation.resume() }
    }
  }

  private let places = LivePropertyKeyPaths<Model>()
  private let state = Mutex(State())
  private let registrar = ObservationRegistrar()

  deinit { state.withLock { $0.task }?.cancel() }

  /// The rows of the result in their order, as they are now.
  public var rows: LiveRecords<Model> {
    LiveRecords(self, state.withLock { $0.rows })
  }

  /// Whether the rows are kept up to date: from the first snapshot on, except without a connection.
  public var isLive: Bool {
    registrar.access(self, keyPath: \.isLive)
    return state.withLock { $0.isLive }
  }

  /// Why the results aren't live: the connection was lost, and they will be when there is another, or
  /// the watch has failed for good.
  public var error: DepotError? {
    registrar.access(self, keyPath: \.error)
    return state.withLock { $0.error }
  }

  /// The token of the state that the rows are from; it changes also when none of them does.
  public var token: HistoryToken? {
    registrar.access(self, keyPath: \.token)
    return state.withLock { $0.token }
  }

  /// Waits for the first rows.
  ///
  /// - Throws: ``DepotError`` if the watch has failed, `CancellationError` if it was stopped before or
  ///   the task was cancelled.
  public func ready() async throws {
    let number = state.withLock { state in
      state.lastWaiting += 1
      return state.lastWaiting
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          let isOver = state.token != nil || state.isEnded || Task.isCancelled
          if !isOver { state.waiting[number] = continuation }
          return !isOver
        }
        if !isWaiting { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
    let (error, isEmpty) = state.withLock { ($0.error, $0.token == nil) }
    if isEmpty { throw error ?? CancellationError() }
  }

  /// Ends the watch; the rows stay as they are.
  public func stop() {
    state.withLock { $0.task }?.cancel()
  }
}

extension LiveResults {
  /// Follows a watch, on the actor that asks for it, until it ends or the results are released.
  package static func follow(
    _ events: WatchedRecords<Model>,
    isolation: isolated (any Actor)?
  ) -> LiveResults {
    let results = LiveResults()
    let task = Task { [weak results] in
      _ = isolation
      do {
        for try await event in events {
          guard let results else { return }
          try results.apply(event)
        }
        results?.end(nil)
      } catch {
        results?.end(error as? DepotError)
      }
    }
    results.state.withLock { $0.task = task }
    return results
  }

  /// Applies an event of a watch.
  ///
  /// - Throws: ``DepotError`` `protocol.frame` if it doesn't fit the rows.
  func apply(_ event: LiveEvent<Model>) throws(DepotError) {
    try change { (state) throws(DepotError) in
      switch event {
      case .snapshot(let rows):
        replaceRows(of: &state) { $0 = rows.rows }
        updateRecords(rows.rows, &state)
        setToken(rows.token, &state)
      case .change(let change):
        try replaceRows(of: &state) { (rows) throws(DepotError) in try change.apply(to: &rows) }
        updateRecords(change, &state)
        setToken(change.token, &state)
      case .resumed: throw LivePositions.inconsistent("there were none")
      case .current(let token): setToken(token, &state)
      case .interrupted(let error): setLive(false, error, &state)
      }
    }
  }

  /// Records that nothing more comes.
  private func end(_ error: DepotError?) {
    change { state in
      state.isEnded = true
      setLive(false, error, &state)
    }
  }

  private func change<Failure: Error>(
    _ body: (inout State) throws(Failure) -> Void
  ) throws(Failure) {
    let notifications = try state.withLock { (state) throws(Failure) in
      defer { state.notifications = Notifications() }
      try body(&state)
      if state.token != nil || state.isEnded { swap(&state.notifications.waiting, &state.waiting) }
      return state.notifications
    }
    notifications.notify()
  }

  private func setToken(_ token: HistoryToken, _ state: inout State) {
    if state.token != token { state.notifications.add(observer(of: \.token)) }
    state.token = token
    setLive(true, nil, &state)
  }

  private func setLive(_ isLive: Bool, _ error: DepotError?, _ state: inout State) {
    if state.isLive != isLive { state.notifications.add(observer(of: \.isLive)) }
    if state.error != error { state.notifications.add(observer(of: \.error)) }
    state.isLive = isLive
    state.error = error
  }

  /// Changes the rows, and notifies readers of the count and of positions whose row has changed.
  private func replaceRows<Failure: Error>(
    of state: inout State,
    _ body: (inout [LiveRow<Model>]) throws(Failure) -> Void
  ) throws(Failure) {
    let count = state.rows.count
    let read = state.readPlaces.indices.filter { state.readPlaces[$0] }
      .map { ($0, state.identifier(at: $0)) }
    try body(&state.rows)
    if state.rows.count != count { state.notifications.add(observer(of: \.count)) }
    for (place, identifier) in read where state.identifier(at: place) != identifier {
      state.readPlaces[place] = false
      state.notifications.add(observer(of: \.[place: place]))
    }
  }

  private func updateRecords(_ change: LiveChange<Model>, _ state: inout State) {
    for row in change.removed {
      let record = state.records.removeValue(forKey: row.identifier)
      state.notifications.add(record?.update(nil, properties: nil))
    }
    for placement in change.placed where !placement.isInsertion {
      let record = state.records[placement.row.identifier]
      state.notifications.add(record?.update(placement.row, properties: placement.properties))
    }
  }

  /// Compares all records that were read with rows whose changes are unknown.
  private func updateRecords(_ rows: [LiveRow<Model>], _ state: inout State) {
    var gone = state.records
    for row in rows {
      guard let record = gone.removeValue(forKey: row.identifier) else { continue }
      state.notifications.add(record.update(row, properties: nil))
    }
    for (identifier, record) in gone {
      state.records[identifier] = nil
      state.notifications.add(record.update(nil, properties: nil))
    }
  }

  private func observer<Value>(
    of keyPath: any KeyPath<LiveResults, Value> & Sendable
  ) -> @Sendable () -> Void {
    { [registrar] in
      registrar.willSet(self, keyPath: keyPath)
      registrar.didSet(self, keyPath: keyPath)
    }
  }
}

extension LiveResults {
  /// The key path by which observers name the number of rows; it has no value.
  fileprivate var count: Void { () }

  /// The key path that represents a position for observers; it has no value.
  fileprivate subscript(place _: Int) -> Void { () }

  /// Registers a read of the number of rows.
  fileprivate func readCount() {
    registrar.access(self, keyPath: \.count)
  }

  /// Registers a read of the row at a position; returns its object.
  fileprivate func read(_ row: LiveRow<Model>, at place: Int) -> LiveRecord<Model> {
    registrar.access(self, keyPath: \.[place: place])
    return state.withLock { state in
      while state.readPlaces.count <= place { state.readPlaces.append(false) }
      state.readPlaces[place] = true
      if let record = state.records[row.identifier] { return record }
      let isCurrent = place < state.rows.count && state.rows[place].identifier == row.identifier
      let record = LiveRecord(isCurrent ? state.rows[place] : row, places, isInResult: isCurrent)
      // A record that is no longer there, or at another position, isn't notified.
      if isCurrent { state.records[row.identifier] = record }
      return record
    }
  }
}

/// The rows of a ``LiveResults`` at one time, in a fixed order, but with current values.
public struct LiveRecords<Model: Record>: RandomAccessCollection, Sendable {
  private let results: LiveResults<Model>
  private let rows: [LiveRow<Model>]

  fileprivate init(_ results: LiveResults<Model>, _ rows: [LiveRow<Model>]) {
    self.results = results
    self.rows = rows
  }

  public var startIndex: Int { 0 }

  public var endIndex: Int {
    results.readCount()
    return rows.count
  }

  public subscript(position: Int) -> LiveRecord<Model> {
    results.read(rows[position], at: position)
  }
}
