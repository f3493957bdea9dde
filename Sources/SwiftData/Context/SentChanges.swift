internal import DepotProtocol

/// The changes of a save that was sent, with the values then.
@Memberwise("changes")
struct SentChanges {
  let changes: SaveChanges
  /// The values of the inserted and changed objects that were sent, in their order.
  private var sent: [SentObject] = []

  /// Records the sent values, before the program changes them.
  mutating func noteSent() {
    if sent.isEmpty { sent = (changes.inserted + changes.updated).map { SentObject($0.storage) } }
  }

  /// Returns the program's changes since, by the objects.
  func laterEdits() -> [(link: ObjectReference, edits: [LaterEdit])] {
    zip(changes.inserted + changes.updated, sent).compactMap { link, sent in
      let edits = sent.laterEdits(link.storage)
      return edits.isEmpty ? nil : (link, edits)
    }
  }
}

/// A property that the program has changed since it was sent, with its value then.
struct LaterEdit {
  let slot: Int
  let base: Slot
  /// The changes since then of a to-many relationship that isn't loaded.
  var delta: RelationshipDelta?
}

/// The values of an object that were sent.
private struct SentObject {
  private let isNew: Bool
  private let slots: [Slot]
  private let changed: SlotSet
  private let deltas: [Int: RelationshipDelta]

  init(_ storage: ModelStorage) {
    isNew = storage.identifier.isTemporary
    slots = storage.slots.all.map { slot in
      if case .many(let list?) = slot { return .many(list.copy()) }
      return slot
    }
    changed = storage.changed
    deltas = storage.deltas
  }

  func laterEdits(_ storage: ModelStorage) -> [LaterEdit] {
    storage.description.properties.compactMap { property in
      let slot = property.slot
      guard isNew || storage.changed.contains(slot) else { return nil }
      if !isNew, !changed.contains(slot) {
        return LaterEdit(
          slot: slot,
          base: storage.base[slot] ?? .unloaded,
          delta: storage.deltas[slot]
        )
      }
      return laterEdit(of: property, storage)
    }
  }

  private func laterEdit(of property: PropertyDescription, _ storage: ModelStorage) -> LaterEdit? {
    let slot = property.slot
    switch (slots[slot], storage.slots[slot]) {
    case (.unloaded, .unloaded):
      let delta = (storage.deltas[slot] ?? RelationshipDelta()).following(
        deltas[slot] ?? RelationshipDelta()
      )
      return delta.isEmpty ? nil : LaterEdit(slot: slot, base: .unloaded, delta: delta)
    case (.unloaded, .many(let list)):
      // It was read meanwhile.
      guard let delta = deltas[slot], case .many(let stored?)? = storage.base[slot] else {
        return nil
      }
      let base = delta.applied(to: stored)
      if base.allIdentifiers == list?.allIdentifiers { return nil }
      return LaterEdit(slot: slot, base: .many(base))
    case (_, .unloaded): return nil
    case (.many(let old), .many(let new)):
      if old?.allIdentifiers == new?.allIdentifiers { return nil }
    case (let old, let new):
      if property.isSame(old, new) { return nil }
    }
    return LaterEdit(slot: slot, base: slots[slot])
  }
}

extension RelationshipDelta {
  /// Returns the delta that leads from an earlier delta to this one.
  fileprivate func following(_ earlier: RelationshipDelta) -> RelationshipDelta {
    func without(_ links: [ObjectReference], _ others: [ObjectReference]) -> [ObjectReference] {
      let known = Set(others.map { ObjectIdentifier($0.storage) })
      return links.filter { !known.contains(ObjectIdentifier($0.storage)) }
    }
    return RelationshipDelta(
      added: without(added, earlier.added) + without(earlier.removed, removed),
      removed: without(removed, earlier.removed) + without(earlier.added, added)
    )
  }
}
