import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

/// A service and the processes that work on it for some rounds, each of which is checked.
final class ProofRun {
  let daemon: TestDaemon
  let seed: UInt64
  /// Where the recordings are; it stays there if anything was found.
  let folder: String
  private var generator: SeededGenerator
  private var core: [Int64] = []
  private(set) var features: Set<String> = []
  private var processCount: Int64 = 0
  private var roundCount = 0
  private(set) var kills = (clients: 0, services: 0, takeovers: 0)
  private var notes: [Int64] = []
  private var labels: [Int64] = []
  private(set) var counts = Counts()

  /// What was checked, so that a run in which nothing happens isn't taken for a proof.
  struct Counts {
    var written = 0
    var refused = 0
    var read = 0
    /// Moments that were pinned and read.
    var pinned = 0
    /// Saves that depend on what was read before them.
    var decided = 0
    /// Writes that were sent again.
    var repeated = 0
    var frames = 0
    /// How often a subscriber went on after a lost connection.
    var resumed = 0
    /// What deadlines and cancelling have ended.
    var hurried = 0
    var notes = NoteChecker.Counts()

    mutating func add(_ more: NoteChecker.Counts) {
      notes.merged += more.merged
      notes.storeTrumps += more.storeTrumps
      notes.linked += more.linked
      notes.undone += more.undone
      notes.redone += more.redone
      notes.counted += more.counted
      notes.watched += more.watched
    }

    mutating func add(_ history: History, _ repetitions: Int) {
      for transaction in history.transactions {
        switch (transaction.outcome, transaction.writes.isEmpty) {
        case (.refused, _): refused += 1
        case (_, true): read += 1
        case (_, false): written += 1
        }
        if !transaction.answers.isEmpty { pinned += 1 }
        if !transaction.writes.isEmpty, !transaction.reads.isEmpty { decided += 1 }
      }
      for frame in history.subscriptions.flatMap(\.frames) {
        frames += 1
        if frame["kind"]?.string == "resume" { resumed += 1 }
      }
      repeated += repetitions
    }
  }

  /// How a round is made.
  struct Round {
    var seconds: Double
    var workers = 4
    var sessions = 2
    var subscribers = 2
    /// Whether clients and the service are killed.
    var hasKills = true
    /// Whether the clients are threads of this process.
    var isInProcess = false
    /// Where the clients connect, if not to the service.
    var socket: String?
    /// Whether there is work on notes.
    var hasNotes: Bool { socket == nil && whileAway == nil }
    /// What happens to the store's files while a killed service is away.
    var whileAway: ((_ store: String) throws -> Void)?
  }

