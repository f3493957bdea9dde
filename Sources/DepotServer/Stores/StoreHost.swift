internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// One store in service: its writer, its readers, and its schema.
///
/// It lives on the server's thread. It can be taken out of service and put back, as migrations
/// require.
final class StoreHost {
  private enum Stage {
    case closed
    case opening
    case open
    case closing
  }

  /// The number, which is unique among all stores of the service.
  let number: Int
  /// The name in its container.
  let name: String
  let configuration: StoreConfiguration
  /// The entities that it may hold; `nil` for all that no other store of its container names.
  let entities: [String]?
  weak var container: Container?

  /// The error for calls while the store isn't in service.
  private(set) var refusal: DepotError
  private(set) var store: Store?
  /// The reader for short reads; `nil` unless the store is in service.
  private(set) var reader: QuickReader?
  private(set) var readers: ReaderPool?
  /// The watched queries, once there was one.
  private(set) var live: LiveQueries?
  private var feed: ChangeFeed?
  /// The schema as of the last announced commit, which the reader's snapshot shows.
  private(set) var catalog = Catalog(Schema(), generation: 0)
  /// The detection of a full disk.
  private var room: RoomWatch
  /// Whether the store's cluster accepted writes at the last check.
  private var wasReachable = true
  /// The writes of this round of the loop.
  var writes: [WriteRequest] = []
  /// The writes to withdraw, by their tokens, with the reasons.
  var stopped: [UInt64: DepotError] = [:]
  /// Whether the reader may keep its snapshot while the loop sleeps.
  ///
  /// It may not if the write-ahead log is long, since the log can restart only without readers.
  private(set) var keepsSnapshot = true

  /// The size of the log at the last check, while reads are held back for it.
  private var heldLogBytes: Int?
  /// The size of the log up to which nothing need be done.
  private var settledLogBytes = 0
  /// The number of commits, when it last changed, and whether memory was freed since then.
  private var lastWrite: (commits: Int, seen: UInt64, isOver: Bool)?
  private var stage = Stage.closed
  private var opensWhenAsked = false
  /// The lock on the closed file, if no other process may open it.
  private var keptLock: FileLock?
  private var whenClosed: [() -> Void] = []
  /// Whether the open files are watched.
  var isWatchingFiles = false
  private let inbox: Inbox
  private let opener: StoreOpener

  init(
    number: Int,
    name: String,
    configuration: StoreConfiguration,
    entities: [String]?,
    inbox: Inbox,
    opener: StoreOpener
  ) {
    self.number = number
    self.name = name
    self.configuration = configuration
    self.entities = entities
    let path = configuration.path
    room = RoomWatch { FileSystem.freeBytes(at: path) }
    self.inbox = inbox
    self.opener = opener
    refusal = DepotError(.busy, "The store \(name) is being opened.")
  }

  /// Whether the file is open, or is being opened or closed.
  var isActive: Bool { stage != .closed }

  /// Whether the store is read-only.
  var isReadOnly: Bool { store?.isReadOnly ?? configuration.isReadOnly }

  /// Whether the store is in service, so that it must be suspended before the service ends.
  var isOpen: Bool { stage == .open }

  /// Returns the error for a call.
  ///
  /// A store that failed to reopen, for lack of space perhaps, is opened again for later calls.
  func refuse() -> DepotError {
    let error = refusal
    if opensWhenAsked, stage == .closed {
      opensWhenAsked = false
      reopen { _ in }
    }
    return error
  }

  /// Takes over an opened store, and begins to serve it.
  ///
  /// - Throws: ``DepotError`` of class `storage`; the caller must then close the opened store.
  func adopt(_ opened: OpenedStore) throws(DepotError) {
    let reader = try QuickReader(
      path: configuration.path,
      isFrozen: opened.store.isReadOnly,
      isAwaited: { [inbox] in inbox.isLoopAwaited }
    )
    self.reader = reader
    store = opened.store
    readers = opened.readers
    feed = opened.feed
    catalog = opened.store.catalog
    keepsSnapshot = true
    heldLogBytes = nil
    settledLogBytes = 0
    isWatchingFiles = false
    reader.beginBatch()
    stage = .open
    if !whenClosed.isEmpty { beginClosing() }
  }

  /// Returns the registry that keeps watched queries up to date.
  ///
  /// - Throws: ``DepotError`` with the reason why the store isn't in service, or
  ///   `unavailable.busy`.
  func liveQueries() throws(DepotError) -> LiveQueries {
    if let live { return live }
    guard stage == .open, let store, let readers, let feed else { throw refusal }
    let started = try LiveQueries(configuration, store: store, readers: readers, feed: feed)
    live = started
    return started
  }

  /// Submits the writes of this round.
  func submit() {
    guard !writes.isEmpty else { return }
    store?.submit(writes)
    writes.removeAll(keepingCapacity: true)
  }

  /// Withdraws stopped writes that still wait, and returns their outcomes.
  func withdrawStopped() -> [WriteOutcome] {
    submit()
    defer { stopped = [:] }
    return store?.withdraw(stopped) ?? []
  }

  /// Makes new commits visible to the next read.
  ///
  /// - Returns: Whether the schema changed.
  func renewSnapshot() -> Bool {
    guard let store else { return false }
    let before = catalog.generation
    catalog = store.catalog
    reader?.endBatch()
    keepsSnapshot = store.statistics.walBytes <= configuration.walLimitBytes
    reader?.beginBatch()
    return catalog.generation != before
  }

