internal import DepotClient
internal import DepotProtocol
internal import Foundation

/// Saving.
extension ServiceStore {
  func check(_ changes: SaveChanges) throws { _ = try SaveEncoding(changes) }

  func save(_ changes: SaveChanges) throws -> SaveOutcome {
    let encoding = try SaveEncoding(changes)
    var outcome = SaveOutcome()
    guard !encoding.isEmpty else {
      outcome.updated = changes.updated.map { _ in nil }
      return outcome
    }
    let save = UnconfirmedSave(encoding, SentChanges(changes))
    do {
      return try self.outcome(of: save, send(save))
    } catch let error as SwiftDataError {
      // A read-only store doesn't change, so a save that only requires unchanged objects succeeds.
      guard changes.isEmpty, error.serviceError?.code == .readOnly else { throw error }
      return outcome
    }
  }

  func settle() throws -> (SentChanges, SaveOutcome)? {
    guard let save = unconfirmedSave else { return nil }
    unconfirmedSave = nil
    guard save.key.isRemembered else { throw forgotten }
    do {
      return (save.sent, try outcome(of: save, send(save, again: true)))
    } catch {
      if unconfirmedSave == nil { return nil }
      throw error
    }
  }

  func giveUpDoubt() { unconfirmedSave = nil }

  /// Sends a save; it is ``unconfirmedSave`` after an error that leaves its outcome unknown.
  private func send(_ save: UnconfirmedSave, again: Bool = false) throws -> SaveResult {
    try settling(
      isInDoubt: again,
      lost: "The service didn't say whether it has saved",
      hint: "Save again: nothing is stored twice.",
      noteDoubt: {
        unconfirmedSave = save
        unconfirmedSave?.sent.noteSent()
      },
      send: { connection in
        let author = save.sent.changes.author
        return try connection.save(save.encoding.request, key: save.key.text, author: author)
      }
    )
  }

  private var forgotten: SwiftDataError {
    SwiftDataError(
      .storeFailure,
      "Whether the last save was made can't be found out any more.",
      hint: "Compare the objects with the store; another save stores all pending changes."
    )
  }

  private func outcome(of save: UnconfirmedSave, _ result: SaveResult) throws -> SaveOutcome {
    let (changes, encoding) = (save.sent.changes, save.encoding)
    var outcome = SaveOutcome()
    let rowsByClass = insertedRows(of: changes.inserted, result)
    outcome.inserted.reserveCapacity(changes.inserted.count)
    var (inserted, rows) = (EntityDescription?.none, InsertedRows?.none)
    for link in changes.inserted {
      let storage = link.storage
      if inserted !== storage.description {
        inserted = storage.description
        rows = rowsByClass[ObjectIdentifier(storage.description)]
      }
      guard storage.identifier.isTemporary, let row = rows?.next() else {
        throw SwiftDataError(.storeFailure, "The store didn't say which rows were inserted.")
      }
      outcome.inserted.append(row)
    }
    outcome.hasAdopted = result.inserted < changes.inserted.count
    var (latest, versions) = (EntityDescription?.none, SavedVersions?.none)
    for (link, isSent) in zip(changes.updated, encoding.sentUpdates) {
      let storage = link.storage
      if latest !== storage.description {
        latest = storage.description
        versions = result.versions[storage.description.name]
      }
      guard isSent, let row = storage.identifier.row, let version = versions?[row] else {
        outcome.updated.append(nil)
        continue
      }
      // Another client has changed the row too.
      if storage.version > 0, version > storage.version + 1 { outcome.stale.append(link) }
      outcome.updated.append(version)
    }
    outcome.token = result.token
    addStale(result.conflicts, changes, &outcome)
    outcome.kept = Self.kept(result.conflicts, changes)
    outcome.wonConflicts = result.conflicts.filter {
      $0.decision == .client || $0.decision == .recreated
    }
    return outcome
  }

  /// Returns the rows of objects that were inserted, by their classes.
  private func insertedRows(
    of links: [ObjectReference],
    _ result: SaveResult
  ) -> [ObjectIdentifier: InsertedRows] {
    // The request has the classes in this order, and the answer too.
    var rows = result.runs.joined().flatMap { $0.first..<$0.first + Int64($0.count) }[...]
    return Dictionary(
      first: links.byClass.map { links in
        let description = links[0].storage.description
        defer { rows = rows.dropFirst(links.count) }
        return (
          ObjectIdentifier(description),
          InsertedRows(
            entity: description.key(in: identifier),
            rows: rows.prefix(links.count),
            versions: result.versions[description.name]
          )
        )
      }
    )
  }

  /// The objects that were to be deleted and weren't, since others have changed them.
  private static func kept(_ conflicts: [SaveConflict], _ changes: SaveChanges) -> [ObjectReference]
  {
    var rows = RowSet()
    for conflict in conflicts
    where conflict.kind == .deleteOfUpdated && conflict.decision == .dropped {
      rows.insert(conflict.entity, conflict.identifier)
    }
    return rows.isEmpty ? [] : changes.deleted.filter { rows.contains($0, $0.storage.identifier) }
  }

  /// Records the objects whose rows differ from the program's values.
  private func addStale(
    _ conflicts: [SaveConflict],
    _ changes: SaveChanges,
    _ outcome: inout SaveOutcome
  ) {
    var rows = RowSet()
    for conflict in conflicts where conflict.decision != .client {
      rows.insert(conflict.entity, conflict.identifier)
      if let existing = conflict.existing { rows.insert(conflict.entity, existing) }
    }
    if rows.isEmpty { return }
    outcome.stale += changes.updated.filter { rows.contains($0, $0.storage.identifier) }
    for (link, result) in zip(changes.inserted, outcome.inserted)
    where rows.contains(link, result.identifier) {
      outcome.stale.append(link)
    }
  }
}

/// The rows of the objects of one class that were inserted, in the order of the objects.
@Memberwise
private final class InsertedRows: IteratorProtocol {
  private let entity: EntityKey
  private var rows: ArraySlice<Int64>
  /// The versions of the rows that existed before.
  private let versions: SavedVersions?

  func next() -> (identifier: PersistentIdentifier, version: Int64)? {
    guard let row = rows.popFirst() else { return nil }
    return (PersistentIdentifier(entity, .row(row)), versions?[row] ?? 1)
  }
}

/// Some rows, by the names of their entities.
private struct RowSet {
  private var rows: [String: Set<Int64>] = [:]

  var isEmpty: Bool { rows.isEmpty }

  mutating func insert(_ entity: String, _ row: Int64) { rows[entity, default: []].insert(row) }

  /// Whether the row of an object, or the one that it has got, is among them.
  func contains(_ link: ObjectReference, _ identifier: PersistentIdentifier) -> Bool {
    guard let row = identifier.row else { return false }
    return rows[link.storage.description.name]?.contains(row) == true
  }
}
