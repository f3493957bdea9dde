internal import DepotClient
internal import DepotProtocol
internal import Foundation

/// Saving.
extension ServiceStore {
  func save(_ changes: SaveChanges) throws -> SaveOutcome {
    let encoding = try SaveEncoding(changes)
    var outcome = SaveOutcome()
    guard !encoding.isEmpty else {
      outcome.updated = changes.updated.map { _ in nil }
      return outcome
    }
    // With its key the request may be sent again: it is never applied twice.
    let key = UUID().uuidString
    let result = try talk {
      try $0.save(encoding.request, key: key, author: changes.author)
    }
    var versions: [String: [Int64: Int64]] = result.versions
    for link in changes.inserted {
      let storage = link.storage
      guard case .temporary(let number) = storage.identifier.key,
        let row = result.identifiers["#\(number)"]
      else { throw SwiftDataError(.storeFailure, "The store didn't say which rows were inserted.") }
      let key = EntityKey.of(
        store: identifier,
        entity: storage.description.name,
        root: storage.description.root.name
      )
      let version = versions[storage.description.name]?[row] ?? 1
      outcome.inserted.append((PersistentIdentifier(key, .row(row)), version))
    }
    for (link, isSent) in zip(changes.updated, encoding.sentUpdates) {
      let storage = link.storage
      guard isSent, let row = storage.identifier.row,
        let version = versions[storage.description.name]?[row]
      else {
        outcome.updated.append(nil)
        continue
      }
      // Somebody else has changed the row too.
      if storage.version > 0, version > storage.version + 1 { outcome.stale.append(link) }
      outcome.updated.append(version)
    }
    versions = [:]
    outcome.conflicts = result.conflicts
    outcome.token = result.token
    addStale(result.conflicts, changes, &outcome)
    return outcome
  }

  /// Notes the objects whose rows aren't what the program wanted.
  private func addStale(
    _ conflicts: [SaveConflict],
    _ changes: SaveChanges,
    _ outcome: inout SaveOutcome
  ) {
    let different = conflicts.filter { $0.decision != .client }
    guard !different.isEmpty else { return }
    var rows: [String: Set<Int64>] = [:]
    for conflict in different {
      rows[conflict.entity, default: []].insert(conflict.identifier)
      if let existing = conflict.existing { rows[conflict.entity]?.insert(existing) }
    }
    for link in changes.updated {
      let storage = link.storage
      guard let row = storage.identifier.row else { continue }
      if rows[storage.description.name]?.contains(row) == true { outcome.stale.append(link) }
    }
    for (link, result) in zip(changes.inserted, outcome.inserted) {
      guard let row = result.identifier.row else { continue }
      if rows[link.storage.description.name]?.contains(row) == true { outcome.stale.append(link) }
    }
  }
}
