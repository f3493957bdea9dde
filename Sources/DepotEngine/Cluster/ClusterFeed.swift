internal import DepotLinux
internal import DepotPostgres
internal import DepotProtocol
internal import DepotSQLite
internal import Synchronization

/// Listens for commits of other services, and writes pages into the cluster.
///
/// It has its own thread and connections, so that no write waits for either task.
final class ClusterFeed: Sendable {
  private let address: ClusterAddress
  private let signal: WakeSignal
  private let isStopped = Atomic(false)
  /// The last commit that the local copy has.
  private let known = Atomic<Int64>(0)
  private let base = Mutex<Handover<ClusterBase>?>(nil)
  private let isWriting = Atomic(false)
  private let onForeignCommit: @Sendable (Int64) -> Bool
  /// Receives the commit whose pages are all in the cluster, or the pages that weren't written.
  private let onBase: @Sendable (Int64?, Set<UInt32>) -> Void

  /// The longest wait between checks for new commits, in milliseconds.
  private static let interval = 100
  /// The time in milliseconds for which commits are collected if nothing here needs them soon.
  private static let pause = 5

  /// Starts the thread, which calls `onForeignCommit` when the copy may lack a commit.
  ///
  /// The function gets the cluster's last commit; it returns whether the next ones are needed soon.
  ///
  /// - Throws: ``SystemError`` if the kernel has no more threads or descriptors.
  init(
    _ address: ClusterAddress,
    onForeignCommit: @escaping @Sendable (Int64) -> Bool,
    onBase: @escaping @Sendable (_ written: Int64?, _ missing: Set<UInt32>) -> Void
  ) throws(SystemError) {
    self.address = address
    self.onForeignCommit = onForeignCommit
    self.onBase = onBase
    signal = try WakeSignal(isBlocking: false)
    try Thread.start(name: "depot-cluster") { [self] in run() }
  }

  /// Sets the last commit that the copy has.
  func note(_ sequence: Int64) { known.store(sequence, ordering: .relaxed) }

  /// Queues pages to be written into the cluster after the previous ones.
  func write(_ pages: sending ClusterBase) {
    let pages = Handover(pages)
    base.withLock { $0 = pages }
    signal.signal()
  }

  /// Ends the thread.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    signal.signal()
  }

  /// Ends the thread, and waits until it uses no pages any more.
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
        // If this service is suspended, others can write the pages.
        try connection.run([
          PostgresStatement("SET idle_in_transaction_session_timeout = '\(address.turnSeconds)s'"),
          ClusterSession.makeDurable,
        ])
        try connection.listen(ClusterTables.channel)
        while !mustStop { try listen(on: connection) }
      } catch {
        // The error is reported by the next write.
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
    // Commits that aren't needed soon are applied together.
    if last > known.load(ordering: .relaxed), !onForeignCommit(last) { wait(Self.pause) }
    defer { isWriting.store(false, ordering: .releasing) }
    try writeBase(to: connection)
  }

  private func lastCommit(_ connection: PostgresConnection) throws(PostgresError) -> Int64 {
    // Another commit may arrive meanwhile.
    let earlier = known.load(ordering: .relaxed)
    let head = try connection.run("SELECT sequence FROM depot.head")
    guard head.rowCount == 1 else { throw PostgresError(.lost, "depot.head has no row") }
    // A replaced primary has no new commits, and must not be written to.
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
    guard let pages = pages?.take() else { return }
    do throws(PostgresError) {
      let isWritten = try pages.write(to: connection, keeping: address.baseStep) { last in
        if last > known.load(ordering: .relaxed) { _ = onForeignCommit(last) }
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
