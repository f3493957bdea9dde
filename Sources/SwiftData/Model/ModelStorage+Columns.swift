/// The columns of rows that a save sends.
extension PropertyDescription {
  /// Whether a to-many relationship is sent to the store from this side.
  var isSavedList: Bool { shape.isSaved || isOrderedList }

  /// Whether it is a to-many relationship whose order is stored.
  var isOrderedList: Bool { relationship?.isOrdered == true }

  /// Whether a row has a column for it.
  var hasColumn: Bool { !isToMany && (destination == nil || shape.isSaved) }
}

extension ModelStorage {
  /// Whether a to-many relationship leads to anything.
  final func hasTargets(_ slot: Int) -> Bool {
    if case .many(let list?) = slots[slot] { return list.count > 0 }
    return false
  }

  /// The changed properties that are sent to the store.
  final func changedColumns() -> SlotSet {
    changed.filter { slot in
      if withDescription({ $0.codecs[slot] != nil }) {
        return !isUnloaded(slot) && !isSameAsBase(slot)
      }
      let property = description.properties[slot]
      if property.isToMany {
        guard property.isSavedList else { return false }
        if let delta = deltas[slot] { return !delta.isEmpty }
        guard case .many(let old?)? = base[slot], case .many(let new) = slots[slot] else {
          return hasTargets(slot)
        }
        return old.allIdentifiers != new?.allIdentifiers ?? []
      }
      if isUnloaded(slot) { return false }
      if !property.shape.isSaved {
        // The other side is sent, unless there is none.
        if case .nothing = slots[slot] { return !isSameAsBase(slot) }
        return false
      }
      return !isSameAsBase(slot)
    }
  }

  private final func isSameAsBase(_ slot: Int) -> Bool {
    // In a stage of a migration, the value that was read may stand for a missing one.
    guard let old = base[slot],
      withDescription({ $0.properties[slot].isSame(old, slots[slot]) })
    else { return false }
    return context?.isMigrating != true
  }
}
