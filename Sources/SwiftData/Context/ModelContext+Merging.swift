/// Bringing objects up to date with the store.
extension ModelContext {
  /// Moves an object between the loaded lists of the objects that its to-one relationship leads to.
  final func relink(_ link: Link, _ slot: Int, to value: Slot) {
    guard let inverse = link.storage.description.properties[slot].shape.inverse, inverse.isToMany
    else { return }
    if let old = link.storage.slots[slot].targetIdentifier {
      registered(old)?.editStored(inverse.slot) { $0.remove(link.storage) }
    }
    if let new = value.targetIdentifier {
      registered(new)?.editStored(inverse.slot) { list in
        if !list.allIdentifiers.contains(link.storage.identifier) { list.append(link) }
      }
    }
  }

  /// Keeps the objects of the last few fetches alive that came along with others.
  final func keepPrefetched(_ links: [Link]) {
    guard !links.isEmpty else { return }
    prefetched.append(links.map(\.model))
    if prefetched.count > 4 { prefetched.removeFirst() }
  }
}

extension ModelStorage {
  /// Changes a list as the store did, if it is loaded and the program hasn't changed it.
  fileprivate final func editStored(_ slot: Int, _ edit: (LinkList) -> Void) {
    guard case .many(let list?) = slots[slot], !changed.contains(slot), let model else { return }
    let property = description.properties[slot]
    let copy = list.copy()
    edit(copy)
    property.willSet(model)
    slots[slot] = .many(copy)
    property.didSet(model)
  }
}
