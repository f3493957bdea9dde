import DepotLinux
import Foundation
import Testing

/// What a client process does: the test program is run again with a plan in its environment.
@Suite
struct ProofWorker {
  /// The variable that holds the plan.
  static let variable = "DEPOT_PROOF_PLAN"

  private static var plan: ProofPlan? {
    ProcessInfo.processInfo.environment[variable]
      .flatMap { try? JSONDecoder().decode(ProofPlan.self, from: Data($0.utf8)) }
  }

  @Test(.enabled(if: Self.plan != nil))
  func `a client process works as planned`() throws {
    let plan = try #require(Self.plan)
    try Self.work(plan) { getppid() != plan.parent }
  }

  /// Does what a plan says, until its folder says that it is to stop.
  ///
  /// - Parameters:
  ///   - plan: What to do.
  ///   - isAbandoned: Whether nobody waits for it any more.
  /// - Throws: What a file that can't be written is an error of.
  static func work(
    _ plan: ProofPlan,
    isAbandoned: @escaping @Sendable () -> Bool = { false }
  ) throws {
    let hasStopped: @Sendable () -> Bool = {
      FileManager.default.fileExists(atPath: plan.folder + "/stop") || isAbandoned()
    }
    let isQuiet: @Sendable () -> Bool = {
      FileManager.default.fileExists(atPath: plan.folder + "/quiet") || isAbandoned()
    }
    let watchers = plan.hasNotes ? 2 : 0
    try inParallel(plan.sessions + plan.subscribers + watchers) { index in
      do {
        let name = "\(plan.name).\(index)"
        let session = try ProofSession(
          name: name,
          socket: plan.socket,
          folder: plan.folder,
          isOver: isAbandoned
        )
        if index < plan.sessions {
          var work = ProofWorkload(
            plan,
            session,
            number: plan.number * 16 + Int64(index),
            seed: plan.seed &+ UInt64(index)
          )
          var notes = NoteWorkload(plan, session, seed: plan.seed &+ UInt64(index))
          while !hasStopped() {
            try work.step()
            if plan.hasNotes { try notes.step() }
          }
        } else if index >= plan.sessions + plan.subscribers {
          let watcher = NoteWatcher(session, plan, isAbandoned: isAbandoned)
          if index == plan.sessions + plan.subscribers {
            try watcher.watchHistory(until: isQuiet)
          } else {
            try watcher.watchCount(until: isQuiet)
          }
        } else {
          let queries = [
            CellQuery(), CellQuery(limit: 5), CellQuery(bin: 1, limit: 6), CellQuery(bin: 2),
          ]
          var subscriber = ProofSubscriber(
            session,
            queries[(index + Int(plan.number % 4)) % queries.count]
          )
          try subscriber.run(until: isQuiet)
        }
        let end = "\(plan.folder)/\(name).ended"
        _ = FileManager.default.createFile(atPath: end, contents: nil)
      } catch is ProofSession.GivenUp {
        return
      }
    }
  }
}
