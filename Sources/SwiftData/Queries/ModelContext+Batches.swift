public import DepotProtocol
public import Foundation

/// Changes of many objects at once, in the store itself.
extension ModelContext {
  /// Deletes all objects of a class that satisfy a predicate, and applies delete rules.
  ///
  /// The store deletes them at once, and not at the next save. Objects of this context that have
  /// newer values than the store are deleted as ``delete(_:)`` does, and so are all of more than
  /// 50,000 objects if the store can't evaluate the predicate.
  ///
  /// - Parameters:
  ///   - model: The class.
  ///   - predicate: The condition that the objects must satisfy; all objects if `nil`.
  ///   - includeSubclasses: Whether objects of subclasses are deleted too.
  /// - Throws: ``SwiftDataError`` `modelValidationFailure` if a delete rule denies it, and others.
  public final func delete<T: PersistentModel>(
    model: T.Type,
    where predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true
  ) throws {
    try prepare()
    let description = EntityDescription.of(T.self)
    let store = try stores.writableStore(of: description)
    try using { try delete(description, predicate, includeSubclasses, from: store) }
    announceWrite(to: store)
  }

  private func delete<T: PersistentModel>(
    _ description: EntityDescription,
    _ predicate: Predicate<T>?,
    _ includeSubclasses: Bool,
    from store: any ContextStore
  ) throws {
    var links = try ContextFetch(self, FetchDescriptor(predicate: predicate)).answer { fetch in
      let parts = try fetch.parts()
      if var query = parts.query {
        query.request.includesSubentities = includeSubclasses
        try store.delete(query, in: self)
      }
      // Others have changed the rest meanwhile.
      return try parts.links + fetch.matching(parts.found.filter { $0.storage.phase == .stored })
    }
    if !includeSubclasses { links = links.filter { $0.storage.description === description } }
    for link in links { delete(link) }
  }

  /// Adds to a numeric property of all objects of a class that satisfy a predicate.
  ///
  /// The store adds as ``update(_:where:includeSubclasses:set:)`` does, so that concurrent
  /// additions aren't lost.
  ///
  /// ```swift
  /// try context.update(Counter.self, where: #Predicate { $0.name == "visits" }, set: \.count, adding: 1)
  /// ```
  ///
  /// - Returns: How many objects there were.
  /// - Throws: ``SwiftDataError`` `modelValidationFailure` if a sum is beyond the property's range,
  ///   and others as ``update(_:where:includeSubclasses:set:)`` does.
  @discardableResult
  public final func update<T: PersistentModel, Value: AttributeValue & AdditiveArithmetic>(
    _ model: T.Type,
    where predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true,
    set keyPath: KeyPath<T, Value>,
    adding amount: Value
  ) throws -> Int {
    try update(
      model,
      where: predicate,
      includeSubclasses: includeSubclasses,
      set: [.set(keyPath, adding: amount)]
    )
  }

  /// Sets a property of all objects of a class that satisfy a predicate.
  ///
  /// ```swift
  /// try context.update(Trip.self, where: #Predicate { $0.days > 30 }, set: \.isLong, to: true)
  /// ```
  ///
  /// - Returns: How many objects there were.
  /// - Throws: ``SwiftDataError`` as ``update(_:where:includeSubclasses:set:)`` does.
  @discardableResult
  public final func update<T: PersistentModel, Value: Codable>(
    _ model: T.Type,
    where predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true,
    set keyPath: KeyPath<T, Value>,
    to value: Value
  ) throws -> Int {
    try update(
      model,
      where: predicate,
      includeSubclasses: includeSubclasses,
      set: [.set(keyPath, to: value)]
    )
  }

  /// Changes all objects of a class that satisfy a predicate.
  ///
  /// The store does it at once, and not at the next save; the objects of this context get the values too,
  /// unless they have changes of their own that aren't saved. About those, ``mergePolicy`` decides. A computed
  /// value is computed from the values that are stored at that moment.
  ///
  /// ```swift
  /// try context.update(
  ///   Trip.self,
  ///   where: #Predicate { $0.days > 30 },
  ///   set: [.set(\.isLong, to: true), .set(\.visits, adding: 1)]
  /// )
  /// ```
  ///
  /// - Returns: How many objects there were.
  /// - Throws: ``SwiftDataError`` `unsupportedPredicate` if the store can't find them by itself,
  ///   `unsupportedKeyPath`, `modelValidationFailure`, and others.
  @discardableResult
  public final func update<T: PersistentModel>(
    _ model: T.Type,
    where predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true,
    set assignments: [ModelAssignment<T>]
  ) throws -> Int {
    try prepare()
    let description = EntityDescription.of(T.self)
    let store = try stores.writableStore(of: description)
    var query = try ContextFetch(self, FetchDescriptor(predicate: predicate)).exactQuery()
    query.request.includesSubentities = includeSubclasses
    let lowered = try assignments.map { try $0.lowered() }
    for case .value(let property, let slot) in lowered { try check(slot, property) }
    let changesAttributesOnly = lowered.allSatisfy { $0.property.destination == nil }
    let count = try using {
      let count = try store.update(query, lowered, in: self)
      if count > 0 {
        ObjectRefresh(self).refreshObjects(of: changesAttributesOnly ? description : nil)
      }
      return count
    }
    if count > 0 { announceWrite(to: store) }
    return count
  }

  /// Inserts objects that aren't needed in memory, as one transaction.
  ///
  /// ```swift
  /// try context.insert(model: Reading.self, rows: 100_000) { index, row in
  ///   row[\.value] = values[index]
  /// }
  /// ```
  ///
  /// Properties that `fill` doesn't set have their default values; a default such as `UUID()` is
  /// evaluated for each object. An object with the unique values of a stored one replaces it as
  /// ``mergePolicy`` says.
  ///
  /// - Parameters:
  ///   - model: The class.
  ///   - count: How many objects there are.
  ///   - fill: Sets the properties of one of them, given its number.
  /// - Throws: ``SwiftDataError`` `modelValidationFailure`, `saveConflict`, and others; then nothing is
  ///   stored.
  public final func insert<T: PersistentModel>(
    model: T.Type,
    rows count: Int,
    _ fill: (_ index: Int, _ row: inout ModelRowValues<T>) throws -> Void
  ) throws {
    try prepare()
    let description = EntityDescription.of(T.self)
    let store = try stores.writableStore(of: description)
    let relationships = description.relationships.filter { !$0.isToMany }
    let changingDefaults = description.changingDefaults
    var rows: [[Slot]] = []
    rows.reserveCapacity(count)
    for index in 0..<count {
      var row = ModelRowValues<T>(description, renewing: changingDefaults)
      try fill(index, &row)
      for property in relationships { try check(row.slots[property.slot], property) }
      rows.append(row.slots)
    }
    try using {
      try store.insert(rows, of: description, in: self)
      ObjectRefresh(self).refreshObjects(of: description.relationships.isEmpty ? description : nil)
    }
    announceWrite(to: store)
  }

  /// - Throws: ``SwiftDataError/modelValidationFailure`` if a relationship leads to another container's
  ///   store.
  private func check(_ slot: Slot, _ property: PropertyDescription) throws {
    guard let target = slot.targetIdentifier, let store = target.storeIdentifier,
      !stores.identifiers.contains(store)
    else { return }
    throw SwiftDataError(
      .modelValidationFailure,
      "The container doesn't have the store of \(target), to which \(property.name) is to lead.",
      entity: Schema.entityName(for: property.owner),
      property: property.name
    )
  }
}
