/// The effects of a context's deletions on the objects that the deleted ones lead to.
struct DeleteRules {
  private let context: ModelContext

  init(_ context: ModelContext) { self.context = context }

  /// Applies the delete rules of the objects that were deleted since the last time.
  func apply() {
    guard context.pending.hasUndecided else { return }
    var all: [ObjectReference] = []
    var unread: [ObjectReference] = []
    while context.pending.hasUndecided {
      let batch = context.pending.removeUndecided()
      all += batch
      let failures = context.errors.failedReads
      let groups = batch.byClass
      readUnloaded(groups)
      for links in groups {
        for property in links[0].storage.description.relationships {
          cascade(property, of: links)
        }
      }
      if context.errors.failedReads > failures { unread += batch }
    }
    // If targets of the rules couldn't be read, the rules are applied again later.
    context.pending.decide(unread)
    leave(all)
  }

  /// Reads unread values, so that deleted objects stay readable.
  ///
  /// Large values are read only if the deletion can be undone.
  private func readUnloaded(_ groups: [[ObjectReference]]) {
    for group in groups {
      let description = group[0].storage.description
      let properties = description.properties.filter { !$0.isToMany }
      func readRows(lacking wanted: [Int], slots: [Int]?) {
        let rows = group.filter { link in
          wanted.contains(where: link.storage.isUnloaded) && !link.storage.identifier.isTemporary
        }
        if rows.isEmpty { return }
        _ = context.read(rows.map(\.storage.identifier), of: description, slots: slots)
      }
      readRows(lacking: properties.filter { !$0.isExternal }.map(\.slot), slots: nil)
      guard context.undoRecorder != nil else { continue }
      let external = properties.filter(\.isExternal).map(\.slot)
      readRows(lacking: external, slots: external)
    }
  }

  private func cascade(_ property: PropertyDescription, of links: [ObjectReference]) {
    let slot = property.slot
    switch property.relationship?.deleteRule ?? .nullify {
    case .nullify, .noAction: return
    case .deny: context.pending.deny(links, slot)
    case .cascade:
      var moved: Set<PersistentIdentifier> = []
      if property.isToMany {
        moved = movedAway(property, of: links)
        for batch in links.filter({ $0.storage.isUnloaded(slot) }).chunks(of: 1000) {
          ObjectReading(context).lists(of: batch, slot)
        }
      }
      for link in links {
        for target in link.storage.allTargets(slot)
        where !moved.contains(target.storage.identifier) {
          context.delete(target)
        }
      }
    }
  }

  /// Finds members of lists that others have moved away since the lists were read.
  ///
  /// A context that merges automatically has taken them out of its lists.
  private func movedAway(
    _ property: PropertyDescription,
    of links: [ObjectReference]
  ) -> Set<PersistentIdentifier> {
    guard !context.mergeQueue.isOpen, let type = property.destination else { return [] }
    let slot = property.slot
    let read = links.filter { link in
      !link.storage.identifier.isTemporary && !link.storage.isUnloaded(slot)
        && !link.storage.knownTargets(slot).isEmpty
    }
    var missing: [PersistentIdentifier] = []
    for sources in read.byClass.flatMap({ $0.chunks(of: 1000) }) {
      let description = sources[0].storage.description
      let lists = context.errors.noting {
        try context.stores.store(of: description)
          .targets(of: sources.map(\.storage.identifier), description, slot: slot, into: context)
      }
      for (source, list) in zip(sources, lists ?? []) {
        let stored = list.identifiers
        missing += source.storage.knownTargets(slot).map(\.storage)
          .filter { member in
            member.phase == .stored && !stored.contains(member.identifier)
              && !source.storage.hasEdited(slot, member)
          }
          .map(\.identifier)
      }
    }
    if missing.isEmpty { return [] }
    // A row that is gone isn't elsewhere.
    return context.read(missing, of: EntityDescription.of(type)).identifiers
  }

  /// Removes deleted objects from the relationships of the remaining objects.
  private func leave(_ deleted: [ObjectReference]) {
    var lists: [PropertyOfObject: (owner: ObjectReference, gone: [ObjectReference])] = [:]
    var scans: [ObjectIdentifier: (property: PropertyDescription, links: [ObjectReference])] = [:]
    let groups = deleted.byClass
    let related = groups.filter { !$0[0].storage.description.relationships.isEmpty }
    for link in related.joined() {
      for property in link.storage.description.relationships {
        guard let inverse = property.shape.inverse else { continue }
        let isLeft = property.relationship?.deleteRule != .noAction
        if isLeft, link.storage.isUnloaded(property.slot), property.isToMany {
          scans[ObjectIdentifier(property), default: (property, [])].links.append(link)
        }
        for target in link.storage.knownTargets(property.slot)
        where target.storage.phase != .deleted && (isLeft || target.storage.isToSave(inverse.slot))
        {
          if inverse.isToMany {
            lists[PropertyOfObject(target.storage, inverse.slot), default: (target, [])].gone
              .append(link)
          } else {
            target.storage.updateInverse(link.storage, at: inverse, isAdded: false)
          }
        }
      }
    }
    for (place, list) in lists {
      list.owner.storage.forget(list.gone, list.gone.identifiers, place.slot)
    }
    for (property, links) in scans.values { scan(for: links, property) }
    leaveOneWay(groups)
  }

