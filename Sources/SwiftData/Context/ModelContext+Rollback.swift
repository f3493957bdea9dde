/// Taking changes back.
extension ModelContext {
  /// Drops all changes that aren't saved: inserted objects leave the context, changed ones get the values
  /// that were read, deleted ones are there again.
  public final func rollback() {
    postponedErrors = []
    refusedChanges = []
    for store in stores { store.giveUpDoubt() }
    undecided = []
    denials = []
    for link in deleted.removeAll() {
      link.storage.phase = .stored
      link.storage.restore()
    }
    for link in changed.removeAll() { link.storage.restore() }
    let new = inserted.removeAll() + discarded.removeAll()
    for link in new {
      unregister(link.storage)
      link.storage.phase = .unregistered
    }
    for link in new { link.storage.loosen() }
    for observer in observers { observer.didRollBack() }
  }
}
