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

  /// The division of the objects of a deletion between the store and the context.
  struct DeletionParts {
    /// The rows that the store deletes; `nil` if there are none.
    var query: StoreQuery?
    /// The objects that the context has found for the store, if the store can't find them by itself.
    var found: [ObjectReference] = []
    /// The objects that the context deletes.
    var links: [ObjectReference] = []
  }

  /// Divides the objects of a deletion between the store and the context.
  ///
  /// The context deletes the objects whose values in the store differ.
  func parts() throws -> DeletionParts {
    guard store.takesExpressions, let pending = try pendingChanges() else {
      return DeletionParts(query: query)
    }
    guard isExact, let rest = try expression(without: pending) else {
      return try parts(descriptor.cut(merged(pending)))
    }
    var query = query
    query.request.predicate = rest
    return DeletionParts(query: query, links: try matching(affected(pending)))
  }

  /// Divides objects that the context has found; the store deletes rows of their versions.
  private func parts(_ all: [ObjectReference]) -> DeletionParts {
    var parts = DeletionParts()
    var rows: [Int64: [QueryExpression]] = [:]
    for link in all {
      let storage = link.storage
      if storage.phase == .stored, !storage.hasChanges, storage.version > 0,
        let row = storage.identifier.row
      {
        parts.found.append(link)
        rows[storage.version, default: []].append(.value(.int64(row)))
      } else {
        parts.links.append(link)
      }
    }
    guard !rows.isEmpty, parts.found.count <= listLimit, rows.count <= versionLimit else {
      return DeletionParts(links: all)
    }
    var query = query
    // because others may have changed a row since
    query.request.predicate = .or(
      rows.sorted { $0.key < $1.key }.map { version, rows in
        .and([
          .comparison(.equal, .attribute("$version"), .value(.int64(version))),
          .in(.attribute("$id"), rows),
        ])
      }
    )
    parts.query = query
    return parts
  }
}
