internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// One store with all that the service needs to serve it: its writer, its readers, its schema.
///
/// It lives on the server's thread. It can be taken out of service and put back, as a migration needs.
final class StoreHost {
  private enum Stage {
    case closed
    case opening
    case open
    case closing
  }

  /// The number, which no other store of the service ever has.
  let number: Int
  /// The name in its container.
  let name: String
  let configuration: StoreConfiguration
  /// The entities that it may hold, or `nil` for any that no other store of its container names.
  let entities: [String]?
  weak var container: Container?

  /// The error that calls get while the store isn't served.
  private(set) var refusal: DepotError
  private(set) var store: Store?
  /// The reader for short reads; `nil` unless the store is served.
  private(set) var reader: QuickReader?
  private(set) var readers: ReaderPool?
  /// The watched queries, once there was one.
  private(set) var live: LiveQueries?
  private var feed: ChangeFeed?
  /// The schema as of the last announced commit, which the reader's snapshot shows.
  private(set) var catalog = Catalog(Schema(), generation: 0)
  /// Whether there is room on its disk.
  private var room: RoomWatch
  /// Whether the store's cluster took writes at the last look.
  private var wasReachable = true
  /// The writes that came in this turn of the loop.
  var writes: [WriteRequest] = []
  /// The writes that are to end, by their tokens, and why.
  var stopped: [UInt64: DepotError] = [:]
  /// Whether the reader may keep its snapshot while the loop sleeps.
  ///
  /// It may not once the write-ahead log is long: the store can begin it anew only while nobody reads
  /// from it.
  private(set) var keepsSnapshot = true

  /// The size of the log when it was looked at last, while reads are held back for it.
  private var heldLogBytes: Int?
  /// The size of the log that needs nothing done until it grows.
  private var settledLogBytes = 0
  /// How many commits the store had when that was another number, when this was seen, and whether the memory of its
  /// writes is given back since.
  private var lastWrite: (commits: Int, seen: UInt64, isOver: Bool)?
  private var stage = Stage.closed
  private var opensWhenAsked = false
  /// The lock on the file while that is closed, if no other process may have it.
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

  /// Whether the file is open, or on its way to be so or to be closed.
  var isActive: Bool { stage != .closed }

  /// Whether nothing may be written to it, or can be.
  var isReadOnly: Bool { store?.isReadOnly ?? configuration.isReadOnly }

  /// Whether it serves, so that it must be suspended before the service ends.
  var isOpen: Bool { stage == .open }

  /// Returns the error for a call.
  ///
  /// A store that couldn't be opened again, for want of room perhaps, is opened for those who come later.
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
  func adopt(_ opened: StoreOpener.Opened) throws(DepotError) {
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
  /// - Throws: ``DepotError`` why the store isn't served, or `unavailable.busy`.
  func liveQueries() throws(DepotError) -> LiveQueries {
    if let live { return live }
    guard stage == .open, let store, let readers, let feed else { throw refusal }
    let started = try LiveQueries(configuration, store: store, readers: readers, feed: feed)
    live = started
    return started
  }

  /// Hands over the writes of this turn.
  func submit() {
    guard !writes.isEmpty else { return }
    store?.submit(writes)
    writes.removeAll(keepingCapacity: true)
  }

  /// Takes the writes back that are to end and wait, and returns their outcomes.
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

  /// Whether writes are refused for want of room, so that ``lookForRoom(_:)`` is to be called again soon.
  var isFull: Bool { room.isFull }

  /// Returns whether the disk was found full, or was found to have room again, since the last call.
  func lookForRoom(_ now: UInt64) -> RoomWatch.Change? {
    store.flatMap { room.look($0.statistics, now) }
  }

  /// Returns whether the store's cluster takes writes, if that has changed since the last call.
  func lookForCluster() -> Bool? {
    let isReachable = store?.statistics.cluster?.isReachable ?? true
    guard isReachable != wasReachable else { return nil }
    wasReachable = isReachable
    return isReachable
  }

  /// Gives up the reader's snapshot if the store needs that.
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

  /// Ends long reads and pins if the log is longer than `limit`, or is to be cut after the store was compacted,
  /// since it can begin anew only while nobody reads from it, and holds back new ones until it did.
  ///
  /// - Returns: Whether it is about to, so that it must be called again soon.
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
  /// Writes that were accepted are stored and answered; reads that run end with `error`, and so do
  /// all calls until ``reopen(completion:)``.
  ///
  /// - Parameters:
  ///   - error: Why; `unavailable.migrating` for a migration.
  ///   - keepsLock: Whether no other process may open the file before ``reopen(completion:)``.
  ///   - completion: Is called on the server's thread when the file is closed and, unless it is kept, its
  ///     lock is free.
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
    // Then it closes when it was opened.
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
