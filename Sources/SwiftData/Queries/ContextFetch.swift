internal import DepotProtocol

/// One fetch of a context.
///
/// Where no unsaved change matters, the store does it alone. Else the store leaves out the objects
/// whose position may have changed, and the context inserts them where they belong.
struct ContextFetch<T: PersistentModel> {
  /// How many identifiers a request names at most.
  var listLimit: Int { 50_000 }
  /// How many versions of rows a request names at most.
  var versionLimit: Int { 100 }

  let context: ModelContext
  let descriptor: FetchDescriptor<T>
  let filter: PendingFilter<T>
  let description: EntityDescription
  let store: any ContextStore
  let query: StoreQuery

  init(
    _ context: ModelContext,
    _ descriptor: FetchDescriptor<T>,
    refusal: DepotError? = nil
  ) throws {
    self.context = context
    self.descriptor = descriptor
    let description = EntityDescription.of(T.self)
    self.description = description
    store = try context.stores.store(of: description)
    try descriptor.checkRange()
    filter = try PendingFilter(descriptor, stores: context.stores.identifiers, refusal: refusal)
    var query = StoreQuery(description, filter.expression)
    query.request.sort = filter.sort ?? []
    if store.takesExpressions {
      query.slots = try descriptor.wanted.map { try description.storedProperty($0.keyPath).slot }
      if descriptor.wanted.isEmpty { query.slots = nil }
      query.request.prefetch = try descriptor.prefetched.map { known in
        let property = try description.storedProperty(known.keyPath)
        if property.destination != nil { return property.name }
        throw SwiftDataError(
          .unsupportedKeyPath,
          "\(description.name).\(property.name) is no relationship.",
          entity: description.name
        )
      }
    }
    query.descriptor = descriptor
    // The lists of a context that merges are current.
    query.renewsLists = !context.automaticallyMergesChanges
    self.query = query
  }

  // MARK: - Answers

  /// Returns the result of the fetch.
  ///
  /// If the store refuses the predicate, it is evaluated in memory, unless it's too late for that.
  func answer<Result>(
    unless isTooLate: () -> Bool = { false },
    _ body: (ContextFetch) throws -> Result
  ) throws -> Result {
    do {
      return try body(self)
    } catch let error as SwiftDataError where error.kind == .unsupportedPredicate {
      guard filter.expression != nil, let refusal = error.serviceError, !isTooLate() else {
        throw error
      }
      return try body(ContextFetch(context, descriptor, refusal: refusal))
    }
  }

  func links() throws -> [ObjectReference] {
    guard let pending = try pendingChanges() else {
      return try store.fetch(limited(query), into: context)
    }
    return try descriptor.cut(merged(pending))
  }

  func count() throws -> Int {
    guard let pending = try pendingChanges() else {
      return try store.count(limited(query), in: context)
    }
    guard isExact, store.takesExpressions, let rest = try expression(without: pending) else {
      return try descriptor.cut(merged(pending)).count
    }
    var query = query
    query.request.predicate = rest
    let all = try store.count(query, in: context) + matching(affected(pending)).count
    let left = max(0, all - (descriptor.fetchOffset ?? 0))
    return descriptor.fetchLimit.map { min($0, left) } ?? left
  }

  func identifiers() throws -> [PersistentIdentifier] {
    guard let pending = try pendingChanges() else {
      return try store.identifiers(limited(query), in: context)
    }
    return try descriptor.cut(merged(pending)).map(\.storage.identifier)
  }

  /// Whether the store finds exactly the wanted objects, in order; a custom store always does.
  var isExact: Bool { !store.takesExpressions || filter.isExact && filter.sort != nil }

  func limited(_ query: StoreQuery) -> StoreQuery {
    var query = query
    query.request.limit = descriptor.fetchLimit
    query.request.offset = descriptor.fetchOffset ?? 0
    return query
  }

  // MARK: - Unsaved changes

