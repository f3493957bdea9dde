internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// A store in service: the parts that exist only while its file is open.
///
/// It lives on the server's thread.
final class ServedStore {
  let store: Store
  /// The reader for short reads.
  let reader: QuickReader
  let readers: ReaderPool
  /// The watched queries, once there was one.
  private(set) var live: LiveQueries?
  /// Whether the open files are watched.
  var isWatchingFiles = false
  private let configuration: StoreConfiguration
  private let feed: ChangeFeed
  /// Whether the reader may keep its snapshot while the loop sleeps.
  ///
  /// It may not if the write-ahead log is long, since the log can restart only without readers.
  private var keepsSnapshot = true
  /// The size of the log at the last check, while reads are held back for it.
  private var heldLogBytes: Int?
  /// The size of the log up to which nothing need be done.
  private var settledLogBytes = 0
  /// The number of commits, when it last changed, and whether memory was freed since then.
  private var lastWrite: (commits: Int, seen: UInt64, isOver: Bool)?

  /// Begins the first snapshot of an opened store.
  ///
  /// - Throws: ``DepotError`` of class `storage`; the caller must then close the opened store.
  init(
    _ opened: OpenedStore,
    configuration: StoreConfiguration,
    inbox: Inbox
  ) throws(DepotError) {
    reader = try QuickReader(
      path: configuration.path,
      isFrozen: opened.store.isReadOnly,
      isAwaited: { inbox.isLoopAwaited }
    )
    store = opened.store
    readers = opened.readers
    feed = opened.feed
    self.configuration = configuration
    reader.beginBatch()
  }

  /// Returns the registry that keeps watched queries up to date.
  ///
  /// - Throws: ``DepotError`` `unavailable.busy`.
  func liveQueries() throws(DepotError) -> LiveQueries {
    if let live { return live }
    let started = try LiveQueries(configuration, store: store, readers: readers, feed: feed)
    live = started
    return started
  }

  /// Makes new commits visible to the next read.
  func renewSnapshot() {
    reader.endBatch()
    keepsSnapshot = store.statistics(\.walBytes) <= configuration.walLimitBytes
    reader.beginBatch()
  }

  /// Makes the next read begin a new snapshot.
  func endSnapshot() {
    reader.endBatch()
    reader.beginBatch()
  }

  /// Ends the reader's snapshot if the store needs that.
  func rest() {
    if !keepsSnapshot { endSnapshot() }
  }

  /// Frees readers and cached pages that were unused for the given number of nanoseconds.
  func giveBackMemory(unusedFor nanoseconds: UInt64, at now: UInt64) {
    readers.rest(after: nanoseconds)
    let commits = store.statistics(\.commits)
    if commits != lastWrite?.commits {
      lastWrite = (commits, now, false)
    } else if let write = lastWrite, !write.isOver, now - write.seen >= nanoseconds {
      lastWrite?.isOver = true
      store.giveBackMemory()
    }
  }

  /// Ends long reads and pins if the log is longer than `limit`.
  ///
  /// It also ends them if the log must be truncated after compacting. The log can restart only
  /// without readers, so new reads are held back until it has.
  ///
  /// - Returns: Whether it is about to restart, so that this must be called again soon.
  func boundLog(_ limit: Int) -> Bool {
    let (bytes, isShortening) = store.statistics { ($0.walBytes, $0.isShortening) }
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

  /// Ends the readers and watched queries; running reads end with `reason`.
  func closeReaders(_ reason: DepotError, completion: @escaping @Sendable () -> Void) {
    reader.endBatch()
    let live = live
    self.live = nil
    readers.close(reason: reason) {
      guard let live else { return completion() }
      live.close(reason: reason, completion: completion)
    }
  }
}
