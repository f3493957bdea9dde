internal import DepotProtocol
internal import DepotSQLite
internal import Synchronization

/// Compiles queries for the current schema, and keeps the index for commits.
extension LiveQueries {
  /// Compiles all queries for the store's current schema.
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
        // The query is removed, since commits can't find it any more.
        queries[key] = nil
        watchCount.store(queries.count, ordering: .relaxed)
        didForget(query)
        query.watch.end(error)
        continue
      }
      query.dirtyRows.isUnknown = true
      query.dirtyRows.isForeign = true
      dirty.insert(query)
      guard query.hasRows else { continue }
      if query.stage == .beginning || names != query.names { query.mustRestart = true }
    }
    if queries.isEmpty { endListening() }
  }

  /// Compiles a query again if the schema changed before its first snapshot.
  ///
  /// All other queries will receive that change of the schema soon.
  func fit(_ query: LiveQuery) throws {
    let catalog = try CatalogTables(connection: connection()).catalog(orSame: query.catalog)
    guard catalog !== query.catalog else { return }
    let key = ObjectIdentifier(query.watch)
    let fresh = try subject(of: query.watch, in: catalog)
    updateIndex(query, key, isAdded: false)
    query.adopt(fresh, catalog)
    updateIndex(query, key, isAdded: true)
  }

  /// Adds a query to the index for commits, or removes it.
  func updateIndex(_ query: LiveQuery, _ key: ObjectIdentifier, isAdded: Bool) {
    let dependencies = query.dependencies
    if let value = dependencies.key, let root = dependencies.nodes.first?.root {
      store.interest.want(value.column, of: root, isAdded)
    }
    index.change(dependencies, of: key, isAdded: isAdded)
  }
}
