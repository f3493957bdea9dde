import DepotClient
import DepotProtocol
import DepotSQLite
import Foundation
import Glibc
import TestSupport
import Testing

/// Stores as a loss of power leaves them: each write that wasn't flushed is there, or not, or in part.
///
/// Proved by a disk that doesn't flush the state, with which sound stores are refused.
extension FaultTests {
  @Suite struct PowerLossTests {
    /// Everything that a few services did to one store, one after the other.
    private struct Story {
      var events: [DiskTrace.Event] = []
      /// How many calls were answered with success before each put was.
      var answersBefore: [Int] = []
      /// The names of the puts, in their order.
      var names: [String] = []
    }

    private static func work(
      _ connection: BlockingConnection,
      _ puts: [(rows: Int, bytes: Int)],
      _ story: inout Story,
      _ answers: inout Int
    ) throws {
      for put in puts {
        let name = "put \(story.names.count)"
        story.names.append(name)
        story.answersBefore.append(answers)
        try connection.put(name, rows: put.rows, bytes: put.bytes)
        answers += 1
      }
    }

    /// Services that are killed and stopped, with commits between, one of which makes a checkpoint due.
    private static func record() throws -> Story {
      let place = try Place()
      var story = Story()
      var answers = 0
      let small = [(1, 10), (3, 3000), (2, 500)]
      for (turn, ending) in ["kill", "stop", "kill", "stop"].enumerated() {
        let daemon = try place.start(
          tracing: [DiskTrace.expression],
          options: DiskTrace.options
        )
        guard let connection = place.connect(daemon) else {
          throw TestFailure(place.text(of: place.log))
        }
        if turn == 0 {
          try connection.define(.items())
          answers += 1
        }
        try work(connection, small, &story, &answers)
        // The log is copied, and begun anew by the next put.
        if turn == 2 { try work(connection, [(6, 720_000), (1, 10), (1, 10)], &story, &answers) }
        if ending == "kill" {
          daemon.signal(SIGKILL)
        } else {
          try connection.shutdown()
          answers += 1
        }
        daemon.wait()
        let text = try Data(contentsOf: URL(filePath: place.trace))
        story.events += try DiskTrace(text, folder: place.data).events
      }
      return story
    }

    /// Starts a daemon with files, and says what is wrong.
    private static func problem(
      _ files: [String: Data],
      _ story: Story,
      answers: Int,
      _ place: Place
    ) throws -> String? {
      for name in try FileManager.default.contentsOfDirectory(atPath: place.data) {
        try FileManager.default.removeItem(atPath: place.data + "/" + name)
      }
      for (name, data) in files { try data.write(to: URL(filePath: place.data + "/" + name)) }
      try? FileManager.default.removeItem(atPath: place.log)
      let daemon = try place.start()
      guard let connection = place.connect(daemon) else {
        return "refused with status \(daemon.wait()): \(place.text(of: place.log))"
      }
      defer {
        daemon.signal(SIGKILL)
        daemon.wait()
      }
      let acknowledged = zip(story.names, story.answersBefore).filter { $0.1 < answers }.map(\.0)
      // Before the schema there is nothing to be read.
      if answers == 0 { return nil }
      let found = try connection.names()
      let lost = acknowledged.filter { found[$0] == nil }
      return lost.isEmpty ? nil : "lost \(lost)"
    }

    /// The problems of some losses of power in a story.
    private static func problems(
      _ story: Story,
      trials: Int,
      ignoringFlushesOf liar: String? = nil,
      _ random: inout SeededGenerator
    ) throws -> [String] {
      let place = try Place()
      // Few events are more than writes of pages: all moments are equally likely otherwise.
      let moments = Set(
        (0..<trials).map { _ in Int.random(in: 1...story.events.count, using: &random) }
      )
      var result: [String] = []
      var disk = TracedDisk([:])
      for (index, event) in story.events.enumerated() {
        disk.follow(event, ignoringFlushesOf: liar)
        guard moments.contains(index + 1) || isTurning(event) && trials > 1000 else { continue }
        // Each file's writes are all there, all gone, or some of them are.
        for way in 0..<4 {
          var fates: [String: TracedDisk.Fate] = [:]
          for name in disk.unflushed {
            fates[name] = way == 0 ? .lost : TracedDisk.Fate.allCases.randomElement(using: &random)
          }
          let files = disk.afterLoss(fates, &random)
          let problem = try problem(files, story, answers: disk.answers, place)
          if let problem { result.append("event \(index), \(fates): \(problem)") }
          if disk.unflushed.isEmpty { break }
        }
      }
      return result
    }

    /// Checks that a log which has an answered commit is one of which the state on disk knows.
    private static func checkLogs(_ story: Story) throws {
      let place = try Place()
      var disk = TracedDisk([:])
      var random = SeededGenerator(seed: 0)
      for (index, event) in story.events.enumerated() {
        disk.follow(event)
        guard case .answer = event else { continue }
        let fates = disk.unflushed.map { ($0, TracedDisk.Fate.lost) }
        let files = disk.afterLoss(Dictionary(uniqueKeysWithValues: fates), &random)
        let store = URL(filePath: place.store).lastPathComponent
        guard let log = files[store + "-wal"], log.count > 32 else { continue }
        try #require(files[store + ".state"]).write(to: URL(filePath: place.store + ".state"))
        let state = try #require(try StateFile.state(of: place.store))
        let salt = log[16..<24].reduce(0) { $0 << 8 | UInt64($1) }
        #expect(salt == 0 || state.log == salt, "event \(index)")
      }
    }

    /// Whether what may be lost changes with an event.
    private static func isTurning(_ event: DiskTrace.Event) -> Bool {
      switch event {
      case .write(let file, _, _): file.hasSuffix(".state")
      default: true
      }
    }

    @Test func `nothing acknowledged is lost, and no sound store refused, when power fails`()
      async throws
    {
      try await onThread {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("The seed of the losses of power is \(seed).")
        var random = SeededGenerator(seed: seed)
        let story = try Self.record()
        try Self.checkLogs(story)
        let problems = try Self.problems(story, trials: triesAllPoints ? 2000 : 25, &random)
        #expect(problems == [], "seed \(seed)")
        var hasFailed = false
        for _ in 0..<20 where !hasFailed {
          hasFailed = try !Self.problems(
            story,
            trials: 10,
            ignoringFlushesOf: ".state",
            &random
          ).isEmpty
        }
        #expect(hasFailed, "a state that is never flushed must be noticed")
      }
    }
  }
}
