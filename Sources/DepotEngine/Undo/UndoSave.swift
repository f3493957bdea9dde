internal import DepotProtocol
internal import DepotSQLite

/// The save that undoes a transaction.
///
/// The rows of a large transaction come in parts, so that memory is limited.
struct UndoSave {
  private let run: UndoRun
  private let isInParts: Bool
  private let session: ChangeSession
  private let deferredValues = DeferredUniqueValues()

  init(_ run: UndoRun, _ parts: UndoParts? = nil) {
    self.run = run
    isInParts = parts != nil
    session = ChangeSession(run.entities, run.write.control, client: run.write.connection)
    session.isUndo = true
    session.returning = parts?.returning ?? ReturningRows()
    session.deferredValues = deferredValues
  }

  /// Deletes rows, and writes all parts.
  ///
  /// `forEachPlan` calls a closure with the plans of rows or of links.
  func write(
    deleting deletions: [String: [Int64]],
    _ effect: inout WriteEffect,
    _ forEachPlan: (_ isOfLinks: Bool, _ write: (UndoPlan) throws -> Void) throws -> Void
  ) throws {
    do {
      let deletion = try beginDeletion(deletions)
      try forEachPlan(false) { plan in
        try UndoWriting(plan, session).writeRows(&effect)
        try finishPart()
      }
      try deferredValues.giveBackReferences(session.violate)
      try forEachPlan(true) { plan in
        try UndoWriting(plan, session).writeLinks(&effect)
        try finishPart()
      }
      effect.rowsDeleted += try deletion.run()
      try deferredValues.giveBack(session.violate)
      try session.finish()
    } catch var error as DepotError {
      // The pointer into a part is meaningless to the client.
      error.at = nil
      throw error
    }
  }

  private func beginDeletion(_ deletions: [String: [Int64]]) throws -> Deletion {
    let deletion = Deletion(session)
    for (entity, identifiers) in deletions.sorted(by: { $0.key < $1.key }) {
      _ = try deletion.add(identifiers, of: run.entities.catalog.layout(of: entity))
    }
    try deletion.detach()
    return deletion
  }

  /// Changes links, and forgets state that no later part needs.
  private func finishPart() throws {
    try session.applyLinkChanges()
    guard isInParts else { return }
    let recorder = run.writer.recorder
    guard try !deferredValues.forgetReplaced() else {
      recorder.isHeld = false
      return try session.dropPassedChecks()
    }
    guard recorder.journal.arena.count <= run.writer.configuration.undo.waitingBytes else {
      throw DepotError(.tooManyRows, "Too many unique values were exchanged between distant rows.")
        .hint("Undo it row by row, or restore a backup from before the transaction.")
    }
  }
}
