internal import DepotProtocol
internal import DepotSQLite

/// A save whose rows come in parts, so that memory is limited.
struct UndoSave {
  private let run: UndoRun
  private let parts: UndoParts
  private let session: ChangeSession
  private let deferredValues = DeferredUniqueValues()

  init(_ run: UndoRun, _ parts: UndoParts) {
    self.run = run
    self.parts = parts
    session = ChangeSession(run.entities, run.write.control, client: run.write.connection)
    session.isUndo = true
    session.returning = parts.returning
    session.deferredValues = deferredValues
  }

  /// Writes all parts.
  ///
  /// `forEachPlan` calls a closure with the plans of rows or of links.
  func write(
    _ effect: inout WriteEffect,
    _ forEachPlan: (_ isOfLinks: Bool, _ write: (UndoPlan) throws -> Void) throws -> Void
  ) throws {
    do {
      let deletion = try beginDeletion()
      try forEachPlan(false) { try write($0, &effect) }
      try deferredValues.giveBackReferences(session.violate)
      try forEachPlan(true) { try write($0, &effect) }
      effect.rowsDeleted += try deletion.run()
      try deferredValues.giveBack(session.violate)
      try session.finish()
    } catch var error as DepotError {
      // The pointer into a part is meaningless to the client.
      error.at = nil
      throw error
    }
  }

  private func beginDeletion() throws -> Deletion {
    let deletion = Deletion(session)
    for (entity, identifiers) in parts.deletions.sorted(by: { $0.key < $1.key }) {
      _ = try deletion.add(identifiers, of: run.entities.catalog.layout(of: entity))
    }
    try deletion.detach()
    return deletion
  }

  private func write(_ plan: UndoPlan, _ effect: inout WriteEffect) throws {
    session.temporaries = [:]
    session.formerIdentifiers = plan.temporaries
    let result = try SaveRun(plan.request(), session).runPart()
    try session.applyLinkChanges()
    try plan.restoreVersions(run.entities)
    effect.add(result)
    try settle()
  }

  /// Forgets state that no later part needs.
  private func settle() throws {
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
