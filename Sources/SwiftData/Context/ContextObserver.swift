/// What is told of the changes of a context as they are made, such as an undo manager's recorder.
protocol ContextObserver: AnyObject {
  /// A property of a registered object is about to be changed from `old`.
  func willChange(_ storage: ModelStorage, _ slot: Int, _ old: Slot)
  func didInsert(_ storage: ModelStorage)
  func didDelete(_ storage: ModelStorage)
  /// A property of a registered object was read anew, and is another than it was.
  func didRenew(_ storage: ModelStorage, _ slot: Int)
  /// It was found out that the row of an object is gone.
  func didLose(_ storage: ModelStorage)
  /// The pending changes are complete: delete rules were applied.
  func didProcessChanges()
  func didSave()
  func didRollBack()
  /// What others have saved was merged.
  func didMerge(_ changes: MergedChanges)
  /// The context's queue has time.
  func didReachTurn()
}

extension ContextObserver {
  func willChange(_ storage: ModelStorage, _ slot: Int, _ old: Slot) {}
  func didInsert(_ storage: ModelStorage) {}
  func didDelete(_ storage: ModelStorage) {}
  func didRenew(_ storage: ModelStorage, _ slot: Int) {}
  func didLose(_ storage: ModelStorage) {}
  func didProcessChanges() {}
  func didSave() {}
  func didRollBack() {}
  func didMerge(_ changes: MergedChanges) {}
  func didReachTurn() {}
}