  /// The changes that matter to the fetch.
  struct Pending {
    /// The inserted objects of the entity, in the order of a save.
    var inserted: [ObjectReference] = []
    /// The changed and deleted objects of the entity.
    var stored: [ObjectReference] = []
    /// The changed and deleted objects behind relationships, by their key paths.
    var reached: [(path: String, links: [ObjectReference])] = []
  }

  /// Finds the changes that matter; `nil` if there are none, and the store does all that there is to do.
  func pendingChanges() throws -> Pending? {
    guard descriptor.includePendingChanges else { return isExact ? nil : Pending() }
    DeleteRules(context).apply()
    var pending = Pending()
    guard context.hasChanges else { return isExact ? nil : pending }
    // In the order of a save.
    pending.inserted = context.pending.inserted.all.byClass.joined().filter(isOfEntity)
    let stored = context.pending.changed.all + context.pending.deleted.all
    pending.stored = stored.filter(isOfEntity)
    for prefix in Set(filter.prefixes) {
      guard let target = context.core.descriptions[prefix.entity] else { continue }
      let links = stored.filter { $0.storage.description.isKind(of: target) }
      if !links.isEmpty { pending.reached.append((prefix.path, links)) }
    }
    // The changes that matter to a custom store are unknown.
    let matters =
      !pending.inserted.isEmpty || !pending.stored.isEmpty || !pending.reached.isEmpty
      || !store.takesExpressions
    return matters || !isExact ? pending : nil
  }

  private func isOfEntity(_ link: ObjectReference) -> Bool {
    link.storage.description.isKind(of: description)
  }

  /// Returns the conditions of the objects that the context evaluates; `nil` if these are too
  /// many.
  private func affectedCondition(_ pending: Pending) -> [QueryExpression]? {
    var conditions: [QueryExpression] = []
    func add(
      _ links: [ObjectReference],
      _ condition: ([QueryExpression]) -> QueryExpression
    ) -> Bool {
      let rows = links.compactMap(\.storage.identifier.row)
      guard !rows.isEmpty else { return true }
      guard rows.count <= listLimit else { return false }
      conditions.append(condition(rows.map { .value(.int64($0)) }))
      return true
    }
    guard add(pending.stored, { .in(.attribute("$id"), $0) }) else { return nil }
    for (path, links) in pending.reached {
      let isPlural = description.properties(along: path)?.contains(where: \.isToMany) == true
      let isKnown = add(links) { rows in
        isPlural
          ? .quantified(
            .any,
            .attribute(path),
            "pending",
            .in(.member(.variable("pending"), "$id"), rows)
          )
          : .in(.attribute(path + ".$id"), rows)
      }
      guard isKnown else { return nil }
    }
    return conditions
  }

