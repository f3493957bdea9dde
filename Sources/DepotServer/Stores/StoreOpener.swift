internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// Opens stores on a thread of its own, since that waits for the disk.
///
/// It lives on the server's thread.
@Memberwise
final class StoreOpener {
  typealias Outcome = Result<[OpenedStore], DepotError>

  private let inbox: Inbox
  private var thread: WorkerThread?
  private var waiting: [Int: (Outcome) -> Void] = [:]
  private var nextTicket = 1

  /// Whether stores are being opened.
  var isBusy: Bool { !waiting.isEmpty }

  /// Opens all of the stores, or none; this process may already hold the lock of the first.
  func open(
    _ stores: [(number: Int, configuration: StoreConfiguration)],
    lock: FileLock? = nil,
    completion: @escaping (Outcome) -> Void
  ) {
    let inbox = inbox
    start(completion) { finish in Self.open(stores[...], lock, inbox, finish) }
  }

  /// Runs another task that waits for the disk, on the thread.
  func run(
    _ body: @escaping @Sendable () throws(DepotError) -> Void,
    completion: @escaping (Result<Void, DepotError>) -> Void
  ) {
    let completion = { (outcome: Outcome) in completion(outcome.map { _ in }) }
    start(completion) { finish in finish(Result(catching: body).map { [] }) }
  }

  /// Runs `body` on the thread; its outcome is passed back to the server's thread.
  private func start(
    _ completion: @escaping (Outcome) -> Void,
    _ body: @escaping @Sendable (@escaping @Sendable (Outcome) -> Void) -> Void
  ) {
    let ticket = nextTicket
    nextTicket += 1
    waiting[ticket] = completion
    let inbox = inbox
    let finish = { @Sendable (outcome: Outcome) in
      inbox.post(.opened(ticket: ticket, outcome))
    }
    do throws(SystemError) {
      try startThread().run { body(finish) }
    } catch {
      finish(.failure(DepotError(.busy, "There are no more threads: \(error).")))
    }
  }

  private func startThread() throws(SystemError) -> WorkerThread {
    if let thread { return thread }
    let started = try WorkerThread(name: "depot-opener")
    thread = started
    return started
  }

  /// Ends the thread once it is done.
  func stop() {
    waiting = [:]
    thread?.stop()
    thread = nil
  }

  /// Passes the outcome of an opening to its recipient.
  func didOpen(_ ticket: Int, _ outcome: Outcome) {
    waiting.removeValue(forKey: ticket)?(outcome)
  }

  private static func open(
    _ stores: ArraySlice<(number: Int, configuration: StoreConfiguration)>,
    _ lock: FileLock?,
    _ inbox: Inbox,
    _ finish: @escaping @Sendable (Outcome) -> Void
  ) {
    var done: [OpenedStore] = []
    for (number, configuration) in stores {
      do throws(DepotError) {
        let known = done.isEmpty ? lock : nil
        done.append(try open(configuration, lock: known, number: number, inbox: inbox))
      } catch {
        return close(done[...]) { finish(.failure(error)) }
      }
    }
    finish(.success(done))
  }

  /// Opens one store on the calling thread.
  static func open(
    _ configuration: StoreConfiguration,
    lock: FileLock? = nil,
    number: Int,
    inbox: Inbox
  ) throws(DepotError) -> OpenedStore {
    let feed = ChangeFeed()
    let store = try Store(
      configuration: configuration,
      lock: lock,
      onCommit: { inbox.post(.committed(store: number, $0)) },
      onChanges: feed.add,
      onFatal: { inbox.post(.fatal($0)) }
    )
    let readers = ReaderPool(
      path: configuration.path,
      isFrozen: store.isReadOnly,
      waitForForeignCommits: { store.waitForForeignCommits() }
    )
    return OpenedStore(store: store, readers: readers, feed: feed)
  }

  /// Closes opened stores that won't be used.
  static func close(_ stores: ArraySlice<OpenedStore>, completion: @escaping @Sendable () -> Void) {
    guard let first = stores.first else { return completion() }
    first.readers.close {
      first.store.close { close(stores.dropFirst(), completion: completion) }
    }
  }
}
