extension ModelContext {
  /// Merges another context's save in a custom store of the same container.
  ///
  /// Unsaved changes are kept. Returns the merged changes.
  final func merge(_ changes: ObjectChanges) -> MergedChanges {
    var summary = MergedChanges()
    guard changes.editingState.id != editingState.id else { return summary }
    for identifier in changes.inserted + changes.deleted {
      if let description = stores.description(of: identifier) {
        summary.noteMembership(description)
      }
    }
    var stale: [ObjectReference] = []
    for (identifier, slots) in changes.updated {
      guard let description = stores.description(of: identifier) else { continue }
      for slot in slots { summary.note(description, slot) }
      guard let link = registered(identifier)?.link, !link.storage.isFault else { continue }
      stale.append(link)
    }
    for links in stale.byClass {
      _ = read(links.map(\.storage.identifier), of: links[0].storage.description)
    }
    noteDeletions(of: changes.deleted.compactMap(registered))
    return summary
  }
}
