internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

extension ReadWorker {
  typealias PinOutcome = @Sendable (Result<SharedSnapshot.Facts, DepotError>) -> Void

  /// Begins the snapshot of a pin on the worker.
  nonisolated func open(
    _ pin: SharedSnapshot,
    _ catalog: Catalog,
    store: String,
    completion: @escaping PinOutcome
  ) {
    lane.run {
      self.assumeIsolated { worker in
        do throws(DepotError) {
          completion(.success(try worker.begin(pin, catalog, store)))
        } catch {
          completion(.failure(error))
        }
      }
    } orElse: {
      completion(.failure(.noThread))
    }
  }

  /// Ends the transaction of a stopped pin and its remaining reads, and then calls `completion`.
  nonisolated func release(
    _ pin: SharedSnapshot,
    _ reason: DepotError,
    completion: @escaping @Sendable () -> Void
  ) {
    lane.run {
      self.assumeIsolated { $0.end(pin, reason) }
      completion()
    }
  }

  private func begin(
    _ pin: SharedSnapshot,
    _ catalog: Catalog,
    _ store: String
  ) throws(DepotError) -> SharedSnapshot.Facts {
    if let end = pin.end { throw end }
    let connection = try takeConnection()
    // Streams of one pin run concurrently, so each needs its own statement.
    connection.keepsStatements = false
    do {
      try connection.beginReading()
      let tables = CatalogTables(connection: connection)
      let facts = SharedSnapshot.Facts(
        catalog: try tables.catalog(orSame: catalog),
        token: try SnapshotToken.read(on: connection, store: store)
      )
      self.pin = pin
      return facts
    } catch {
      giveBack()
      throw ReadEnd(error).error
    }
  }

  private func end(_ pin: SharedSnapshot, _ reason: DepotError) {
    for read in readsInProgress where read.pin === pin { abandon(read, reason) }
    guard self.pin === pin else { return }
    self.pin = nil
    giveBack()
  }
}
