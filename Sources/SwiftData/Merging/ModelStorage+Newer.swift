extension ModelStorage {
  /// Notes that the row of an object that the program has changed is deleted.
  final func noteGone() {
    newer = newer ?? NewerRow(version: version)
    newer?.isGone = true
  }

  /// Raises the version of the values that the program hasn't changed.
  ///
  /// Where others have changed the same properties, or the row is to be deleted, the changes stay
  /// based on the version that they were made in, so that a save detects the conflict. `theirs`
  /// has the values of the changed properties in the new version, as far as they are known.
  final func raise(to version: Int64, _ theirs: [Int: Slot]) {
    let theirs = (newer?.slots ?? [:]).merging(theirs) { $1 }
    let isDisputed =
      phase == .deleted
      || theirs.contains { slot, value in
        guard changed.contains(slot), let old = base[slot] else { return false }
        if case .unloaded = value { return true }
        return !description.properties[slot].isSame(old, value)
      }
    if isDisputed {
      newer = NewerRow(version: version, slots: theirs)
    } else {
      self.version = version
      newer = nil
    }
  }

  /// Gives changed properties the values that are stored, as far as the context knows.
  final func restore() {
    if newer?.isGone == true {
      modelContext?.mergeDeletions(of: [self])
      return
    }
    guard let model, !changed.isEmpty || newer != nil else { return }
    let slots = Array(changed)
    let properties = slots.map { description.properties[$0] }
    for property in properties { property.willSet(model) }
    for slot in slots where newer?.slots[slot] == nil {
      if let old = base[slot] { self.slots[slot] = old }
    }
    for (slot, theirs) in newer?.slots ?? [:] where changed.contains(slot) { take(theirs, slot) }
    if let newer { version = newer.version }
    becomeClean()
    for property in properties { property.didSet(model) }
  }

  /// Undoes the program's changes of some properties, except to-many relationships, which no row
  /// has.
  ///
  /// The other sides of to-one relationships follow.
  final func restoreRow(_ isWanted: (_ slot: Int) -> Bool) {
    for slot in changed where isWanted(slot) && !description.properties[slot].isToMany {
      guard let value = newer?.slots[slot] ?? base[slot] else { continue }
      withMutation(slot) { giveUpChange(slot, for: value) }
    }
  }

  /// Marks a property unchanged, with the stored value; the other side of a relationship follows.
  final func giveUpChange(_ slot: Int, for value: Slot) {
    take(value, slot)
    changed.remove(slot)
    base[slot] = nil
    newer?.slots[slot] = nil
  }

  private final func take(_ value: Slot, _ slot: Int) {
    if let link { modelContext?.relink(link, slot, to: value) }
    slots[slot] = value
  }

  /// Marks a property unchanged if it equals the value that was read; it gets the value stored
  /// now.
  final func forgetChangeIfNone(_ slot: Int) {
    guard phase == .stored, changed.contains(slot), let old = base[slot] else { return }
    let isSame =
      switch (slots[slot], old) {
      case (.many(let list?), .many(let other?)): list.allIdentifiers == other.allIdentifiers
      case (.many, _), (_, .many), (.unloaded, _), (_, .unloaded): false
      default: description.properties[slot].isSame(slots[slot], old)
      }
    guard isSame else { return }
    if let theirs = newer?.slots[slot] { withMutation(slot) { giveUpChange(slot, for: theirs) } }
    forgetChange(slot)
  }

  /// Marks a property unchanged that has the stored value, or will be read again.
  final func forgetChange(_ slot: Int) {
    changed.remove(slot)
    base[slot] = nil
    newer?.slots[slot] = nil
    guard changed.isEmpty, phase == .stored else { return }
    if newer?.isGone == true {
      modelContext?.mergeDeletions(of: [self])
      return
    }
    if let newer { version = newer.version }
    newer = nil
    modelContext?.pending.remove(self)
  }

  /// The properties, except to-many relationships, that have been read.
  final var readSlots: [Int] {
    description.properties.filter { !$0.isToMany && wasRead($0.slot) }.map(\.slot)
  }

  /// Whether a value of a property was read.
  final func wasRead(_ slot: Int) -> Bool {
    guard changed.contains(slot) else { return !isUnloaded(slot) }
    if case .unloaded? = base[slot] { return false }
    return base[slot] != nil
  }

  /// The value of a property as it was read, without the program's change.
  final func stored(_ slot: Int) -> Slot {
    changed.contains(slot) ? base[slot] ?? .unloaded : slots[slot]
  }
}
