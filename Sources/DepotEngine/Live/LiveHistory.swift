internal import DepotProtocol
internal import DepotSQLite

/// A watched history.
final class LiveHistory {
  let request: HistoryRequest
  /// The root of the requested entity, and the numbers of it and its descendants; `nil` for all.
  private let rows: (root: String, numbers: Set<Int>)?

  init(_ request: HistoryRequest, in catalog: Catalog) throws(DepotError) {
    self.request = request
    guard let name = request.entity else {
      rows = nil
      return
    }
    let layout = try catalog.layout(of: name, at: "/args/entity")
    rows = (layout.root, Set(layout.numbers.keys))
  }

  /// The state shared by watches of histories.
  struct Shared {
    /// The last read bounds of the history, for the current schema.
    var bounds: HistoryBounds?
    /// The frames of the newest transactions, in a few shapes.
    var frames: [(shape: Shape, frames: [[UInt8]])] = []
    /// The forms of watched histories, by their numbers.
    private var forms: [Form] = []

    /// Returns the number of a form.
    mutating func number(of form: Form) -> Int {
      if let number = forms.firstIndex(of: form) { return number }
      forms.append(form)
      return forms.count - 1
    }

    /// Removes everything, because there are no watches any more.
    mutating func removeAll() {
      frames = []
      forms = []
    }
    /// The newest transactions.
    var recent = RecentChanges(after: .max)
  }

  /// The properties of a watch that decide how a transaction is written.
  struct Form: Hashable {
    var request: HistoryRequest
    var framing: FrameDecoder.Framing
    var int64: Int64Form
  }

  /// The properties of a watch that decide its frames, except the number of the call.
  struct Shape: Equatable {
    /// The number of the ``Form``.
    var form: Int
    /// The range from the client's position to the current one.
    var range: ClosedRange<Int64>
    /// The excluded transactions.
    var own: HistorySelection.Own?
  }

  /// Whether a transaction may have requested changes.
  func isConcerned(by commit: CommittedChanges) -> Bool {
    guard let rows, commit.links.isEmpty else { return true }
    guard let changes = commit.tables[rows.root] else { return false }
    return changes.isMany || changes.rows.contains { rows.numbers.contains($0.entityNumber) }
  }
}

extension LiveQueries {
  /// The most bytes of transactions to read on this thread, since others wait for it.
  private static let historyBytes = 1 << 20
  /// The most transactions that wait for a slow client.
  static let historyLimit = 10_000

  /// Sets the position of a client that begins to watch a history.
  func beginHistory(_ query: LiveQuery) throws {
    query.token = query.watch.request.since?.sequence ?? 0
    if query.isForgotten, let since = query.watch.request.since {
      // It is unknown which of the kept transactions the client lacks.
      query.token = max(known, try connection().historyHead())
      query.outbox = [query.frames.gap(from: since, to: query.token)]
      query.mustRestart = true
    }
    if !query.watch.request.echoes {
      let head = max(known, try connection().historyHead())
      query.own = HistorySelection.Own(connection: store.own(query.watch.connection), after: head)
    }
    if let request = query.history?.request {
      let reply = query.watch.reply
      query.historyForm = sharedHistory.number(
        of: LiveHistory.Form(request: request, framing: reply.framing, int64: reply.int64)
      )
    }
    histories.append(query)
  }

  /// Marks watched histories for a committed transaction.
  func noteHistories(_ commit: CommittedChanges) {
    guard !histories.isEmpty else { return }
    sharedHistory.recent.add(commit)
    for query in histories {
      guard let history = query.history else { continue }
      let isOwn = query.own?.connection == commit.connection
      if isOwn { query.hasOwn = true }
      if !isOwn, history.isConcerned(by: commit) {
        query.dirtyRows.isUnknown = true
        query.waiting += 1
        if query.waiting > Self.historyLimit, query.stage == .live { query.isLate = true }
        dirty.insert(query)
      } else if query.stage == .live, query.dirtyRows.isEmpty {
        // The next read can skip transactions without requested changes.
        query.token = max(query.token, commit.token)
        query.hasOwn = false
      }
    }
  }

  /// Makes a reader send all missed transactions, however many there are.
  func catchUp(_ query: LiveQuery) {
    query.stage = .beginning
    var request = query.watch.request
    request.since = store.epochs.token(query.token)
    read(query, request)
  }

  /// Continues with the transactions committed while a client caught up.
  func didCatchUp(_ query: LiveQuery, to token: Int64) {
    query.waiting = 0
    if query.isLiveReported {
      query.token = token
      query.stage = .live
      dirty.insert(query)
    } else {
      query.isLiveReported = true
      goLive(query, at: token)
    }
  }

