/// Reading objects anew, and forgetting them.
extension ModelContext {
  /// Reads an object anew.
  ///
  /// - Parameters:
  ///   - model: The object; an unsaved one stays unchanged.
  ///   - mergeChanges: Whether unsaved changes are kept. If not, they are lost, also on the other
  ///     sides of relationships, and the values are read when they are used.
  public final func refresh<T: PersistentModel>(_ model: T, mergeChanges: Bool = true) {
    guard let link = model.ownStorage?.link else { return }
    using { ObjectRefresh(self).refresh(link, mergeChanges) }
  }

  /// Reads all objects of the context anew; changes that aren't saved are kept.
  public final func refreshAllObjects() {
    using {
      let refresh = ObjectRefresh(self)
      refresh.refreshObjects(of: nil)
      refresh.renewRequirements()
    }
  }

  /// Forgets all objects and all changes.
  ///
  /// The objects that the program still has keep their values, and belong to no context.
  public final func reset() { using { resetAlone() } }

  private func resetAlone() {
    rollback()
    for table in identityMap.tables {
      for storage in table.all { invalidate(storage) }
    }
    recent.removeAll()
  }

  /// Makes the next save fail if others have changed or deleted an object since this call.
  ///
  /// It is meant for objects that aren't changed here: changed and deleted ones are checked anyway,
  /// as ``mergePolicy`` says. This check applies with every policy. A change counts also if it was
  /// merged meanwhile, or made by ``update(_:where:includeSubclasses:set:)`` of this context.
  /// Reading the object anew with ``refresh(_:mergeChanges:)`` or ``refreshAllObjects()`` accepts
  /// the changes so far; ``rollback()`` ends the requirement.
  public final func detectConflicts<T: PersistentModel>(for model: T) {
    guard let link = model.ownStorage?.link else { return }
    using {
      if link.storage.context === self, link.storage.phase == .stored {
        ObjectRefresh(self).require(link)
      }
    }
  }
}
