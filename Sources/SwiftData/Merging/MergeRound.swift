/// One round of merging the saves of others, which wait in a context's queue.
struct MergeRound {
  /// How many changes are merged at once where others wait.
  static var changesAtOnce: Int { 500 }

  private let context: ModelContext
  /// How many changes are merged.
  private let limit: Int
  private var summary = MergedChanges()

  init(_ context: ModelContext, upTo limit: Int) {
    self.context = context
    self.limit = limit
  }

  /// Merges waiting changes, and notifies observers; the rest waits for another round.
  mutating func run() {
    context.isMerging = true
    defer { context.isMerging = false }
    var rest = limit
    while let count = mergeNext(rest) {
      guard limit < .max else { continue }
      rest -= max(count, 1)
      if rest <= 0 {
        if context.mergeQueue.scheduleRest() { break }
        rest = limit
      }
    }
    context.notifyObservers(summary)
  }

  /// Merges up to `limit` changes of a transaction; returns how many, and `nil` if there was nothing to
  /// merge.
  private mutating func mergeNext(_ limit: Int) -> Int? {
    if context.stores.isInDoubt {
      do { try context.settleSaves() } catch { return nil }
    }
    // The changes of others aren't undone together with earlier ones of the program.
    if !context.mergeQueue.isEmpty { context.undoRecorder?.registerChanges() }
    guard let (event, origin, start) = context.mergeQueue.next() else { return nil }
    switch event.event {
    case .objects(let changes):
      summary.formUnion(merge(changes))
      return changes.all.count
    case .gap:
      ObjectRefresh(context).refreshObjects(of: nil)
      summary.isUnknown = true
      return limit
    case .transaction(let transaction):
      let end = start + min(transaction.changes.count - start, limit)
      let merge = RowMerge(context, event.store, origin)
      for change in transaction.changes[start..<end] { merge.giveUp(change) }
      for change in transaction.changes[start..<end] { merge.take(change) }
      merge.finish()
      summary.formUnion(merge.summary)
      if end < transaction.changes.count { context.mergeQueue.putBack((event, origin, end)) }
      return end - start
    }
  }

  /// Merges another context's save in a custom store of the same container.
  ///
  /// Unsaved changes are kept. Returns the merged changes.
  private func merge(_ changes: ObjectChanges) -> MergedChanges {
    var summary = MergedChanges()
    guard changes.editingState.id != context.editingState.id else { return summary }
    for identifier in changes.inserted + changes.deleted {
      if let description = context.stores.description(of: identifier) {
        summary.noteMembership(description)
      }
    }
    var stale: [ObjectReference] = []
    for (identifier, slots) in changes.updated {
      guard let description = context.stores.description(of: identifier) else { continue }
      for slot in slots { summary.note(description, slot) }
      guard let link = context.registered(identifier)?.link, !link.storage.isFault else { continue }
      stale.append(link)
    }
    for links in stale.byClass {
      _ = context.read(links.map(\.storage.identifier), of: links[0].storage.description)
    }
    context.noteDeletions(of: changes.deleted.compactMap(context.registered))
    return summary
  }
}
