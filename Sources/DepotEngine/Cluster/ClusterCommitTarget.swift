internal import DepotLinux
internal import DepotPostgres
internal import DepotProtocol
internal import DepotSQLite
internal import Glibc

/// A store in a cluster, for the connection that writes to its local copy.
///
/// A write holds the write lock, which the guide calls a turn: a transaction that locks the
/// cluster's head, so that no other service commits. It begins by applying other services' commits
/// to the local copy, and ends when the cluster has stored the copy's own commit. Nothing becomes
/// visible here before the cluster has stored it durably.
///
/// It isn't `Sendable`: only the store's writer uses it.
final class ClusterCommitTarget: CommitTarget {
  let address: ClusterAddress
  /// The number of this service, unique among all services that the store ever had.
  let service: Int64
  /// The last commit that the copy has, and its random identity.
  private(set) var sequence: Int64
  private(set) var identity: Int64
  /// The cluster's timeline at the last commit whose epoch began on that timeline.
  private var timeline: String
  /// Whether the current transaction belongs to such an epoch.
  var isOfEpoch = false
  var session: ClusterSession?
  var safety: ClusterSafety
  private(set) var holdsWriteLock = false
  /// The monotonic time of the last statement to the cluster under the write lock.
  private var lastSign: UInt64 = 0
  /// The error of the cluster's last failure; `nil` after a success.
  var failure: DepotError?
  /// The wait of a write for other services' transactions.
  let turn = ClusterTurn()
  /// The error of the last call that was cancelled while waiting for the write lock.
  private(set) var stop: DepotError?
  /// Returns the transactions of the current commit, to be sent to other services.
  var uncommittedChanges: () -> [CommittedChanges] = { [] }
  /// Returns whether a watcher here needs other services' changes.
  var isObserved: () -> Bool = { true }
  /// Other services' transactions that weren't published here yet.
  private var foreign: [CommittedChanges] = []
  /// Whether the writer must still reload state that other services' commits changed.
  var hasForeignCommits = false
  /// The pages that must still be written into the cluster.
  private var debt: ClusterDebt

  /// The time in nanoseconds that a write waits for an unreachable cluster.
  ///
  /// The longer time is for a commit whose outcome is unknown.
  private static let patience: UInt64 = 10_000_000_000
  private static let longPatience: UInt64 = 120_000_000_000
  /// The interval of statements to the cluster under the write lock, in nanoseconds.
  private var signInterval: UInt64 { UInt64(address.turnSeconds) * 200_000_000 }

  /// Uses a copy that has all commits up to a head's base.
  init(_ address: ClusterAddress, _ session: ClusterSession, _ head: ClusterHead, service: Int64) {
    self.address = address
    self.session = session
    self.service = service
    safety = session.safety
    timeline = head.timeline
    sequence = head.base
    identity = head.identity
    debt = ClusterDebt(base: head.base)
  }

  /// The state of the cluster, for reports.
  var state: ClusterState {
    ClusterState(
      safety: safety,
      service: service,
      commitsSinceBase: sequence - debt.base,
      bytesSinceBase: debt.bytes,
      isReachable: failure == nil,
      roundTrips: session?.connection.roundTrips ?? 0
    )
  }

  // MARK: The write lock

  /// Locks the cluster against other commits, and applies the earlier ones.
  ///
  /// - Throws: ``SQLiteError`` of the kind `refused` if the cluster can't be used now or the call
  ///   is cancelled; see ``reason``.
  func acquireWriteLock(on copy: Connection, for control: CallControl) throws(SQLiteError) {
    precondition(!holdsWriteLock, "The write lock is released before it is acquired again.")
    stop = nil
    turn.begin()
    defer { turn.end() }
    if try acquireWriteLock(on: copy, for: control, takesAll: false) { return }
    try catchUp(on: copy)
    _ = try acquireWriteLock(on: copy, for: control, takesAll: true)
  }

  /// The error that caused a refusal.
  var reason: DepotError? { stop ?? failure }

