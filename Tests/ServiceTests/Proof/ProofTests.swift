import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

/// What clients of several processes do at once, checked as a whole; and proofs that the check can
/// fail.
///
/// `DEPOT_PROOF_SECONDS` says how long, `DEPOT_PROOF_SEED` repeats what chance decided.
@Suite(.serialized)
struct ProofTests {
  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name]
  }

  @Test(.enabled(if: Self.variable(ProofWorker.variable) == nil))
  func `what clients saw is one history, though they and the service are killed`() async throws {
    let seed = Self.variable("DEPOT_PROOF_SEED").flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    let seconds = Self.variable("DEPOT_PROOF_SECONDS").flatMap { Double($0) } ?? 10
    print("The seed of the clients' work is \(seed).")
    let run = try ProofRun(seed: seed)
    let end = Recorder.now + Int64(seconds * 1e9)
    // A short run needn't meet what is rare; on a busy machine a longer one takes more time for it.
    let isShort = seconds < 10
    let latest = isShort ? end : end + 180_000_000_000
    while Recorder.now < (Self.hasMetAll(run) ? end : latest) {
      let left = Double(end - Recorder.now) / 1e9
      let violations = try await run.run(.init(seconds: left < 0 ? 10 : min(10, max(1, left))))
      guard violations.isEmpty else {
        Issue.record(
          """
          seed \(seed), recordings in \(run.folder):
          \(violations.prefix(20).map(\.description).joined(separator: "\n"))
          """
        )
        return
      }
    }
    let counts = run.counts
    print(
      "Killed \(run.kills.clients) clients and \(run.kills.services) services, replaced \(run.kills.takeovers); checked \(counts)."
    )
    #expect(min(counts.written, counts.read) > 100)
    #expect(min(counts.pinned, counts.decided, counts.hurried) > 0)
    let notes = counts.notes
    #expect(min(notes.merged, notes.linked, notes.undone, notes.counted, notes.watched) > 0)
    #expect(isShort || Self.hasMetAll(run))
    run.discard()
  }

  /// Whether each rare thing has happened at least once.
  private static func hasMetAll(_ run: ProofRun) -> Bool {
    let (counts, notes) = (run.counts, run.counts.notes)
    return run.kills.takeovers > 0
      && min(counts.repeated, counts.resumed, notes.storeTrumps, notes.redone) > 0
  }

  @Test(arguments: PlantedBug.allCases)
  func `a service that is broken on purpose is found out`(bug: PlantedBug) async throws {
    let run = try ProofRun(seed: 7)
    defer { run.discard() }
    if let feature = bug.feature, !run.features.contains(feature) { return }
    var kinds: Set<Violation.Kind> = []
    var count = 0
    // What a bug does to clients depends on how they meet.
    for round in 0..<8 where kinds.isDisjoint(with: bug.findings) {
      let socket = "\(run.daemon.folder.path)/p\(round)"
      let proxy = try FaultyProxy(bug, socket: socket, service: run.daemon.socket)
      defer { proxy.end() }
      let violations = try await run.run(
        .init(seconds: 0.5, hasKills: false, isInProcess: true, socket: socket)
      )
      count += proxy.count
      kinds.formUnion(violations.map(\.kind))
    }
    #expect(count > 0, "the bug was never there")
    #expect(!kinds.isDisjoint(with: bug.findings), "found \(kinds) instead")
  }

  @Test func `a service that isn't broken isn't blamed`() async throws {
    let run = try ProofRun(seed: 8)
    let violations = try await run.run(.init(seconds: 1.5, hasKills: false, isInProcess: true))
    #expect(violations == [])
    if violations.isEmpty { run.discard() }
  }

  /// The store's files are those of an earlier time, as after a loss of power with a lying disk.
  @Test func `writes that were acknowledged and forgotten in a crash are found`() async throws {
    let run = try ProofRun(seed: 9)
    defer { run.discard() }
    let store = run.daemon.store
    let files = ["", "-wal", ".state"]
    var kinds: Set<Violation.Kind> = []
    for file in files where FileManager.default.fileExists(atPath: store + file) {
      try FileManager.default.copyItem(atPath: store + file, toPath: store + file + ".old")
    }
    var hasForgotten = false
    let round = ProofRun.Round(
      seconds: 4,
      isInProcess: true,
      whileAway: { store in
        guard !hasForgotten else { return }
        hasForgotten = true
        for file in files { try? FileManager.default.removeItem(atPath: store + file) }
        for file in files where FileManager.default.fileExists(atPath: store + file + ".old") {
          try FileManager.default.copyItem(atPath: store + file + ".old", toPath: store + file)
        }
      }
    )
    for _ in 0..<3 where kinds.isDisjoint(with: [.lostWrite]) {
      kinds.formUnion(try await run.run(round).map(\.kind))
    }
    #expect(kinds.contains(.lostWrite), "found \(kinds) instead")
  }
}
