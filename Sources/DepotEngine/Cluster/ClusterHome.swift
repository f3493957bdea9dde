internal import DepotLinux
internal import DepotPostgres
internal import DepotProtocol
internal import DepotSQLite
internal import Glibc

/// A store in a cluster, for the one connection that writes to its local copy.
///
/// A write is done in a turn: a transaction that locks the cluster's head, so that nobody else
/// commits. It begins by applying the commits of other services to the local copy, and ends when
/// the cluster has the copy's own commit. Nothing is visible here that the cluster could lose.
///
/// It isn't `Sendable`: it is its writer's.
final class ClusterHome: CommitHome {
  let address: ClusterAddress
  /// The number of this service, which no other of the store ever has.
  let service: Int64
  /// The last commit that the copy has, and the random number by which it is known.
  private(set) var sequence: Int64
  private(set) var identity: Int64
  /// The timeline of the cluster at the last commit that was of an epoch which began there.
  private var timeline: String
  /// Whether the transaction at hand is of such an epoch.
  var isOfEpoch = false
  var session: ClusterSession?
  var safety: ClusterSafety
  private(set) var isInTurn = false
  /// When the cluster heard of the turn last, by the monotonic clock.
  private var lastSign: UInt64 = 0
  /// The error of the cluster's last failure; `nil` after a success.
  var failure: DepotError?
  /// Why the last turn didn't begin, if its call was stopped while it waited.
  private(set) var stop: DepotError?
  /// Returns the transactions of the present commit, for other services.
  var told: () -> [CommittedChanges] = { [] }
  /// Returns whether a watcher here needs others' changes.
  var isHeard: () -> Bool = { true }
  /// The commits of others that weren't made known here yet.
  private var foreign: [CommittedChanges] = []
  /// Whether the writer has yet to go on from commits of others.
  var hasNews = false
  /// The pages that are still to be written into the cluster.
  private var debt: ClusterDebt

  /// How long a write waits for a cluster that can't be reached, and how long one whose outcome isn't known, in
  /// nanoseconds.
  private static let patience: UInt64 = 10_000_000_000
  private static let longPatience: UInt64 = 120_000_000_000
  /// How often the cluster gets a sign of life during a long turn, in nanoseconds.
  private var signInterval: UInt64 { UInt64(address.turnSeconds) * 200_000_000 }

  /// Takes over a copy that has all commits up to a head's base.
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

  /// The state of the cluster for people.
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

  // MARK: Turns

  /// Begins a turn: locks the cluster against other commits, and applies the earlier ones.
  ///
  /// - Throws: ``SQLiteError`` of the kind `refused` if the cluster can't be used now, or the control's call is
  ///   stopped; see ``reason``.
  func beginTurn(on copy: Connection, for control: CallControl) throws(SQLiteError) {
    precondition(!isInTurn, "A turn ends before the next one begins.")
    stop = nil
    if try beginTurn(on: copy, for: control, takesAll: false) { return }
    try catchUp(on: copy)
    _ = try beginTurn(on: copy, for: control, takesAll: true)
  }

  /// Why something was refused.
  var reason: DepotError? { stop ?? failure }

