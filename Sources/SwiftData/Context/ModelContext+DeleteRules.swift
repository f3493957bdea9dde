/// What a deletion does to what the deleted objects lead to.
extension ModelContext {
  /// Applies the delete rules of the objects that were deleted since the last time.
  final func applyDeleteRules() {
    guard !undecided.isEmpty else { return }
    var all: [Link] = []
    var unread: [Link] = []
    while !undecided.isEmpty {
      // An object may have been inserted again meanwhile.
      let batch = undecided.filter { $0.storage.phase == .deleted }
      undecided = []
      all += batch
      let errors = postponedErrors.count
      readFaults(batch)
      for links in Dictionary(grouping: batch, by: { ObjectIdentifier($0.storage.description) })
        .values
      {
        for property in links[0].storage.description.relationships {
          cascade(property, of: links)
        }
      }
      if postponedErrors.count > errors { unread += batch }
    }
    // Where something couldn't be read that the rules lead to, they are applied again.
    undecided = unread
    leave(all)
  }

  /// Reads the rows that nobody has read, so that the values of deleted objects stay readable.
  private func readFaults(_ links: [Link]) {
    let faults = links.filter { $0.storage.version == 0 && !$0.storage.identifier.isTemporary }
    for group in Dictionary(grouping: faults, by: { ObjectIdentifier($0.storage.description) })
      .values
    {
      _ = read(group.map(\.storage.identifier), of: group[0].storage.description)
    }
  }

  private func cascade(_ property: PropertyDescription, of links: [Link]) {
    let slot = property.slot
    switch property.relationship?.deleteRule ?? .nullify {
    case .nullify, .noAction: return
    case .deny: denials += links.map { ($0, slot) }
    case .cascade:
      if property.isToMany {
        let unloaded = links.filter { $0.storage.isUnloaded(slot) }
        for start in stride(from: 0, to: unloaded.count, by: 1000) {
          loadTargets(of: Array(unloaded[start..<min(start + 1000, unloaded.count)]), slot)
        }
      }
      for link in links {
        for target in link.storage.allTargets(slot) { delete(target) }
      }
    }
  }

  /// Lets the objects that stay forget those that are deleted.
  private func leave(_ deleted: [Link]) {
    var lists: [ListPlace: [Link]] = [:]
    var owners: [ListPlace: Link] = [:]
    var scans: [ObjectIdentifier: (property: PropertyDescription, links: [Link])] = [:]
    for link in deleted {
      for property in link.storage.description.relationships {
        guard let inverse = property.shape.inverse,
          property.relationship?.deleteRule != .noAction
        else { continue }
        if link.storage.isUnloaded(property.slot), property.isToMany {
          scans[ObjectIdentifier(property), default: (property, [])].links.append(link)
          continue
        }
        for target in link.storage.knownTargets(property.slot)
        where target.storage.phase != .deleted {
          if inverse.isToMany {
            let place = ListPlace(storage: ObjectIdentifier(target.storage), slot: inverse.slot)
            owners[place] = target
            lists[place, default: []].append(link)
          } else {
            target.storage.forget(link.storage, at: inverse)
          }
        }
      }
    }
    for (place, gone) in lists { owners[place]?.storage.forgetAll(gone, place.slot) }
    for (property, links) in scans.values { scan(for: links, property) }
    leaveOneWay(deleted)
  }

  /// Lets registered objects forget deleted ones to which only they lead.
  private func leaveOneWay(_ deleted: [Link]) {
    let kinds = Dictionary(grouping: deleted) { ObjectIdentifier($0.storage.description) }
    for links in kinds.values {
      let description = links[0].storage.description
      let gone = Set(links.map(\.storage.identifier))
      for owner in core.descriptions.values {
        let slots = owner.ownProperties.filter { $0.leadsOneWay(to: description) }
        guard !slots.isEmpty else { continue }
        for table in allTables {
          for link in table.links where link.storage.description.isKind(of: owner) {
            for property in slots { link.storage.forgetOneWay(gone, property) }
          }
        }
      }
    }
  }

  private struct ListPlace: Hashable {
    var storage: ObjectIdentifier
    var slot: Int
  }

  /// Finds the registered objects that lead to deleted ones, where the deleted ones don't know them.
  private func scan(for links: [Link], _ property: PropertyDescription) {
    guard let inverse = property.shape.inverse, let type = property.destination,
      let root = links.first?.storage.identifier
    else { return }
    let target = EntityDescription.of(type)
    let byIdentifier = Dictionary(links.map { ($0.storage.identifier, $0) }) { first, _ in first }
    let key = EntityKey.of(
      store: root.storeIdentifier,
      entity: target.name,
      root: target.root.name
    )
    for owner in table(of: key).links where owner.storage.phase == .stored {
      let storage = owner.storage
      guard storage.description.isKind(of: target) else { continue }
      switch storage.slots[inverse.slot] {
      case .many(let list?):
        for identifier in list.allIdentifiers {
          guard let link = byIdentifier[identifier] else { continue }
          storage.forget(link.storage, at: inverse)
        }
      case let slot:
        guard let identifier = slot.targetIdentifier, let link = byIdentifier[identifier] else {
          continue
        }
        storage.forget(link.storage, at: inverse)
      }
    }
  }

