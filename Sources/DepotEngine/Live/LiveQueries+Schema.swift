internal import DepotProtocol
internal import DepotSQLite
internal import Synchronization

/// The schema for which queries are compiled, and the index by which commits find them.
extension LiveQueries {
  /// Compiles all queries for the schema that the store has now.
  func compileAll() {
    let catalog = catalog
    sharedHistory.bounds = nil
    for (key, query) in queries {
      updateIndex(query, key, isAdded: false)
      let names = query.names
      do {
        let fresh = try subject(of: query.watch, in: catalog)
        query.adopt(fresh, catalog)
        updateIndex(query, key, isAdded: true)
      } catch {
        // A query that isn't in the index is found again by nothing.
        queries[key] = nil
        watchCount.store(queries.count, ordering: .relaxed)
        didForget(query)
        query.watch.end(error)
        continue
      }
      query.touches.isUnknown = true
      query.touches.isForeign = true
      dirty.insert(query)
      guard query.hasRows else { continue }
      if query.stage == .beginning || names != query.names { query.mustRestart = true }
    }
    if queries.isEmpty { endListening() }
  }

  /// Compiles a query anew if the schema was changed before its first snapshot.
  ///
  /// That is made known to all in a moment.
  func fit(_ query: LiveQuery) throws {
    let catalog = try CatalogTables(connection: connection()).catalog(orSame: query.catalog)
    guard catalog !== query.catalog else { return }
    let key = ObjectIdentifier(query.watch)
    let fresh = try subject(of: query.watch, in: catalog)
    updateIndex(query, key, isAdded: false)
    query.adopt(fresh, catalog)
    updateIndex(query, key, isAdded: true)
  }

  /// Has commits that may concern a query find it, or not any more.
  func updateIndex(_ query: LiveQuery, _ key: ObjectIdentifier, isAdded: Bool) {
    let dependencies = query.dependencies
    if let value = dependencies.key, let root = dependencies.nodes.first?.root {
      store.interest.want(value.place, of: root, isAdded)
    }
    index.change(dependencies, of: key, isAdded: isAdded)
  }
}