  /// Begins a turn, unless others have committed much that isn't to be taken in while they wait.
  ///
  /// As long as an answer waits in the server for this service, nobody else can commit; so each is a small one,
  /// which the connection takes also from a service that stands still.
  private func beginTurn(
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
      isInTurn = true
      isOfEpoch = false
      lastSign = Monotonic.now()
      let head = try ClusterHead(results[1])
      note(head)
      try take(results[2], isWhole: results[2].rowCount < ClusterTables.fewest, on: copy)
      if sequence < head.sequence, !takesAll {
        endTurn()
        return false
      }
      while sequence < head.sequence { try takeNext(on: copy) }
      guard sequence == head.sequence else { throw DepotError.staleCopy }
      return true
    } catch {
      endTurn()
      throw refusal(error)
    }
  }

  /// Tells the cluster that this service is at work, if it is for long.
  func keepTurn() {
    let now = Monotonic.now()
    guard isInTurn, now - lastSign > signInterval, let session else { return }
    lastSign = now
    // A turn that is lost is found out at its end.
    _ = try? session.connection.run("SELECT 1")
  }

  /// Whether a standby has taken over since the last commit, which begins another epoch then.
  var isOnNewTimeline: Bool { session.map { $0.timeline != timeline } ?? false }

  private func refusal(_ error: DepotError) -> SQLiteError {
    if [.cancelled, .deadline].contains(error.code) {
      stop = error
      return .refused(error.message)
    }
    failure = error
    return isLasting(error) ? .broken(error.message) : .refused(error.message)
  }

  /// Ends a turn without a commit.
  func endTurn() {
    guard isInTurn else { return }
    isInTurn = false
    session?.connection.rollBack()
  }

  private func note(_ head: ClusterHead) {
    timeline = head.timeline
    debt.note(base: head.base)
  }

  // MARK: Commits of others

  /// Applies the commits made since the copy was made.
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

  /// Applies other services' commits outside of a turn.
  ///
  /// - Throws: ``SQLiteError`` of the kind `refused` or `broken`; some commits may have been
  ///   applied then.
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

  /// Applies commits whose parts are rows of a result, up to the first without its changes.
  ///
  /// - Parameters:
  ///   - result: The rows of ``ClusterTables/commits``.
  ///   - isWhole: Whether the last commit of the result is complete.
  ///   - copy: The connection that writes to the copy.
  /// - Throws: An error of applying one of them.
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
      // Others of its parts come with the next result.
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

  /// Applies the next commit in pieces, however large it is, with the present session.
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
      return try commit.told()
    }
  }

  /// Makes a commit a part of the copy.
  ///
  /// - Parameters:
  ///   - number: Its number.
  ///   - result: A result with its first part, or with none if there is no such commit.
  ///   - row: The row of that part.
  ///   - copy: The connection that writes to the copy.
  ///   - body: Adds its changes, and returns the description of its transactions.
  /// - Throws: ``DepotError`` `storage.corrupt` if it doesn't fit the copy, `storage.full`.
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
      hasNews = true
      // Watchers that begin later already see the commit in their first read.
      if isHeard() { foreign += ClusterNews.read(told) }
    } catch {
      if let error = error as? SQLiteError, error.kind == .full { throw .noRoom }
      if let error = error as? PostgresError { throw DepotError(error, address) }
      throw error as? DepotError ?? DepotError(.corrupt, "A commit can't be taken in: \(error).")
    }
  }

  private func add(_ part: UnsafeRawBufferPointer, to replay: CommitReplay) throws(SQLiteError) {
    try replay.add(part)
    debt.add(PageCommit.pages(of: part), bytes: part.count)
  }

  /// Takes away the numbers of services that have ended, in the turn at hand, and returns them.
  func takeEndedServices() throws(DepotError) -> [Int64] {
    do throws(PostgresError) {
      return try session?.takeEndedServices(but: service) ?? []
    } catch {
      throw DepotError(error, address)
    }
  }

  // MARK: Pages in the cluster

  /// Returns the pages that are to be written into the cluster now; `nil` if none are.
  func takeBase(of path: String) -> ClusterBase? {
    isInTurn ? nil : debt.take(of: path, sequence, identity, step: address.baseStep)
  }

  /// Notes the commit up to which pages were written, or the pages that weren't written.
  func didWriteBase(_ sequence: Int64?, missing pages: Set<UInt32>) {
    debt.didWrite(sequence, missing: pages)
  }

  /// Removes and returns the transactions of other services noted since the last call.
  func takeForeign() -> [CommittedChanges] {
    defer { foreign.removeAll() }
    return foreign
  }

  // MARK: Commits of this service

  /// Gives the cluster a commit of the copy.
  func take(_ commit: consuming PageCommit) -> CommitDecision {
    guard isInTurn, let session, !session.connection.isBroken else {
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
          .bytes(changes), .bytes(part == 0 ? ClusterNews.bytes(told()) : []),
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
      // Somebody has ended the wait for a standby, which may not have the commit.
      if connection.warningCount != warnings {
        throw PostgresError(.lost, "The commit was answered with a warning")
      }
    } catch {
      isInTurn = false
      let decision = decide(error, number, name, connection)
      if decision != .taken { return decision }
    }
    isInTurn = false
    (sequence, identity, self.timeline) = (number, name, timeline)
    debt.add(pages, bytes: bytes)
    session.announce(number)
    return .taken
  }

  /// Finds out whether the cluster has a commit that failed here.
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
        // Behind the lock of a server's process that may still be committing.
        try connection.run([
          PostgresStatement("BEGIN"), PostgresStatement(ClusterTables.head + " FOR UPDATE"),
          PostgresStatement(ClusterTables.identity, [.integer(number)]),
          PostgresStatement("ROLLBACK"),
        ])
      }
      let found = results[2].rowCount == 1 ? results[2].integer(0) : nil
      if found == name { return .taken }
      // Others have gone on, and the commit of that number isn't kept any more.
      if found == nil, try ClusterHead(results[1]).sequence >= number {
        failure = .unreachable(
          "The connection to it was lost, and it has forgotten since what became of the commit."
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
extension ClusterHome: Sendable {}