  /// Removes deleted objects from one-way relationships of registered objects.
  private func leaveOneWay(_ groups: [[ObjectReference]]) {
    for links in groups {
      let description = links[0].storage.description
      lazy var gone = links.identifiers
      for owner in context.core.descriptions.values {
        let slots = owner.ownProperties.filter { $0.leadsOneWay(to: description) }
        guard !slots.isEmpty else { continue }
        for link in context.registered(of: owner)
        where link.storage.phase == .stored || link.storage.phase == .inserted {
          for property in slots where !link.storage.isUnloaded(property.slot) {
            link.storage.forget(links, gone, property.slot)
          }
        }
      }
    }
  }

  /// Finds the registered objects that lead to deleted ones, where the deleted ones don't know them.
  private func scan(for links: [ObjectReference], _ property: PropertyDescription) {
    guard let inverse = property.shape.inverse, let type = property.destination,
      let root = links.first?.storage.identifier
    else { return }
    let target = EntityDescription.of(type)
    let gone = links.identifiers
    for owner in context.identityMap.table(of: target.key(in: root.storeIdentifier)).links
    where owner.storage.phase == .stored && owner.storage.description.isKind(of: target)
      && !owner.storage.isUnloaded(inverse.slot)
    {
      owner.storage.forget(links, gone, inverse.slot)
    }
  }

  /// Returns the error that a rule denies a deletion; `nil` if none does.
  func denial() -> SwiftDataError? {
    for (link, slot) in context.pending.denials where link.storage.phase == .deleted {
      let property = link.storage.description.properties[slot]
      let rest = link.storage.allTargets(slot).filter { $0.storage.phase != .deleted }
      guard !rest.isEmpty else { continue }
      return SwiftDataError(
        .modelValidationFailure,
        "The \(link.storage.description.name) \(link.storage.identifier) can't be deleted: its "
          + "\(property.name) leads to \(rest.count) objects, and the delete rule is deny.",
        hint: "Delete these objects too, or let \(property.name) lead to nothing first.",
        entity: link.storage.description.name,
        property: property.name
      )
    }
    return nil
  }
}

extension PropertyDescription {
  /// Whether it is a one-way relationship to objects of an entity.
  func leadsOneWay(to description: EntityDescription) -> Bool {
    guard let destination, shape.inverse == nil else { return false }
    return description.isKind(of: EntityDescription.of(destination))
  }
}

extension ModelStorage {
  /// Whether the next save stores the relationship, whose target must exist then.
  fileprivate final func isToSave(_ slot: Int) -> Bool {
    phase == .inserted || changed.contains(slot)
  }

  /// Returns the objects that a relationship leads to.
  final func allTargets(_ slot: Int) -> [ObjectReference] {
    if description.properties[slot].isToMany {
      return targets(slot).map { resolved($0, slot) } ?? []
    }
    return target(slot).map { [$0] } ?? []
  }

  /// Returns the registered targets of a relationship; only the added ones if it isn't loaded.
  final func knownTargets(_ slot: Int) -> [ObjectReference] {
    switch slots[slot] {
    case .unloaded: deltas[slot]?.added ?? []
    case .link(let link): [link]
    case .weak(let weak): weak.link.map { [$0] } ?? []
    case .reference(let identifier):
      context?.registered(identifier)?.link.map { [$0] } ?? []
    case .many(let list?):
      list.links ?? list.identifiers.compactMap { context?.registered($0)?.link }
    default: []
    }
  }

  /// Removes deleted objects, whose identifiers are `gone`, from a relationship.
  final func forget(_ deleted: [ObjectReference], _ gone: Set<PersistentIdentifier>, _ slot: Int) {
    guard isUnloaded(slot) || slots[slot].targetIdentifiers.contains(where: gone.contains) else {
      return
    }
    withMutation(slot) {
      willChange(slot)
      switch slots[slot] {
      case .unloaded:
        for link in deleted {
          deltas[slot, default: RelationshipDelta()].change(link, isAdded: false)
        }
      case .many(let list?): slots[slot] = .many(list.without(gone))
      default: slots[slot] = .nothing
      }
    }
  }
}

extension [ObjectReference] {
  /// The identifiers of the objects.
  var identifiers: Set<PersistentIdentifier> { Set(map(\.storage.identifier)) }
}