  /// Locks it, unless other services' commits are too large to apply while others wait.
  ///
  /// While an answer for this service waits in the server, no other service can commit. So the
  /// answer is kept small enough for the connection's buffers, even if this service is suspended.
  private func acquireWriteLock(
    on copy: Connection,
    for control: CallControl,
    takesAll: Bool
  ) throws(SQLiteError) -> Bool {
    do throws(DepotError) {
      let results = try trying(for: Self.patience, control) { connection throws(PostgresError) in
        try connection.run([
          PostgresStatement("BEGIN"),
          PostgresStatement(ClusterTables.head + " FOR UPDATE"),
          PostgresStatement(ClusterTables.fewCommits, [.integer(sequence)]),
        ])
      }
      holdsWriteLock = true
      isOfEpoch = false
      lastSign = Monotonic.now()
      let head = try ClusterHead(results[1])
      note(head)
      try take(results[2], isWhole: results[2].rowCount < ClusterTables.fewest, on: copy)
      if sequence < head.sequence, !takesAll {
        releaseWriteLock()
        return false
      }
      while sequence < head.sequence { try takeNext(on: copy) }
      guard sequence == head.sequence else { throw DepotError.staleCopy }
      // Another database with as many commits may have been restored in its place.
      guard identity == head.identity else { throw DepotError.lostCommits }
      return true
    } catch {
      releaseWriteLock()
      throw refusal(error)
    }
  }

  /// Sends a statement now and then, to show the cluster that this service is still active.
  func keepWriteLock() {
    let now = Monotonic.now()
    guard holdsWriteLock, now - lastSign > signInterval, let session else { return }
    lastSign = now
    // If the lock was lost, its release reports that.
    _ = try? session.connection.run("SELECT 1")
  }

  /// Whether a standby has taken over since the last commit, so that a new epoch begins.
  var isOnNewTimeline: Bool { session.map { $0.timeline != timeline } ?? false }

  private func refusal(_ error: DepotError) -> SQLiteError {
    if [.cancelled, .deadline].contains(error.code) {
      stop = error
      return .refused(error.message)
    }
    failure = error
    return isLasting(error) ? .broken(error.message) : .refused(error.message)
  }

  /// Releases the lock without a commit.
  func releaseWriteLock() {
    guard holdsWriteLock else { return }
    holdsWriteLock = false
    session?.connection.rollBack()
  }

  private func note(_ head: ClusterHead) {
    timeline = head.timeline
    debt.note(base: head.base)
  }

  // MARK: Commits of others

  /// Applies the commits since the base that the copy was made from.
  ///
  /// - Throws: ``DepotError`` of the cluster.
  func begin(on copy: Connection) throws(DepotError) {
    do {
      try catchUp(on: copy)
      try session?.connection.run(ClusterTables.releaseCommits)
    } catch {
      throw failure ?? DepotError(error, address)
    }
  }

  /// Applies other services' commits without the write lock.
  ///
  /// - Throws: ``SQLiteError`` of the kind `refused` or `broken`; some commits may already be
  ///   applied.
  func catchUp(on copy: Connection) throws(SQLiteError) {
    do throws(DepotError) {
      var isBehind = true
      while isBehind {
        let before = sequence
        let result = try trying(for: 0) { connection throws(PostgresError) in
          try connection.run(ClusterTables.commits, [.integer(sequence)])
        }
        isBehind = result.rowCount == ClusterTables.most
        try take(result, isWhole: !isBehind, on: copy)
        if isBehind, sequence == before { try takeNext(on: copy) }
      }
    } catch {
      throw refusal(error)
    }
  }

