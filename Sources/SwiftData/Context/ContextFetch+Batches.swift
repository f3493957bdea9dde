internal import DepotProtocol

/// What is done to many objects at once.
extension ContextFetch {
  /// Calls `body` with batches of the objects.
  func enumerate(batchSize: Int, _ body: ([Link]) throws -> Void) throws {
    if let pending = try pendingChanges(), !pending.isEmpty || !isExact {
      let links = try cut(merged(pending))
      for start in stride(from: 0, to: links.count, by: batchSize) {
        try body(Array(links[start..<min(start + batchSize, links.count)]))
      }
      return
    }
    try store.enumerate(limited(query), batchSize: batchSize, into: context, body)
  }

  /// Returns what the store finds by itself; a store of the program's own finds all that its `fetch` does.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` if it finds more than the predicate says.
  func exactQuery() throws -> StoreQuery {
    guard isExact || !store.takesExpressions else {
      let reason = filter.problem?.message ?? "It can't sort like the descriptor."
      var error = SwiftDataError(
        .unsupportedPredicate,
        "The store can't find these \(description.name) objects by itself: \(reason)",
        hint: filter.problem?.hint
      )
      error.entity = description.name
      throw error
    }
    return query
  }

  /// Returns the changes that the store makes at once, and those that the context makes itself as it has
  /// objects of which the store knows something else; the objects themselves if the store can't find
  /// them.
  func parts() throws -> (query: StoreQuery?, links: [Link]) {
    let pending = try pendingChanges() ?? Pending()
    guard isExact, store.takesExpressions else { return (nil, try cut(merged(pending))) }
    if pending.isEmpty { return (query, []) }
    guard let rest = try expression(without: pending) else {
      return (nil, try cut(merged(pending)))
    }
    var query = query
    query.predicate = rest
    return (query, try matching(affected(pending)))
  }
}
