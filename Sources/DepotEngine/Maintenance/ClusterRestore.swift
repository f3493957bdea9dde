internal import DepotPostgres
package import DepotProtocol
internal import DepotSQLite

/// Restores a backup into a database, which becomes a store's cluster.
///
/// Services that use a store there stop, and use the backup when they are started again.
@Memberwise
package struct ClusterRestore {
  /// The path of the backup.
  private let backup: String
  private let address: ClusterAddress
  /// The path of the local copy, which is removed at the end.
  private let path: String
  /// Whether to replace a store in the database.
  private let replaces: Bool

  /// Restores the backup.
  ///
  /// - Returns: The outcome; a replaced store is kept in another schema of the database.
  /// - Throws: ``DepotError`` as ``StoreRestore/run()`` and of class `unavailable` and `storage` if
  ///   the cluster can't be used; then the old store stays.
  package func run() throws(DepotError) -> StoreRestore.Outcome {
    let copy = ClusterCopy(address: address, path: path)
    do {
      let session = try ClusterSession(address)
      // It can take long until a large store is on all disks.
      session.connection.timeLimit = nil
      let hasOld = try copy.hasTables(session.connection)
      guard !hasOld || replaces else { throw refusal }
      try clear()
      defer { StoreFiles(path).remove() }
      // The file is now verified, and complete without a log.
      var outcome = try StoreRestore(backup: backup, path: path, replaces: false).run()
      let facts = try RestoredFacts(of: path)
      let old = hasOld ? old(comparedTo: facts) : nil
      switch try copy.fill(
        session.connection,
        timeline: ClusterTables.restored,
        replaces: replaces
      ) {
      case .filled: break
      case .replaced(let schema):
        outcome.replaced = StoreRestore.Replaced(
          path: "the schema " + schema,
          behind: old?.behind,
          reason: old?.reason
        )
      // Another program has created a store meanwhile.
      case .leftOther: throw refusal
      }
      return outcome
    } catch {
      throw DepotError(error, address).atStart
    }
  }

  private var refusal: DepotError {
    DepotError(.usage, "There is a store in \(address.description).")
      .hint("To replace the store with the backup: --replace; the old store is kept beside it.")
  }

  /// Removes the files left by a killed restore.
  private func clear() throws(DepotError) {
    let lock = try StoreFiles(path).lock()
    defer { withExtendedLifetime(lock) {} }
    StoreFiles(path).removeContent()
  }

  /// Compares the backup with the existing store.
  private func old(comparedTo facts: RestoredFacts) -> OldStore {
    var store = StoreConfiguration(path: path + ".replaced")
    store.cluster = address
    defer { StoreFiles(store.path).remove() }
    do {
      return try OldStore(store, StoreFiles(store.path).lock(), comparedTo: facts)
    } catch {
      return OldStore(reason: "it can't be opened")
    }
  }
}