  init(seed: UInt64) throws {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
    folder = "/tmp/depot-proof-\(getpid())-\(seed)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    daemon = try TestDaemon(
      schema: """
        {"entities":[{"name":"Cell","attributes":[{"name":"bin","type":"int64","indexed":true},\
        {"name":"value","type":"int64"}]},\
        {"name":"Note","attributes":[{"name":"a","type":"int64"},{"name":"b","type":"int64"}],\
        "relationships":[{"name":"labels","destination":"Label","toMany":true,"inverse":"notes"}]},\
        {"name":"Label","attributes":[],\
        "relationships":[{"name":"notes","destination":"Note","toMany":true,"inverse":"labels"}]}]}
        """
    )
    let connection = try RawConnection(daemon.socket)
    let rows = (1...16).map { "[\($0 % 4),\($0)]" }.joined(separator: ",")
    try connection.call(
      1,
      "insert",
      #"{"entity":"Cell","columns":["bin","value"],"rows":[\#(rows)]}"#
    )
    core =
      try connection.receiveAnswer(of: 1).terminal["ok", "ids"]?.array?.compactMap(\.int64) ?? []
    let more =
      #"{"entity":"Note","columns":["a","b"],"rows":[[0,0],[1,1],[2,2],[3,3],[4,0],[5,1]]}"#
    try connection.call(2, "insert", more)
    notes =
      try connection.receiveAnswer(of: 2).terminal["ok", "ids"]?.array?.compactMap(\.int64) ?? []
    let links = notes.prefix(3).map { "[[\($0)]]" }.joined(separator: ",")
    let labelled = #"{"entity":"Label","columns":["notes"],"rows":[\#(links)]}"#
    try connection.call(3, "insert", labelled)
    labels =
      try connection.receiveAnswer(of: 3).terminal["ok", "ids"]?.array?.compactMap(\.int64) ?? []
    try connection.call(4, "describe")
    let description = try connection.receiveAnswer(of: 4).terminal["ok"] ?? .null
    for operation in description["operations"]?.array ?? [] {
      guard let name = operation["name"]?.string else { continue }
      if ["watch", "pin"].contains(name) { features.insert(name) }
      if name == "save", operation["args"]?.text.contains(#""read""#) == true {
        features.insert("versions")
      }
    }
  }

  /// Runs a round and returns what is wrong with its history.
  func run(_ round: Round) async throws -> [Violation] {
    // because nothing else is done with either until the round is over
    nonisolated(unsafe) let (run, round) = (self, round)
    return try await onThread { try run.performed(round) }
  }

  private func performed(_ round: Round) throws -> [Violation] {
    roundCount += 1
    let place = "\(folder)/\(roundCount)"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    let recorder = try Recorder(place + "/initial.ndjson")
    recorder.note("initial", "initial-\(roundCount)", try rows())
    let before = try noteState()
    if round.isInProcess {
      try workInProcess(round, place)
    } else {
      try workInProcesses(round, place)
    }
    recorder.note("final", "final", try rows())
    let reader = try RecordingReader(folder: place)
    let history = reader.history
    counts.add(history, reader.repetitionCount)
    counts.hurried += reader.hurriedCount
    var violations = HistoryChecker.check(history)
    if round.hasNotes {
      let found = try checkNotes(place, before)
      violations += found.violations
      counts.add(found.counts)
    }
    if violations.isEmpty {
      try FileManager.default.removeItem(atPath: place)
    } else {
      try? FileManager.default.copyItem(atPath: daemon.folder.path, toPath: place + "/service")
      let text = violations.map(\.description).joined(separator: "\n")
      try Data(text.utf8).write(to: URL(filePath: place + "/violations"))
    }
    return violations
  }

  /// The notes, and the moment that they are of.
  private func noteState() throws -> (state: NoteState, head: HistoryToken) {
    let head = try daemon.connect().historyStatus().head
    return (try NoteState.current(RawConnection(daemon.socket), call: 1), head)
  }

  private func checkNotes(
    _ place: String,
    _ before: (state: NoteState, head: HistoryToken)
  ) throws -> (violations: [Violation], counts: NoteChecker.Counts) {
    var transactions: [HistoryTransaction] = []
    try daemon.connect().history(HistoryRequest(since: .token(before.head))) {
      if transactions.last?.token == $0.token {
        transactions[transactions.count - 1].changes += $0.changes
      } else {
        transactions.append($0)
      }
    }
    let final = try noteState().state
    return try NoteChecker.check(place, initial: before.state, transactions, final: final)
  }

  /// Removes the recordings.
  func discard() { try? FileManager.default.removeItem(atPath: folder) }

  // MARK: Clients

  private func plan(_ round: Round, _ place: String) -> ProofPlan {
    processCount += 1
    return ProofPlan(
      name: "w\(processCount)",
      number: processCount,
      seed: generator.next(),
      socket: round.socket ?? daemon.socket,
      folder: place,
      sessions: round.sessions,
      subscribers: features.contains("watch") ? round.subscribers : 0,
      hasNotes: round.hasNotes && features.contains("watch"),
      core: core,
      notes: notes,
      labels: labels,
      features: features,
      parent: getpid()
    )
  }

  private func mark(_ name: String, in place: String) {
    _ = FileManager.default.createFile(atPath: place + "/" + name, contents: nil)
  }

  /// Waits until the sessions of the plans have ended.
  private func awaitSessions(_ plans: [ProofPlan], _ place: String) throws {
    let names = plans.flatMap { plan in (0..<plan.sessions).map { "\(plan.name).\($0).ended" } }
    let isOver: Bool? = poll {
      names.allSatisfy { FileManager.default.fileExists(atPath: place + "/" + $0) } ? true : nil
    }
    if isOver == nil { throw ProofFailure("clients don't end; see \(place) and \(daemon.log)") }
  }

  private func workInProcess(_ round: Round, _ place: String) throws {
    let plans = (0..<round.workers).map { _ in plan(round, place) }
    let failures = Shared<[String]>([])
    let isEnded = Counter()
    let isAbandoned = Flag()
    for plan in plans {
      try DepotLinux.Thread.start(name: "proof") {
        do {
          try ProofWorker.work(plan) { isAbandoned.value }
        } catch {
          failures.change { $0.append("\(error)") }
        }
        isEnded.add()
      }
    }
    defer { isAbandoned.set() }
    try inject(round, until: Recorder.now + Int64(round.seconds * 1e9), kill: nil)
    mark("stop", in: place)
    try awaitSessions(plans, place)
    mark("quiet", in: place)
    let hasEnded: Bool? = poll { isEnded.value == plans.count ? true : nil }
    if hasEnded == nil || !failures.value.isEmpty {
      throw ProofFailure("clients failed: \(failures.value); see \(place)")
    }
  }

  private func start(_ plan: ProofPlan) throws -> Program {
    let plan = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return try Program(
      [program, "--testing-library", "swift-testing", "--filter", "ServiceTests.ProofWorker"],
      environment: [ProofWorker.variable: plan]
    )
  }

  private func workInProcesses(_ round: Round, _ place: String) throws {
    var clients: [(plan: ProofPlan, program: Program)] = []
    for _ in 0..<round.workers {
      let plan = plan(round, place)
      clients.append((plan, try start(plan)))
    }
    // The time begins when all clients work.
    let names = clients.map { "\(place)/\($0.plan.name).0.ndjson" }
    let isStarted: Bool? = poll {
      names.allSatisfy { FileManager.default.fileExists(atPath: $0) } ? true : nil
    }
    if isStarted == nil { throw ProofFailure("clients don't start; see \(place)") }
    try inject(round, until: Recorder.now + Int64(round.seconds * 1e9)) { [self] isPause in
      let index = Int.random(in: clients.indices, using: &generator)
      let client = clients[index].program.process
      if isPause {
        client.signal(SIGSTOP)
        DepotLinux.Process.sleep(milliseconds: 400)
        client.signal(SIGCONT)
        return
      }
      client.kill()
      kills.clients += 1
      let plan = plan(round, place)
      clients[index] = (plan, try start(plan))
    }
    mark("stop", in: place)
    try awaitSessions(clients.map(\.plan), place)
    try settle(place)
    mark("quiet", in: place)
    for client in clients {
      let outcome = try client.program.wait()
      if outcome.status != 0 {
        throw ProofFailure("a client failed: \(outcome.output) \(outcome.errors)")
      }
    }
  }

  /// Sends again what killed clients got no answer to.
  private func settle(_ place: String) throws {
    let pending = try RecordingReader(folder: place).pending
    let session = try ProofSession(
      name: "settle",
      socket: daemon.socket,
      folder: place,
      isOver: { false }
    )
    for (name, write) in pending.sorted(by: { $0.key < $1.key }) {
      _ = try session.perform(write.call, write.arguments.text, name: name, isWrite: true)
    }
  }

  /// Kills and stops processes at random until a time.
  private func inject(
    _ round: Round,
    until end: Int64,
    kill body: ((_ isPause: Bool) throws -> Void)?
  ) throws {
    while Recorder.now < end {
      let pause = UInt32.random(in: 300...1500, using: &generator)
      let left = max(0, (end - Recorder.now) / 1_000_000)
      DepotLinux.Process.sleep(milliseconds: min(pause, UInt32(left)))
      guard round.hasKills, Recorder.now < end else { continue }
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4:
        daemon.kill()
        kills.services += 1
        try round.whileAway?(daemon.store)
        try daemon.start()
      case 4:
        let status = try daemon.terminate()
        if status != 0 { throw ProofFailure("the service ended with status \(status)") }
        try daemon.start()
      case 5:
        let status = try daemon.takeOver()
        kills.takeovers += 1
        if status != 0 { throw ProofFailure("the service that was replaced ended with \(status)") }
      case 6: try body?(true)
      default: try body?(false)
      }
    }
  }

  /// All rows, as members of a recording.
  private func rows() throws -> String {
    let connection = try RawConnection(daemon.socket)
    try connection.call(1, "fetch", CellQuery().arguments)
    let rows = try connection.receiveAnswer(of: 1).next.flatMap { $0["next"]?.array ?? [] }
    return #","rows":\#(JSONValue.array(rows).text)"#
  }
}

/// What went wrong with the means rather than with what is proved.
struct ProofFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