  /// Applies commits whose parts are rows of a result, up to the first one without contents.
  ///
  /// - Parameters:
  ///   - result: The rows of ``ClusterTables/commits``.
  ///   - isWhole: Whether the last commit of the result is complete.
  ///   - copy: The connection that writes to the copy.
  /// - Throws: The error of a commit that can't be applied.
  private func take(
    _ result: PostgresResult,
    isWhole: Bool,
    on copy: Connection
  ) throws(DepotError) {
    let count = (0..<result.rowCount).first { result.isNull(4, row: $0) } ?? result.rowCount
    var row = 0
    while row < count {
      let number = result.integer(0, row: row)
      var end = row + 1
      while end < count, result.integer(0, row: end) == number { end += 1 }
      // The other parts are in the next result.
      if end == count, !isWhole || count < result.rowCount { return }
      try replay(number, result, row: row, on: copy) { replay throws in
        for part in row..<end {
          try add(UnsafeRawBufferPointer(result.bytes(4, row: part)), to: replay)
        }
        return result.bytes(5, row: row)
      }
      row = end
    }
  }

  /// Applies the next commit in pieces, regardless of its size, with the current session.
  private func takeNext(on copy: Connection) throws(DepotError) {
    let commit: ClusterCommit
    do throws(PostgresError) {
      guard let session else { throw PostgresError(.unreachable, "the connection was lost") }
      commit = try ClusterCommit(sequence + 1, session.connection)
    } catch {
      throw DepotError(error, address)
    }
    try replay(sequence + 1, commit.parts, row: 0, on: copy) { replay throws in
      for part in 0..<commit.parts.rowCount {
        try commit.changes(ofPart: part).withUnsafeBytes { part throws in
          try add(part, to: replay)
        }
      }
      return try commit.announcement()
    }
  }

  /// Applies a commit to the copy.
  ///
  /// - Parameters:
  ///   - number: Its number.
  ///   - result: A result with its first part, or without it if there is no such commit.
  ///   - row: The row of that part.
  ///   - copy: The connection that writes to the copy.
  ///   - body: Adds its changes, and returns the description of its transactions.
  /// - Throws: ``DepotError`` `storage.corrupt` if it doesn't follow the copy's last commit,
  ///   `storage.full`.
  private func replay<Told: Sequence<UInt8>>(
    _ number: Int64,
    _ result: PostgresResult,
    row: Int,
    on copy: Connection,
    _ body: (CommitReplay) throws -> Told
  ) throws(DepotError) {
    guard number == sequence + 1, row < result.rowCount, result.integer(1, row: row) == 0 else {
      throw DepotError.staleCopy
    }
    do {
      let replay = try CommitReplay(on: copy)
      let told = try body(replay)
      try replay.finish(pageCount: UInt32(truncatingIfNeeded: result.integer(3, row: row)))
      (sequence, identity) = (number, result.integer(2, row: row))
      hasForeignCommits = true
      // Watchers that start later already see the commit in their first result.
      if isObserved() { foreign += ClusterAnnouncement.read(told) }
    } catch {
      if let error = error as? SQLiteError, error.kind == .full { throw .noRoom }
      if let error = error as? PostgresError { throw DepotError(error, address) }
      throw error as? DepotError ?? DepotError(.corrupt, "A commit can't be applied: \(error).")
    }
  }

  private func add(_ part: UnsafeRawBufferPointer, to replay: CommitReplay) throws(SQLiteError) {
    try replay.add(part)
    debt.add(PageCommit.pages(of: part), bytes: part.count)
  }

  /// Removes and returns the numbers of services that have ended, under the write lock.
  func takeEndedServices() throws(DepotError) -> [Int64] {
    do throws(PostgresError) {
      return try session?.takeEndedServices(but: service) ?? []
    } catch {
      throw DepotError(error, address)
    }
  }

  // MARK: Pages in the cluster

  /// Returns the pages to write into the cluster now; `nil` if there are none.
  func takeBase(of path: String) -> sending ClusterBase? {
    holdsWriteLock ? nil : debt.take(of: path, sequence, identity, step: address.baseStep)
  }

  /// Sets the commit whose pages were written, or adds the pages that weren't written.
  func didWriteBase(_ sequence: Int64?, missing pages: Set<UInt32>) {
    debt.didWrite(sequence, missing: pages)
  }

