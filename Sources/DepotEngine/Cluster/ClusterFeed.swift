internal import DepotLinux
internal import DepotPostgres
internal import DepotProtocol
internal import DepotSQLite
internal import Synchronization

/// A listener for commits of other services of a store, which also writes pages into the cluster.
///
/// It has a thread and connections of its own: neither task makes a write wait.
final class ClusterFeed: Sendable {
  private let address: ClusterAddress
  private let signal: WakeSignal
  private let isStopped = Atomic(false)
  /// The last commit that the copy has.
  private let known = Atomic<Int64>(0)
  private let base = Mutex<ClusterBase?>(nil)
  private let isWriting = Atomic(false)
  private let onNews: @Sendable (Int64) -> Bool
  /// Receives the commit up to which the cluster has all pages, or the pages that weren't written.
  private let onBase: @Sendable (Int64?, Set<UInt32>) -> Void

  /// How long it waits at most before it looks for itself, in milliseconds.
  private static let interval = 100
  /// How long commits gather where nobody waits for them, in milliseconds.
  private static let pause = 5

  /// Starts the thread, which calls `onNews` when the cluster has a commit that the copy may lack.
  ///
  /// `onNews` gets the cluster's last commit, and returns whether somebody waits for the next ones.
  ///
  /// - Throws: ``SystemError`` if the kernel has no more threads or descriptors.
  init(
    _ address: ClusterAddress,
    onNews: @escaping @Sendable (Int64) -> Bool,
    onBase: @escaping @Sendable (_ written: Int64?, _ missing: Set<UInt32>) -> Void
  ) throws(SystemError) {
    self.address = address
    self.onNews = onNews
    self.onBase = onBase
    signal = try WakeSignal(isBlocking: false)
    try Thread.start(name: "depot-cluster") { [self] in run() }
  }

  /// Notes the last commit that the copy has.
  func note(_ sequence: Int64) { known.store(sequence, ordering: .relaxed) }

  /// Has pages written into the cluster, when those before were.
  func write(_ pages: ClusterBase) {
    base.withLock { $0 = pages }
    signal.signal()
  }

  /// Ends the thread.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    signal.signal()
  }

  /// Ends the thread, and returns when it uses no pages any more.
  func end() {
    stop()
    base.withLock { $0 = nil }
    while isWriting.load(ordering: .acquiring) { Process.sleep(milliseconds: 1) }
  }

  private var mustStop: Bool { isStopped.load(ordering: .relaxed) }

  private func run() {
    while !mustStop {
      do throws(PostgresError) {
        let connection = try PostgresConnection(
          address.text,
          settings: ["application_name": "depotd news"]
        )
        connection.timeLimit = 10_000_000_000
        // Others can write the pages if this service stands still.
        try connection.run([
          PostgresStatement("SET idle_in_transaction_session_timeout = '\(address.turnSeconds)s'"),
          ClusterSession.makeDurable,
        ])
        try connection.listen(ClusterTables.channel)
        while !mustStop { try listen(on: connection) }
      } catch {
        // The next write reports the error.
        wait(200)
      }
    }
  }

  private func listen(on connection: PostgresConnection) throws(PostgresError) {
    let isTold = try connection.waitForNotification(
      milliseconds: Self.interval,
      or: signal.descriptor
    )
    signal.consume()
    let last =
      isTold
      ? connection.notifications.compactMap { Int64($0) }.max() ?? .max
      : try lastCommit(connection)
    // Several commits that nobody waits for are taken in together.
    if last > known.load(ordering: .relaxed), !onNews(last) { wait(Self.pause) }
    defer { isWriting.store(false, ordering: .releasing) }
    try writeBase(to: connection)
  }

  private func lastCommit(_ connection: PostgresConnection) throws(PostgresError) -> Int64 {
    // Another commit may come meanwhile.
    let earlier = known.load(ordering: .relaxed)
    let head = try connection.run("SELECT sequence FROM depot.head")
    guard head.rowCount == 1 else { throw PostgresError(.lost, "depot.head has no row") }
    // A primary that another one has replaced tells nothing new; nor is it to be written to.
    guard head.integer(0) >= earlier else {
      throw PostgresError(.lost, "the server hasn't got the last commit")
    }
    return head.integer(0)
  }

  private func writeBase(to connection: PostgresConnection) throws(PostgresError) {
    let pages = base.withLock { base in
      isWriting.store(base != nil, ordering: .relaxed)
      return base.take()
    }
    guard let pages else { return }
    do throws(PostgresError) {
      let isWritten = try pages.write(to: connection, keeping: address.baseStep) { last in
        if last > known.load(ordering: .relaxed) { _ = onNews(last) }
        return !mustStop
      }
      onBase(isWritten ? pages.sequence : nil, isWritten ? [] : pages.changed)
    } catch {
      onBase(nil, pages.changed)
      throw error
    }
  }

  private func wait(_ milliseconds: Int) {
    signal.descriptor.waitUntilReadable(milliseconds: milliseconds)
    signal.consume()
  }
}
