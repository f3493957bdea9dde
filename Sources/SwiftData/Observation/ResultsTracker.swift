/// The observer of a context's changes for an owner of results, as long as that lives.
final class ResultsTracker: ContextObserver {
  private weak var owner: (any ResultsOwner)?
  private weak var context: ModelContext?
  private var changes = MergedChanges()

  init(_ owner: any ResultsOwner, _ context: ModelContext) {
    self.owner = owner
    self.context = context
  }

  func willChange(_ storage: ModelStorage, _ slot: Int, _ old: Slot) { didRefresh(storage, slot) }

  func didInsert(_ storage: ModelStorage) { didRefresh(storage, nil) }

  func didDelete(_ storage: ModelStorage) { didRefresh(storage, nil) }

  func didRefresh(_ storage: ModelStorage, _ slot: Int?) {
    if let slot {
      changes.note(storage.description, slot)
    } else {
      changes.noteMembership(storage.description)
    }
    context?.mergeQueue.schedule()
  }

  func didRollBack() {
    changes.isUnknown = true
    context?.mergeQueue.schedule()
  }

  func didMerge(_ merged: MergedChanges) {
    changes.formUnion(merged)
    if isAtCaller { didBecomeIdle() }
  }

  func didProcessChanges() { if isAtCaller { didBecomeIdle() } }

  func didSave() { if isAtCaller { didBecomeIdle() } }

  /// Whether the context has no queue for scheduled work.
  private var isAtCaller: Bool { context?.mergeQueue.executor.isCaller == true }

  func didBecomeIdle() {
    guard let owner else {
      context?.observers.removeAll { $0 === self }
      return
    }
    guard !changes.isEmpty || owner.isOutdated else { return }
    let changes = changes
    self.changes = MergedChanges()
    owner.update(after: changes)
  }
}

/// An owner of results, which keeps them up to date.
protocol ResultsOwner: AnyObject {
  /// Whether the results couldn't be brought up to date the last time.
  var isOutdated: Bool { get }

  /// Brings the results up to date.
  func update(after changes: MergedChanges)
}
