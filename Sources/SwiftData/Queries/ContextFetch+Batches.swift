internal import DepotProtocol

/// Work on many objects at once.
extension ContextFetch {
  /// Calls `body` with batches of the objects.
  func enumerate(batchSize: Int, _ body: ([ObjectReference]) throws -> Void) throws {
    var hasBegun = false
    try answer(
      unless: { hasBegun },
      { fetch in
        try fetch.batches(batchSize) { batch in
          hasBegun = true
          try body(batch)
        }
      }
    )
  }

  private func batches(_ size: Int, _ body: ([ObjectReference]) throws -> Void) throws {
    guard let pending = try pendingChanges() else {
      return try store.enumerate(limited(query), batchSize: size, into: context, body)
    }
    for batch in try descriptor.cut(merged(pending)).chunks(of: size) { try body(batch) }
  }

  /// Returns the query, if the store can answer it without the context.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` if the store finds more than the predicate
  ///   says.
  func exactQuery() throws -> StoreQuery {
    guard isExact else {
      let reason = filter.problem?.message ?? "It can't sort like the descriptor."
      throw SwiftDataError(
        .unsupportedPredicate,
        "The store can't find these \(description.name) objects by itself: \(reason)",
        hint: filter.problem?.hint,
        entity: description.name
      )
    }
    return query
  }

  /// Returns the query of the rows that the store changes, and the objects that the context
  /// changes.
  ///
  /// The context changes the objects whose values in the store differ, or all if the store can't
  /// find them.
  func parts() throws -> (query: StoreQuery?, links: [ObjectReference]) {
    guard store.takesExpressions, let pending = try pendingChanges() else { return (query, []) }
    guard isExact, let rest = try expression(without: pending) else {
      return (nil, try descriptor.cut(merged(pending)))
    }
    var query = query
    query.request.predicate = rest
    return (query, try matching(affected(pending)))
  }
}