  /// Returns the store's condition, without unsaved objects; `nil` if it can't be expressed.
  func expression(without pending: Pending) throws -> QueryExpression? {
    guard let conditions = affectedCondition(pending) else { return nil }
    let parts = [filter.expression].compactMap { $0 } + conditions.map { .not($0) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  /// Returns the objects whose position may differ from the store's.
  ///
  /// The saved ones come first, by identifier, and then the inserted ones.
  func affected(_ pending: Pending) throws -> [ObjectReference] {
    var links = pending.stored.filter { $0.storage.phase == .stored }
    if !pending.reached.isEmpty {
      var only = pending
      only.stored = []
      let conditions = affectedCondition(only)
      let query = StoreQuery(description, store.takesExpressions ? conditions.map { .or($0) } : nil)
      let known = Set(links.map { ObjectIdentifier($0.storage) })
      links += try store.fetch(query, into: context).filter { link in
        link.storage.phase == .stored && !known.contains(ObjectIdentifier(link.storage))
      }
    }
    links.sort { $0.storage.identifier.key < $1.storage.identifier.key }
    return links + pending.inserted
  }

  func matching(_ links: [ObjectReference]) throws -> [ObjectReference] {
    try context.seeingDeletions {
      try links.filter { link in
        guard let model = link.model as? T else { return false }
        return try filter.matches(model)
      }
    }
  }

  /// Returns all objects that are wanted, before the limit.
  func merged(_ pending: Pending) throws -> [ObjectReference] {
    var query = query
    guard store.takesExpressions, let rest = try expression(without: pending) else {
      return try everything(pending)
    }
    query.request.predicate = rest
    if isExact, let limit = descriptor.fetchLimit {
      let (end, isTooFar) = limit.addingReportingOverflow(descriptor.fetchOffset ?? 0)
      query.request.limit = isTooFar ? nil : end
    }
    let affected = try affected(pending)
    var stored = try store.fetch(query, into: context)
    if !filter.isExact { stored = try matching(stored) }
    let mine = sorted(try matching(affected))
    guard filter.sort != nil else { return sorted(stored + mine) }
    return context.seeingDeletions { merge(stored, mine) }
  }

  /// Evaluates the fetch in memory over all objects.
  private func everything(_ pending: Pending) throws -> [ObjectReference] {
    var query = StoreQuery(description)
    query.request.prefetch = self.query.request.prefetch
    query.descriptor = FetchDescriptor<T>()
    let stored = try store.fetch(query, into: context).filter { $0.storage.phase == .stored }
    guard store.takesExpressions else {
      return try descriptor.wanted(of: stored + pending.inserted, in: context)
    }
    let byIdentifier = stored.sorted { $0.storage.identifier.key < $1.storage.identifier.key }
    return sorted(try matching(byIdentifier + pending.inserted))
  }

  // MARK: - Order

  /// Sorts objects; equal ones keep their order.
  private func sorted(_ links: [ObjectReference]) -> [ObjectReference] {
    guard !descriptor.sortBy.isEmpty else { return links.sorted(by: isEarlier) }
    return context.seeingDeletions { links.sorted { comesBefore($0, $1) } }
  }

  private func merge(_ left: [ObjectReference], _ right: [ObjectReference]) -> [ObjectReference] {
    guard !right.isEmpty else { return left }
    var result: [ObjectReference] = []
    result.reserveCapacity(left.count + right.count)
    var (first, second) = (0, 0)
    while first < left.count, second < right.count {
      if order(right[second], left[first])
        ?? (!filter.isRanked && isEarlier(right[second], left[first]))
      {
        result.append(right[second])
        second += 1
      } else {
        result.append(left[first])
        first += 1
      }
    }
    return result + left[first...] + right[second...]
  }

  private func comesBefore(_ left: ObjectReference, _ right: ObjectReference) -> Bool {
    order(left, right) ?? isEarlier(left, right)
  }

  /// Returns whether one object comes before another by the descriptor; `nil` if it doesn't decide.
  private func order(_ left: ObjectReference, _ right: ObjectReference) -> Bool? {
    if !descriptor.sortBy.isEmpty, let first = left.model as? T, let second = right.model as? T {
      if filter.areInOrder(first, second) { return true }
      if filter.areInOrder(second, first) { return false }
    }
    return nil
  }

  /// Whether an object's identifier comes first, or will when both are saved; inserted objects are in
  /// that order already.
  private func isEarlier(_ left: ObjectReference, _ right: ObjectReference) -> Bool {
    if left.storage.identifier.isTemporary { return false }
    if right.storage.identifier.isTemporary { return true }
    return left.storage.identifier.key < right.storage.identifier.key
  }
}

extension EntityDescription {
  /// Returns the property of a key path.
  ///
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if it isn't stored.
  fileprivate func storedProperty(_ keyPath: AnyKeyPath) throws -> PropertyDescription {
    if let property = property(keyPath) { return property }
    throw SwiftDataError(
      .unsupportedKeyPath,
      "\(keyPath) isn't a stored property of \(name).",
      entity: name
    )
  }
}
