/// Taking changes back.
extension ModelContext {
  /// Drops all changes that aren't saved: inserted objects leave the context, changed ones get the values
  /// that were read, deleted ones are there again.
  public final func rollback() { using { rollBackAlone() } }

  private final func rollBackAlone() {
    errors.removeAll()
    for store in stores.all { store.giveUpDoubt() }
    let (new, changed, deleted) = pending.removeAll()
    for link in deleted {
      link.storage.phase = .stored
      link.storage.restore()
      restoreInverses(link)
    }
    for link in changed { link.storage.restore() }
    for link in new {
      unregister(link.storage)
      link.storage.phase = .unregistered
    }
    for link in new { link.storage.loosen() }
    for observer in observers { observer.didRollBack() }
  }

  /// Adds an object that was deleted to the inverses of its stored targets, which may be new.
  final func restoreInverses(_ link: ObjectReference) {
    let storage = link.storage
    guard storage.phase == .stored else { return }
    for property in storage.description.relationships
    where !property.isToMany && !storage.changed.contains(property.slot) {
      relink(link, property.slot, to: storage.slots[property.slot])
    }
  }
}
