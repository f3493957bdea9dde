/// An observer of the changes of a context as they are made, such as an undo manager's recorder.
protocol ContextObserver: AnyObject {
  /// A property of a registered object is about to be changed from `old`.
  func willChange(_ storage: ModelStorage, _ slot: Int, _ old: Slot)
  func didInsert(_ storage: ModelStorage)
  func didDelete(_ storage: ModelStorage)
  /// A property of a registered object was read anew and has another value; without a slot, the
  /// object's row turned out to be deleted.
  func didRefresh(_ storage: ModelStorage, _ slot: Int?)
  /// The pending changes are complete: delete rules were applied.
  func didProcessChanges()
  func didSave()
  func didRollBack()
  /// Changes that others have saved were merged.
  func didMerge(_ changes: MergedChanges)
  /// The context's queue has time.
  func didBecomeIdle()
}

extension ContextObserver {
  func willChange(_ storage: ModelStorage, _ slot: Int, _ old: Slot) {}
  func didInsert(_ storage: ModelStorage) {}
  func didDelete(_ storage: ModelStorage) {}
  func didRefresh(_ storage: ModelStorage, _ slot: Int?) {}
  func didProcessChanges() {}
  func didSave() {}
  func didRollBack() {}
  func didMerge(_ changes: MergedChanges) {}
  func didBecomeIdle() {}
}
