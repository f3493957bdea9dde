internal import CDepotSQLite

/// The locks on a database between the connections of this process (sqlite.org/lockingv3.html).
struct ConnectionLocks {
  /// The lock level of each connection that has a lock.
  private var levels: [ObjectIdentifier: Int32] = [:]

  /// Raises a connection's lock.
  ///
  /// - Returns: Whether it has the level now; a connection that waits for an exclusive lock blocks
  ///   new readers.
  mutating func raise(_ connection: ObjectIdentifier, to level: Int32) -> Bool {
    let own = levels[connection] ?? SQLITE_LOCK_NONE
    guard own < level else { return true }
    let others = levels.lazy.filter { $0.key != connection }.map(\.value).max() ?? SQLITE_LOCK_NONE
    switch level {
    case SQLITE_LOCK_SHARED:
      guard others < SQLITE_LOCK_PENDING else { return false }
    case SQLITE_LOCK_RESERVED:
      guard others < SQLITE_LOCK_RESERVED else { return false }
    default:
      guard others < SQLITE_LOCK_RESERVED else { return false }
      if others > SQLITE_LOCK_NONE {
        levels[connection] = SQLITE_LOCK_PENDING
        return false
      }
    }
    levels[connection] = level
    return true
  }

  /// Lowers a connection's lock.
  mutating func lower(_ connection: ObjectIdentifier, to level: Int32) {
    guard let own = levels[connection], own > level else { return }
    levels[connection] = level == SQLITE_LOCK_NONE ? nil : level
  }

  /// Whether a connection is about to write.
  var isReserved: Bool { levels.values.contains { $0 >= SQLITE_LOCK_RESERVED } }
}
