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
    case open(ServedStore)
    /// Its readers are ending; that for short reads is gone.
    case ending(Store, ReaderPool)
    /// Its readers have ended, and its file is being closed.
    case closing(Store)
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
  private var stage = Stage.closed
  private var opensWhenAsked = false
  /// The lock on the closed file, if no other process may open it.
  private var keptLock: FileLock?
  private var whenClosed: [() -> Void] = []
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
  var isActive: Bool { !isClosed }

  private var isClosed: Bool {
    if case .closed = stage { true } else { false }
  }

  /// Whether the store is read-only.
  var isReadOnly: Bool { store?.isReadOnly ?? configuration.isReadOnly }

  /// Whether the store is in service, so that it must be suspended before the service ends.
  var isOpen: Bool { served != nil }

  /// The parts of the store that is in service.
  var served: ServedStore? {
    if case .open(let served) = stage { served } else { nil }
  }

  /// The store, also while it is being closed.
  var store: Store? {
    switch stage {
    case .open(let served): served.store
    case .ending(let store, _), .closing(let store): store
    case .closed, .opening: nil
    }
  }

  /// The reader for short reads; `nil` unless the store is in service.
  var reader: QuickReader? { served?.reader }

  /// The readers, also while they are ending.
  var readers: ReaderPool? {
    switch stage {
    case .open(let served): served.readers
    case .ending(_, let readers): readers
    case .closed, .opening, .closing: nil
    }
  }

  /// The watched queries of a store in service, once there was one.
  var live: LiveQueries? { served?.live }

  /// Returns the error for a call.
  ///
  /// A store that failed to reopen, for lack of space perhaps, is opened again for later calls.
  func refuse() -> DepotError {
    let error = refusal
    if opensWhenAsked, isClosed {
      opensWhenAsked = false
      reopen { _ in }
    }
    return error
  }

  /// Takes over an opened store, and begins to serve it.
  ///
  /// - Throws: ``DepotError`` of class `storage`; the caller must then close the opened store.
  func adopt(_ opened: OpenedStore) throws(DepotError) {
    let served = try ServedStore(opened, configuration: configuration, inbox: inbox)
    catalog = opened.store.catalog
    stage = .open(served)
    if !whenClosed.isEmpty { beginClosing(served) }
  }

  /// Returns the registry that keeps watched queries up to date.
  ///
  /// - Throws: ``DepotError`` with the reason why the store isn't in service, or
  ///   `unavailable.busy`.
  func liveQueries() throws(DepotError) -> LiveQueries {
    guard let served else { throw refusal }
    return try served.liveQueries()
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
    served?.renewSnapshot()
    return catalog.generation != before
  }

  /// Whether writes are refused for lack of space; then call ``lookForRoom(_:)`` again soon.
  var isFull: Bool { room.isFull }

  /// Returns whether the disk became full, or has room again, since the last call.
  func lookForRoom(_ now: UInt64) -> RoomWatch.Change? {
    store?.statistics { room.look($0, now) }
  }

  /// Returns whether the store's cluster accepts writes, if that has changed since the last call.
  func lookForCluster() -> Bool? {
    let isReachable = store?.statistics(\.cluster)?.isReachable ?? true
    guard isReachable != wasReachable else { return nil }
    wasReachable = isReachable
    return isReachable
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
    case .open(let served): beginClosing(served)
    case .closed: didClose()
    // It is closed once it is open.
    case .opening, .ending, .closing: break
    }
  }

  /// Opens the file again and puts the store back into service.
  ///
  /// - Parameter completion: Is called on the server's thread with the result; after a failure the
  ///   store stays out of service until the next request for it.
  func reopen(completion: @escaping (Result<Void, DepotError>) -> Void) {
    precondition(isClosed, "A store must be closed before it can be opened.")
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

  private func beginClosing(_ served: ServedStore) {
    submit()
    stage = .ending(served.store, served.readers)
    let (number, inbox) = (number, inbox)
    served.closeReaders(refusal) { inbox.post(.readersClosed(store: number)) }
  }

  /// Continues closing when there are no readers any more.
  func didCloseReaders() {
    guard case .ending(let store, _) = stage else { return }
    stage = .closing(store)
    let (number, inbox) = (number, inbox)
    store.close { inbox.post(.storeClosed(store: number)) }
  }

  /// Notes that the file is closed.
  func didCloseStore() {
    stage = .closed
    didClose()
  }

  private func didClose() {
    let waiting = whenClosed
    whenClosed = []
    for body in waiting { body() }
  }
}
