internal import DepotLinux
internal import DepotPostgres
internal import DepotProtocol
internal import DepotSQLite
internal import Glibc

/// The home of a store in a cluster, as the one connection that writes to it here.
///
/// A write is done in a turn, in which nobody else commits: it begins with what others have committed, which
/// becomes a part of the copy here, and ends when the cluster has the commit of the copy. Nothing is visible
/// here that the cluster could lose.
///
/// It isn't `Sendable`: it is its writer's.
final class ClusterHome: CommitHome {
  let address: ClusterAddress
  /// The number of this service, which no other of the store ever has.
  let service: Int64
  /// The last commit that the copy has, and the random number by which it is known.
  private(set) var sequence: Int64
  private var identity: Int64
  /// The timeline of the cluster at the last commit that was of an epoch which began there.
  private var timeline: String
  /// Whether the transaction at hand is of such an epoch.
  var isOfEpoch = false
  private var session: ClusterSession?
  private(set) var safety: ClusterSafety
  private(set) var isInTurn = false
  /// When the cluster heard of the turn last, by the monotonic clock.
  private var lastSign: UInt64 = 0
  /// Why the cluster didn't take what it was given last.
  private(set) var failure: DepotError?
  /// Returns what the transactions of the commit at hand tell.
  var told: () -> [CommittedChanges] = { [] }
  /// Returns whether anybody here wants to know what others change.
  var isHeard: () -> Bool = { true }
  /// The commits of others that weren't made known here yet.
  private var foreign: [CommittedChanges] = []
  /// Whether the writer has yet to go on from commits of others.
  var hasNews = false
  /// The pages that the commits since ``base`` have changed, and that commit.
  private(set) var changed: Set<UInt32> = []
  private var isWritingBase = false
  private(set) var base: Int64
  /// About how many bytes those commits have.
  private(set) var bytesSinceBase = 0

  /// How long a write waits for a cluster that can't be reached, and how long one whose outcome isn't known, in
  /// nanoseconds.
  private static let patience: UInt64 = 10_000_000_000
  private static let longPatience: UInt64 = 120_000_000_000
  /// How often a cluster hears of a turn that takes long, in nanoseconds.
  private var signInterval: UInt64 { UInt64(address.turnSeconds) * 200_000_000 }

  /// Takes over a copy that has all commits up to a head's base.
  init(_ address: ClusterAddress, _ session: ClusterSession, _ head: ClusterHead, service: Int64) {
    self.address = address
    self.session = session
    self.service = service
    safety = session.safety
    timeline = head.timeline
    sequence = head.base
    base = head.base
    identity = 0
  }

  /// The state of the cluster for people.
  var state: ClusterState {
    ClusterState(
      safety: safety,
      service: service,
      commitsSinceBase: sequence - base,
      bytesSinceBase: bytesSinceBase,
      isReachable: failure == nil,
      roundTrips: session?.connection.roundTrips ?? 0
    )
  }

  // MARK: The connection

  /// Returns a session whose server has told nothing that it could lose.
  private func connect() throws(DepotError) -> PostgresConnection {
    if let connection = session?.connection, !connection.isBroken {
      do throws(PostgresError) {
        try session?.endAnnouncing()
        return connection
      } catch {
        // It was lost meanwhile.
        connection.close()
      }
    }
    let session = try ClusterSession(address)
    do {
      // Whoever waits for this to be safe has waited for all that was committed before.
      let connection = session.connection
      try session.begin(service)
      let known = try connection.run([
        PostgresStatement(ClusterTables.head),
        PostgresStatement(
          "SELECT identity FROM depot.commit WHERE sequence = $1 AND part = 0",
          [.integer(sequence)]
        ),
      ])
      let head = ClusterHead(known[0])
      let isOther = identity != 0 && known[1].rowCount == 1 && known[1].integer(0) != identity
      if head.sequence < sequence || isOther { throw DepotError.lostCommits }
    } catch {
      throw DepotError(error, address)
    }
    self.session = session
    safety = session.safety
    return session.connection
  }

  /// Does something with a session, again with another one if the first was lost or there is none, for some time.
  private func trying<Result>(
    for patience: UInt64,
    _ body: (PostgresConnection) throws(PostgresError) -> Result
  ) throws(DepotError) -> Result {
    // After a failure the next call doesn't wait as long again.
    let end = Monotonic.now() + (failure == nil ? patience : 0)
    while true {
      let error: DepotError
      do throws(DepotError) {
        let connection = try connect()
        do throws(PostgresError) {
          let result = try body(connection)
          failure = nil
          return result
        } catch {
          connection.rollBack()
          throw DepotError(error, address)
        }
      } catch let caught {
        error = caught
      }
      guard !isLasting(error), Monotonic.now() < end else {
        failure = error
        throw error
      }
      usleep(50_000)
    }
  }