  /// Whether writes are refused for lack of space; then call ``lookForRoom(_:)`` again soon.
  var isFull: Bool { room.isFull }

  /// Returns whether the disk became full, or has room again, since the last call.
  func lookForRoom(_ now: UInt64) -> RoomWatch.Change? {
    store.flatMap { room.look($0.statistics, now) }
  }

  /// Returns whether the store's cluster accepts writes, if that has changed since the last call.
  func lookForCluster() -> Bool? {
    let isReachable = store?.statistics.cluster?.isReachable ?? true
    guard isReachable != wasReachable else { return nil }
    wasReachable = isReachable
    return isReachable
  }

  /// Ends the reader's snapshot if the store needs that.
  func rest() {
    if !keepsSnapshot { endSnapshot() }
  }

  /// Frees readers and cached pages that were unused for the given number of nanoseconds.
  func giveBackMemory(unusedFor nanoseconds: UInt64, at now: UInt64) {
    readers?.rest(after: nanoseconds)
    guard let store else { return }
    let commits = store.statistics.commits
    if commits != lastWrite?.commits {
      lastWrite = (commits, now, false)
    } else if let write = lastWrite, !write.isOver, now - write.seen >= nanoseconds {
      lastWrite?.isOver = true
      store.giveBackMemory()
    }
  }

  /// Makes the next read begin a new snapshot.
  func endSnapshot() {
    reader?.endBatch()
    reader?.beginBatch()
  }

  /// Ends long reads and pins if the log is longer than `limit`.
  ///
  /// It also ends them if the log must be truncated after compacting. The log can restart only
  /// without readers, so new reads are held back until it has.
  ///
  /// - Returns: Whether it is about to restart, so that this must be called again soon.
  func boundLog(_ limit: Int) -> Bool {
    guard stage == .open, let store, let readers else { return false }
    let (bytes, isShortening) = (store.statistics.walBytes, store.statistics.isShortening)
    if let last = heldLogBytes {
      if !isShortening, readers.isQuiet, bytes <= limit || bytes == last {
        readers.letIn()
        (heldLogBytes, settledLogBytes) = (nil, bytes)
        return false
      }
    } else {
      guard isShortening || bytes > limit && bytes != settledLogBytes else { return false }
      readers.holdBack()
    }
    heldLogBytes = bytes
    readers.shed(olderThan: 1_000_000_000)
    if readers.isQuiet {
      endSnapshot()
      store.checkpoint()
    }
    return true
  }

  /// Takes the store out of service and closes its file.
  ///
  /// Accepted writes are stored and answered; running reads end with `error`, and so do all calls
  /// until ``reopen(completion:)``.
  ///
  /// - Parameters:
  ///   - error: The reason; `unavailable.migrating` for a migration.
  ///   - keepsLock: Whether no other process may open the file before ``reopen(completion:)``.
  ///   - completion: Is called on the server's thread when the file is closed and, unless it is
  ///     kept, its lock is free.
  func suspend(
    _ error: DepotError,
    keepsLock: Bool = false,
    completion: @escaping () -> Void = {}
  ) {
    keptLock = keepsLock ? store?.heldLock : nil
    whenClosed.append(completion)
    opensWhenAsked = false
    refusal = error
    switch stage {
    case .open: beginClosing()
    case .closed: didClose()
    // It is closed once it is open.
    case .opening, .closing: break
    }
  }

  /// Opens the file again and puts the store back into service.
  ///
  /// - Parameter completion: Is called on the server's thread with the result; after a failure the
  ///   store stays out of service until the next request for it.
  func reopen(completion: @escaping (Result<Void, DepotError>) -> Void) {
    precondition(stage == .closed, "A store must be closed before it can be opened.")
    willOpen()
    let lock = keptLock
    keptLock = nil
    opener.open([(number, configuration)], lock: lock) { [self] result in
      do throws(DepotError) {
        guard let opened = try result.get().first else { return }
        try adopt(opened)
        container?.refresh()
        completion(.success(()))
      } catch {
        didFailToOpen(error)
        opensWhenAsked = true
        completion(.failure(error))
      }
    }
  }

  /// Notes that the file is about to be opened.
  func willOpen() { stage = .opening }

  /// Notes that the file couldn't be opened.
  func didFailToOpen(_ error: DepotError) {
    stage = .closed
    refusal = error
    didClose()
  }

  private func beginClosing() {
    stage = .closing
    submit()
    reader?.endBatch()
    reader = nil
    let (number, inbox, live, reason) = (number, inbox, live, refusal)
    self.live = nil
    readers?.close(reason: reason) {
      guard let live else { return inbox.post(.readersClosed(store: number)) }
      live.close(reason: reason) { inbox.post(.readersClosed(store: number)) }
    }
  }

  /// Continues closing when there are no readers any more.
  func didCloseReaders() {
    readers = nil
    let (number, inbox) = (number, inbox)
    store?.close { inbox.post(.storeClosed(store: number)) }
  }

  /// Notes that the file is closed.
  func didCloseStore() {
    store = nil
    stage = .closed
    didClose()
  }

  private func didClose() {
    let waiting = whenClosed
    whenClosed = []
    for body in waiting { body() }
  }
}
