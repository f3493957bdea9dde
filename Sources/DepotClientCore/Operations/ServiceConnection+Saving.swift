public import DepotProtocol

extension ServiceConnection {
  /// Makes all changes of a save as one transaction that is on disk when this returns.
  ///
  /// - Throws: ``DepotError`` `notfound.object`, `conflict.unique`, and others; then nothing is
  ///   stored.
  @Blocking
  @concurrent
  @discardableResult
  public func save(
    _ save: Save,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil
  ) async throws -> SaveResult where Self == Client {
    try await self.save(save.request, key: key, author: author, group: group)
  }

  /// Makes all changes of a save, and calls `resolve` for each conflict with others' changes.
  ///
  /// The save is tried again with the resolutions, based on the values in the store at that time;
  /// if these have changed too, `resolve` is called again.
  ///
  /// ```swift
  /// try await depot.save(save) { conflict in
  ///   let (theirs, mine) = (
  ///     try conflict.value(of: \City.population, in: .store), try conflict.value(of: \City.population, in: .client)
  ///   )
  ///   return try .set([.set(\City.population, to: max(theirs ?? 0, mine ?? 0))])
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - save: The changes; its policy decides, so that only ``MergePolicy/error`` asks about all conflicts.
  ///   - key: An idempotency key, the same for all attempts: only one of them is stored.
  ///   - attempts: How often the save is tried at most.
  ///   - resolve: Returns the resolution of a conflict. A row that was deleted can't be resolved by
  ///     values.
  /// - Returns: The outcome of the attempt that was stored.
  /// - Throws: ``DepotError`` `conflict.merge` and the like of the last attempt or of the one that
  ///   wasn't resolved, errors of `resolve`, and errors of a save.
  @Blocking
  @concurrent
  @discardableResult
  public func save(
    _ save: Save,
    key: String? = nil,
    attempts: Int = 3,
    resolve: @Sendable (SaveConflict) async throws -> SaveConflict.Resolution
  ) async throws -> SaveResult where Self == Client {
    var request = save.request
    // Without it, conflicts of unique values aren't described.
    request.policy = request.policy ?? .error
    var attempt = 1
    while true {
      do {
        return try await self.save(request, key: key)
      } catch let error as DepotError where attempt < attempts && !error.conflicts.isEmpty {
        var answers: [(SaveConflict, SaveConflict.Resolution)] = []
        for conflict in error.conflicts { answers.append((conflict, try await resolve(conflict))) }
        guard let next = try SaveResolution.resolve(request, answers) else { throw error }
        request = next
        attempt += 1
      }
    }
  }
}