  // MARK: Turns

  /// Begins a turn: takes in what others have committed, and keeps them from committing.
  ///
  /// - Throws: ``SQLiteError`` of the kind `refused` if the cluster can't be used now; see ``failure``.
  func beginTurn(on copy: Connection) throws(SQLiteError) {
    precondition(!isInTurn, "A turn ends before the next one begins.")
    if try beginTurn(on: copy, takesAll: false) { return }
    try catchUp(on: copy)
    _ = try beginTurn(on: copy, takesAll: true)
  }

  /// Begins a turn, unless others have committed much that isn't to be taken in while they wait.
  ///
  /// As long as an answer waits in the server for this service, nobody else can commit; so each is a small one,
  /// which the connection takes also from a service that stands still.
  private func beginTurn(on copy: Connection, takesAll: Bool) throws(SQLiteError) -> Bool {
    do throws(DepotError) {
      let results = try trying(for: Self.patience) { connection throws(PostgresError) in
        try connection.run([
          PostgresStatement("BEGIN"),
          PostgresStatement(ClusterTables.head + " FOR UPDATE"),
          PostgresStatement(ClusterTables.fewCommits, [.integer(sequence)]),
        ])
      }
      isInTurn = true
      isOfEpoch = false
      lastSign = Monotonic.now()
      let head = ClusterHead(results[1])
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
    failure = error
    return isLasting(error) ? .broken(error.message) : .refused(error.message)
  }

  /// Whether waiting doesn't help.
  private func isLasting(_ error: DepotError) -> Bool { [.corrupt, .bug].contains(error.code) }

  /// Ends a turn without a commit.
  func endTurn() {
    guard isInTurn else { return }
    isInTurn = false
    session?.connection.rollBack()
  }

  private func note(_ head: ClusterHead) {
    timeline = head.timeline
    guard head.base > base else { return }
    // Pages that are as of the base needn't be written into it again; which they are isn't known.
    base = head.base
    bytesSinceBase = 0
  }

  // MARK: Commits of others

  /// Takes in what was committed while the copy was made.
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

  /// Takes in what others have committed, outside of a turn.
  ///
  /// - Throws: ``SQLiteError`` of the kind `refused` or `broken`; some of it may have been taken in then.
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

  /// Takes in commits, whose parts are the rows of a result, up to the first whose changes didn't come.
  ///
  /// - Parameters:
  ///   - result: The rows of ``ClusterTables/commits``.
  ///   - isWhole: Whether the last commit of the result is complete.
  ///   - copy: The connection that writes to the copy.
  /// - Throws: What taking in one of them throws.
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

  /// Takes in the next commit, however large, in pieces; with the session at hand, whose turn this may be.
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
  ///   - body: Adds its changes, and returns what it tells.
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
      // Watchers that begin from here on see the commit in what they read.
      if isHeard() { foreign += ClusterNews.read(told) }
    } catch {
      if let error = error as? SQLiteError, error.kind == .full { throw .noRoom }
      if let error = error as? PostgresError { throw DepotError(error, address) }
      throw error as? DepotError ?? DepotError(.corrupt, "A commit can't be taken in: \(error).")
    }
  }

  private func add(_ part: UnsafeRawBufferPointer, to replay: CommitReplay) throws(SQLiteError) {
    try replay.add(part)
    bytesSinceBase += part.count
    changed.formUnion(PageCommit.pages(of: part))
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
  ///
  /// There are no others before ``didWriteBase(missing:)`` tells what became of these: a base that was written without
  /// pages that an earlier one should have written would be one of a store that never was.
  func takeBase(of path: String) -> ClusterBase? {
    guard bytesSinceBase > address.baseStep, !isInTurn, !isWritingBase else { return nil }
    bytesSinceBase = 0
    guard
      let pages = try? ClusterBase(path: path, sequence: sequence, since: base, changed: changed)
    else { return nil }
    changed = []
    isWritingBase = true
    return pages
  }

  /// Learns that pages were written, and of the pages that weren't.
  func didWriteBase(missing pages: Set<UInt32>) {
    isWritingBase = false
    changed.formUnion(pages)
  }

  /// Takes out what others have told since the last time.
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
    bytesSinceBase += bytes
    changed.formUnion(pages)
    session.announce(number)
    return .taken
  }

  /// Finds out what became of a commit that failed.
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
          PostgresStatement(
            "SELECT identity FROM depot.commit WHERE sequence = $1 AND part = 0",
            [.integer(number)]
          ),
          PostgresStatement("ROLLBACK"),
        ])
      }
      let found = results[2].rowCount == 1 ? results[2].integer(0) : nil
      if found == name { return .taken }
      // Others have gone on, and the commit of that number isn't kept any more.
      if found == nil, ClusterHead(results[1]).sequence >= number {
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
