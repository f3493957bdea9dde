internal import DepotClient
internal import DepotProtocol

/// Merging the saves of others.
extension ModelContext {
  /// Whether this context merges the saves of others, in this program or another one, by itself.
  ///
  /// It is `true` in the main context and in the contexts of model actors unless they set it to
  /// `false`. These merge as soon as their actor has time; other contexts merge when they or their
  /// objects are used next. Unsaved changes of an object are kept, or lost where ``mergePolicy``
  /// lets the store win. A context that begins to merge after it has read something reads its
  /// objects anew once, since it has missed the saves in between.
  public final var automaticallyMergesChanges: Bool {
    get { mergeQueue.isOpen }
    set {
      if newValue, listening != .unneeded, !mergeQueue.isOpen { listening = .late }
      mergeQueue.isOpen = newValue
      if newValue, listening != .unneeded {
        watch()
        mergeQueue.schedule()
      } else if !newValue, listening == .on {
        listening = .off
      }
    }
  }

  /// Makes this the context of an actor.
  final func settle(at executor: MergeQueue.ContextExecutor) {
    mergeQueue.executor = executor
    automaticallyMergesChanges = true
  }

  /// Prepares for rows that are about to be read.
  @inline(__always)
  final func willRead() {
    if listening == .unneeded {
      listening = .off
      if automaticallyMergesChanges { watch() }
    }
  }

  /// Notes that a save of this context was made.
  final func noteOwn(_ token: DepotProtocol.HistoryToken, store: String) {
    guard automaticallyMergesChanges else { return }
    mergeQueue.noteOwn(token, store: store)
    if listening == .unneeded {
      listening = .off
      watch()
    }
  }

  /// Begins to watch the saves of others; without a service it does nothing until it is called
  /// again.
  final func watch() {
    guard listening != .on else { return }
    mergeQueue.adopt(self)
    core.remote.add(mergeQueue)
    do {
      try core.remote.begin()
    } catch {
      listening = .late
      return
    }
    let isLate = listening == .late
    listening = .on
    if isLate { mergeQueue.noteGap() }
  }

  /// Merges the saves of others up to now.
  ///
  /// Observers' calls during a notification don't merge.
  final func mergeRemoteChanges() {
    if listening == .late, automaticallyMergesChanges { watch() }
    guard listening == .on, !isMerging, !mergeQueue.isEmpty else { return }
    using { merge(upTo: .max) }
  }

  /// Merges the waiting changes of others before the context is used, as far as that can be done.
  @inline(never)
  final func mergePendingEvents() {
    // Without an answer to a save, each use would ask for it.
    if !stores.isInDoubt { mergeRemoteChanges() }
  }

  /// Merges a part of the waiting saves, and lets other work on the same queue run in between.
  final func work() {
    // An actor's initializer may be using it on another thread.
    guard let isFirst = accessGuard.beginMerging() else { return mergeQueue.schedule() }
    defer { if isFirst { accessGuard.end() } }
    if !isMerging { merge(upTo: MergeRound.changesAtOnce) }
    for observer in observers { observer.didBecomeIdle() }
  }

  private func merge(upTo limit: Int) {
    var round = MergeRound(self, upTo: limit)
    round.run()
  }
}