  /// Returns the error that a deletion is denied; `nil` if none is.
  final func deniedDeletion() -> SwiftDataError? {
    for (link, slot) in denials where link.storage.phase == .deleted {
      let property = link.storage.description.properties[slot]
      let rest = link.storage.allTargets(slot).filter { $0.storage.phase != .deleted }
      guard !rest.isEmpty else { continue }
      var error = SwiftDataError(
        .modelValidationFailure,
        "The \(link.storage.description.name) \(link.storage.identifier) can't be deleted: its "
          + "\(property.name) leads to \(rest.count) objects, and the delete rule is deny.",
        hint: "Delete these objects too, or let \(property.name) lead to nothing first."
      )
      error.entity = link.storage.description.name
      error.property = property.name
      return error
    }
    return nil
  }
}

extension PropertyDescription {
  /// Whether objects that are deleted leave the list, as their own relationship says.
  var isLeftByDeleted: Bool {
    guard let destination, let inverse = shape.inverse else { return true }
    let back = EntityDescription.of(destination).properties[inverse.slot]
    return back.relationship?.deleteRule != .noAction
  }

  /// Whether it leads to objects of an entity that don't lead back.
  func leadsOneWay(to description: EntityDescription) -> Bool {
    guard let destination, shape.inverse == nil else { return false }
    return description.isKind(of: EntityDescription.of(destination))
  }
}

extension ModelStorage {
  /// Lets a relationship not lead any more to deleted objects that don't lead back.
  fileprivate final func forgetOneWay(
    _ gone: Set<PersistentIdentifier>,
    _ property: PropertyDescription
  ) {
    guard let model, phase == .stored || phase == .inserted else { return }
    let slot = property.slot
    let isAffected =
      switch slots[slot] {
      case .many(let list?): list.allIdentifiers.contains(where: gone.contains)
      case let known: known.targetIdentifier.map(gone.contains) ?? false
      }
    guard isAffected else { return }
    property.willSet(model)
    willChange(slot)
    if case .many(let list?) = slots[slot] {
      slots[slot] = .many(
        list.links.map { LinkList($0.filter { !gone.contains($0.storage.identifier) }) }
          ?? LinkList(list.identifiers.filter { !gone.contains($0) })
      )
    } else {
      slots[slot] = .nothing
    }
    property.didSet(model)
  }

  /// Whether nothing is known of a property.
  final func isUnloaded(_ slot: Int) -> Bool {
    if case .unloaded = slots[slot] { return true }
    return false
  }

  /// Returns the objects that a relationship leads to.
  final func allTargets(_ slot: Int) -> [Link] {
    if description.properties[slot].isToMany {
      return targets(slot).map { resolved($0, slot) } ?? []
    }
    return target(slot).map { [$0] } ?? []
  }

  /// Returns the objects that a relationship leads to, as far as they are registered.
  final func knownTargets(_ slot: Int) -> [Link] {
    switch slots[slot] {
    case .link(let link): [link]
    case .weak(let weak): weak.link.map { [$0] } ?? []
    case .reference(let identifier):
      context?.registered(identifier)?.link.map { [$0] } ?? []
    case .many(let list?):
      list.links ?? list.identifiers.compactMap { context?.registered($0)?.link }
    default: []
    }
  }

  /// Lets a to-many relationship not lead any more to deleted objects.
  final func forgetAll(_ deleted: [Link], _ slot: Int) {
    guard let model else { return }
    let property = description.properties[slot]
    let gone = Set(deleted.map { ObjectIdentifier($0.storage) })
    if case .many(let list) = slots[slot], !(list?.leads(to: gone, deleted) ?? false) { return }
    property.willSet(model)
    willChange(slot)
    if case .unloaded = slots[slot] {
      for link in deleted { deltas[slot, default: LinkDelta()].remove(link) }
    } else if case .many(let list?) = slots[slot] {
      if let links = list.links {
        slots[slot] = .many(LinkList(links.filter { !gone.contains(ObjectIdentifier($0.storage)) }))
      } else {
        let identifiers = Set(deleted.map(\.storage.identifier))
        slots[slot] = .many(LinkList(list.identifiers.filter { !identifiers.contains($0) }))
      }
    }
    property.didSet(model)
  }
}

extension LinkList {
  /// Whether one of some objects is in the list.
  fileprivate func leads(to places: Set<ObjectIdentifier>, _ others: [Link]) -> Bool {
    if let links { return links.contains { places.contains(ObjectIdentifier($0.storage)) } }
    let wanted = Set(others.map(\.storage.identifier))
    return identifiers.contains(where: wanted.contains)
  }
}
