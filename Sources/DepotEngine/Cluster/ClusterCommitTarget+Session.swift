internal import DepotLinux
internal import DepotPostgres
internal import DepotProtocol
internal import Glibc

/// The session with the cluster, which is renewed when the connection was lost.
extension ClusterCommitTarget {
  /// The longest wait of a write for other services' writes, in nanoseconds.
  private static let lockPatience: UInt64 = 25_000_000_000
  /// Returns a session whose server has returned only durable data.
  private func connect() throws(DepotError) -> PostgresConnection {
    if let connection = session?.connection, !connection.isBroken {
      do throws(PostgresError) {
        try session?.endAnnouncing()
        return connection
      } catch {
        // The connection was lost meanwhile.
        connection.close()
      }
    }
    let session = try ClusterSession(address)
    do {
      // When this transaction is durable, all earlier commits are too.
      let connection = session.connection
      if let earlier = self.session { try session.check(against: earlier, address) }
      try session.begin(service)
      let known = try connection.run([
        PostgresStatement(ClusterTables.head),
        PostgresStatement(ClusterTables.identity, [.integer(sequence)]),
      ])
      try check(ClusterHead(known[0]), known[1])
    } catch {
      throw DepotError(error, address)
    }
    self.session = session
    safety = session.safety
    return session.connection
  }

  /// Checks that a cluster has the last commit of the copy, and so all earlier ones.
  ///
  /// - Parameters:
  ///   - head: The cluster's head.
  ///   - commit: The row of ``ClusterTables/identity`` for that commit, if it is still kept.
  /// - Throws: ``DepotError`` `storage.corrupt` if it doesn't.
  private func check(_ head: ClusterHead, _ commit: PostgresResult) throws(DepotError) {
    if head.sequence < sequence { throw .lostCommits }
    let isKept = head.sequence == sequence || commit.rowCount == 1
    let found = head.sequence == sequence ? head.identity : isKept ? commit.integer(0) : nil
    // The commit that the copy was made from may have been deleted since.
    guard identity != 0, found != identity else { return }
    throw isKept ? .lostCommits : .staleCopy
  }

  /// Runs `body` with a session, and again with a new one if the connection was lost.
  ///
  /// It retries for `patience` nanoseconds, and longer while other services hold the lock.
  ///
  /// - Throws: ``DepotError``; the control's error if its call is cancelled meanwhile.
  func trying<Result>(
    for patience: UInt64,
    _ control: CallControl = .unstoppable,
    _ body: (PostgresConnection) throws(PostgresError) -> Result
  ) throws(DepotError) -> Result {
    // After a failure, the next call doesn't wait as long.
    let start = Monotonic.now()
    let end = start + (failure == nil ? patience : 0)
    while true {
      let error: DepotError
      var isLocked = false
      do throws(DepotError) {
        let connection = try connect()
        do throws(PostgresError) {
          let result = try body(connection)
          failure = nil
          return result
        } catch {
          connection.rollBack()
          isLocked = error.kind == .refusedByServer(sqlState: ClusterSession.lockTimedOut)
          throw DepotError(error, address)
        }
      } catch let caught {
        error = caught
      }
      try control.check()
      let last = isLocked ? max(end, start + Self.lockPatience) : end
      guard !isLasting(error), Monotonic.now() < last else {
        failure = error
        throw error
      }
      if !isLocked { usleep(50_000) }
    }
  }

  /// Whether retrying is useless.
  func isLasting(_ error: DepotError) -> Bool { [.corrupt, .bug].contains(error.code) }
}