  /// Sends a gap to a client, which may read the skipped transactions itself.
  func leaveOut(_ query: LiveQuery, to token: Int64) {
    query.outbox = [query.frames.gap(from: query.token, to: token)]
    query.token = token
    query.isLate = false
    query.hasOwn = false
    query.waiting = 0
    query.dirtyRows.removeAll()
    pump(query)
  }

  /// Returns the frames for a client; `nil` if they need a snapshot and there is none.
  ///
  /// Watches with equal shapes share them.
  private func sharedFrames(
    of history: LiveHistory,
    _ query: LiveQuery,
    at token: Int64,
    hasSnapshot: Bool
  ) throws -> [[UInt8]]? {
    let reply = query.watch.reply
    let shape = LiveHistory.Shape(
      form: query.historyForm,
      range: query.token...max(query.token, token),
      own: query.hasOwn ? query.own : nil
    )
    if let known = sharedHistory.frames.first(where: { $0.shape == shape }) {
      return known.frames.map { reply.readdressed($0) }
    }
    let frames: [[UInt8]]
    if let run = try recentRun(of: history, query, at: token) {
      frames = try run.frames(upTo: Self.historyBytes)
    } else if hasSnapshot {
      frames = try storedFrames(of: history, query, at: token)
    } else {
      return nil
    }
    // Frames for earlier positions aren't needed any more.
    if let first = sharedHistory.frames.first, first.shape.range.upperBound != token {
      sharedHistory.frames.removeAll(keepingCapacity: true)
    }
    if histories.count > 1, sharedHistory.frames.count < Self.shapeLimit {
      sharedHistory.frames.append((shape, frames))
    }
    return frames
  }

  /// The most shapes of the same transactions to keep.
  private static let shapeLimit = 8

  /// Reads the frames for a client from the store.
  ///
  /// - Throws: ``ReadEnd`` `interrupted` if that takes too long.
  private func storedFrames(
    of history: LiveHistory,
    _ query: LiveQuery,
    at token: Int64
  ) throws -> [[UInt8]] {
    let bounds =
      try sharedHistory.bounds?.renewed(to: token, store.epochs, on: connection())
      ?? HistoryBounds(on: connection())
    sharedHistory.bounds = bounds
    var remaining = Self.historyBytes
    let run = try HistoryRun(
      history.request,
      watchedSince: query.token,
      without: query.own,
      query.catalog,
      query.watch.reply,
      bounds: bounds,
      on: connection()
    ) { count in
      remaining -= count
      if remaining < 0 { throw ReadEnd.interrupted }
    }
    defer { run.close() }
    return try run.frames(upTo: Self.historyBytes)
  }

  /// Returns the stream of missing transactions if all of them are in memory.
  private func recentRun(
    of history: LiveHistory,
    _ query: LiveQuery,
    at token: Int64
  ) throws -> HistoryRun? {
    guard let bounds = sharedHistory.bounds?.advanced(to: token, store.epochs),
      let sets = sharedHistory.recent.after(query.token)
    else { return nil }
    return try HistoryRun(
      sets,
      history.request,
      watchedSince: query.token,
      without: query.own,
      query.catalog,
      query.watch.reply,
      bounds: bounds
    )
  }

  /// Sends the transactions since the client's position.
  func runHistory(_ query: LiveQuery, _ history: LiveHistory, at token: Int64) throws {
    guard query.stage == .live else {
      query.dirtyRows.removeAll()
      query.isLiveReported = true
      goLive(query, at: token)
      return pump(query)
    }
    if query.isLate { return leaveOut(query, to: token) }
    _ = try send(history, query, at: token, hasSnapshot: true)
  }

  /// Sends the missing transactions if no snapshot is needed; returns whether it did.
  func sendRecent(_ query: LiveQuery) throws -> Bool {
    guard let history = query.history, query.stage == .live, !query.isLate else { return false }
    return try send(history, query, at: known, hasSnapshot: false)
  }

  private func send(
    _ history: LiveHistory,
    _ query: LiveQuery,
    at token: Int64,
    hasSnapshot: Bool
  ) throws -> Bool {
    let frames: [[UInt8]]?
    do {
      frames = try sharedFrames(of: history, query, at: token, hasSnapshot: hasSnapshot)
    } catch {
      guard case .interrupted = ReadEnd(error) else { throw error }
      // Other queries must not wait for a long read.
      catchUp(query)
      return true
    }
    guard let frames else { return false }
    query.token = token
    query.waiting = 0
    query.hasOwn = false
    query.dirtyRows.removeAll()
    query.outbox = frames
    pump(query)
    return true
  }
}
