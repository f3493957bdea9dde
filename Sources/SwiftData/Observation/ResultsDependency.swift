/// The changes that affect the results of a fetch.
struct ResultsDependency {
  private let description: EntityDescription
  /// The properties of the entity itself that the predicate and the order read; all if `nil`.
  private let slots: SlotSet?
  /// The entities that relationships lead to.
  private let reached: Set<String>
  /// Whether the predicate or the order may read anything, as they are computed in memory.
  private let isAnything: Bool

  init<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) {
    description = EntityDescription.of(T.self)
    let filter = try? PendingFilter(descriptor)
    isAnything = filter?.isExact != true || filter?.sort == nil
    reached = Set(filter?.prefixes.map(\.entity) ?? [])
    let isKnown = descriptor.predicate == nil && reached.isEmpty
    var slots = SlotSet()
    for key in filter?.sort ?? [] {
      if case .attribute(let path) = key.expression,
        let property = description.property(named: String(path.prefix { $0 != "." }))
      {
        slots.insert(property.slot)
      }
    }
    self.slots = isKnown ? slots : nil
  }

  /// Whether changes may have changed the results.
  func isMet(by changes: MergedChanges) -> Bool {
    if changes.isUnknown || isAnything { return true }
    return changes.entities.values.contains { touch in
      if isReached(touch.description) { return true }
      guard touch.description.isKind(of: description) || description.isKind(of: touch.description)
      else { return false }
      if touch.isMembership { return true }
      guard let slots else { return true }
      return touch.slots.contains { slots.contains($0) }
    }
  }

  private func isReached(_ other: EntityDescription) -> Bool {
    guard !reached.isEmpty else { return false }
    var next: EntityDescription? = other
    while let entity = next {
      if reached.contains(entity.name) { return true }
      next = entity.parent
    }
    return false
  }
}
