/// Objects whose rows others with the same unique values have taken over.
extension ContextSave {
  /// Redirects references from replaced objects to the objects that have their rows now.
  ///
  /// Lists of replaced objects are read anew, since the new objects may belong to other lists.
  func leaveReplaced(_ replaced: [ObjectReference]) {
    guard !replaced.isEmpty else { return }
    let identifiers = Set(replaced.map(\.storage.identifier))
    for link in context.registered(of: nil) {
      for property in link.storage.description.relationships {
        link.storage.leaveReplaced(identifiers, property)
      }
    }
  }
}

extension ModelStorage {
  fileprivate final func leaveReplaced(
    _ identifiers: Set<PersistentIdentifier>,
    _ property: PropertyDescription
  ) {
    let slot = property.slot
    switch slots[slot] {
    case .link(let link) where link.storage.phase == .gone: follow(link.storage.identifier)
    case .weak(let weak): if let link = weak.link { follow(link.storage.identifier) }
    case .many(let list?):
      if changed.contains(slot) || phase != .stored {
        guard let links = list.links, links.contains(where: isReplaced) else { return }
        mutate(slot, to: .many(ObjectReferenceList(links.compactMap(current))))
      } else if list.allIdentifiers.contains(where: identifiers.contains) {
        unloadList(slot)
      }
    default: break
    }
    func isReplaced(_ link: ObjectReference) -> Bool {
      link.storage.phase == .gone && identifiers.contains(link.storage.identifier)
    }
    func current(_ link: ObjectReference) -> ObjectReference? {
      isReplaced(link) ? context?.registered(link.storage.identifier)?.link : link
    }
    func follow(_ identifier: PersistentIdentifier) {
      if identifiers.contains(identifier) { mutate(slot, to: .reference(identifier)) }
    }
  }
}