  /// Removes and returns other services' transactions that weren't published yet.
  func takeForeign() -> [CommittedChanges] {
    defer { foreign.removeAll() }
    return foreign
  }

  // MARK: Commits of this service

  /// Stores a commit of the copy in the cluster.
  func take(_ commit: consuming PageCommit) -> CommitDecision {
    guard holdsWriteLock, let session, !session.connection.isBroken else {
      failure = .unreachable("The connection to it was lost.")
      return .refused
    }
    let connection = session.connection
    let warnings = connection.warningCount
    let timeline = isOfEpoch ? session.timeline : self.timeline
    let number = sequence + 1
    let name = Int64.random(in: 1 ... .max)
    let pageCount = commit.pageCount
    var bytes = 0
    var pages: Set<UInt32> = []
    func statement(_ part: Int64, _ changes: [UInt8]) -> PostgresStatement {
      bytes += changes.count
      changes.withUnsafeBytes { pages.formUnion(PageCommit.pages(of: $0)) }
      return PostgresStatement(
        ClusterTables.addCommit,
        [
          .integer(number), .integer(part), .integer(name), .integer(Int64(pageCount)),
          .bytes(changes), .bytes(part == 0 ? ClusterAnnouncement.bytes(uncommittedChanges()) : []),
        ]
      )
    }
    do {
      var changes: [UInt8] = []
      _ = try commit.writePart(into: &changes)
      var part: Int64 = 0
      var next: [UInt8] = []
      while try commit.writePart(into: &next) {
        try connection.run([statement(part, changes)])
        part += 1
        changes = next
        next = []
      }
      try connection.run([
        statement(part, changes),
        PostgresStatement(
          ClusterTables.setHead,
          [.integer(number), .integer(name), .integer(Int64(pageCount)), .text(timeline)]
        ),
        PostgresStatement("COMMIT"),
      ])
      // The wait for a standby was interrupted, so it may not have the commit.
      if connection.warningCount != warnings {
        throw PostgresError(.lost, "The commit was answered with a warning")
      }
    } catch {
      holdsWriteLock = false
      let decision = decide(error, number, name, connection)
      if decision != .taken { return decision }
    }
    holdsWriteLock = false
    (sequence, identity, self.timeline) = (number, name, timeline)
    debt.add(pages, bytes: bytes)
    session.announce(number)
    return .taken
  }

  /// Finds out whether the cluster has a commit after an error.
  private func decide(
    _ error: any Error,
    _ number: Int64,
    _ name: Int64,
    _ connection: PostgresConnection
  ) -> CommitDecision {
    guard let error = error as? PostgresError else {
      failure = DepotError(.corrupt, "\(error)")
      connection.rollBack()
      return .refused
    }
    failure = DepotError(error, address)
    guard error.kind == .lost || error.kind == .unreachable else {
      connection.rollBack()
      return .refused
    }
    connection.close()
    failure = nil
    do throws(DepotError) {
      let results = try trying(for: Self.longPatience) { connection throws(PostgresError) in
        // This waits for the lock of a server process that may still be committing.
        try connection.run([
          PostgresStatement("BEGIN"), PostgresStatement(ClusterTables.head + " FOR UPDATE"),
          PostgresStatement(ClusterTables.identity, [.integer(number)]),
          PostgresStatement("ROLLBACK"),
        ])
      }
      let found = results[2].rowCount == 1 ? results[2].integer(0) : nil
      if found == name { return .taken }
      // Other services have continued, and the commit with that number isn't kept any more.
      if found == nil, try ClusterHead(results[1]).sequence >= number {
        failure = .unreachable(
          "The connection was lost, and the cluster can't tell whether the commit is stored."
        )
        return .unknown
      }
      failure = .unreachable("The connection to it was lost before the commit.")
      return .refused
    } catch {
      failure = error
      return .unknown
    }
  }
}

@available(*, unavailable)
extension ClusterCommitTarget: Sendable {}
