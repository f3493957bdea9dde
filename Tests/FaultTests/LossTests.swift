import DepotClient
import DepotProtocol
import DepotSQLite
import Foundation
import Glibc
import TestSupport
import Testing

/// Files of a store that are missing, older, cut, or another store's.
extension FaultTests {
  @Suite struct LossTests {
    /// The files of a store at a moment, by suffix.
    typealias Files = [String: Data]

    private static let suffixes = ["", "-wal", ".state"]

    static func files(_ place: Place) throws -> Files {
      var result: Files = [:]
      for suffix in suffixes {
        result[suffix] = FileManager.default.contents(atPath: place.store + suffix)
      }
      return result
    }

    static func put(_ files: Files, _ place: Place) throws {
      for name in try FileManager.default.contentsOfDirectory(atPath: place.data)
      where !name.hasSuffix(".lock") {
        try FileManager.default.removeItem(atPath: place.data + "/" + name)
      }
      for (suffix, data) in files { try data.write(to: URL(filePath: place.store + suffix)) }
    }

    /// The same store at several moments, and another one.
    struct Moments {
      let place: Place
      /// After a clean stop, with the first rows.
      let closed: Files
      /// Killed, with the rows after those in a log of its own.
      let killed: Files
      /// Killed later: another log, of which this is a part.
      let part: Files
      /// Killed at last.
      let last: Files
      /// The store after its last clean stop.
      let end: Files
      let foreign: Files

      init() throws {
        place = try Place()
        var (daemon, connection) = try place.serve()
        try connection.define(.items())
        for number in 0..<5 { try connection.put("first \(number)", rows: 3) }
        try connection.shutdown()
        daemon.wait()
        closed = try LossTests.files(place)
        (daemon, connection) = try place.serve()
        for number in 0..<7 { try connection.put("second \(number)", rows: 2, bytes: 3000) }
        daemon.signal(SIGKILL)
        daemon.wait()
        killed = try LossTests.files(place)
        (daemon, connection) = try place.serve()
        for number in 0..<6 { try connection.put("third \(number)") }
        part = try LossTests.files(place)
        for number in 6..<12 { try connection.put("third \(number)") }
        daemon.signal(SIGKILL)
        daemon.wait()
        last = try LossTests.files(place)
        (daemon, connection) = try place.serve()
        try connection.shutdown()
        daemon.wait()
        end = try LossTests.files(place)

        let other = try Place()
        (daemon, connection) = try other.serve()
        try connection.define(.items())
        for number in 0..<9 { try connection.put("foreign \(number)") }
        daemon.signal(SIGKILL)
        daemon.wait()
        foreign = try LossTests.files(other)
      }

      /// Returns what would be in the file of the last state if it were another.
      func state(_ change: (inout DurableState) -> Void) throws -> Data {
        let store = place.folder + "/changed"
        try (last[".state"] ?? Data()).write(to: URL(filePath: store + ".state"))
        var state = try #require(try StateFile.state(of: store))
        change(&state)
        try StateFile.set(state, beside: store)
        return try Data(contentsOf: URL(filePath: store + ".state"))
      }

      /// How many commits put rows that aren't there; each of them put rows of its own name.
      func missing(_ names: [String: Int]) -> Int {
        let all =
          (0..<5).map { "first \($0)" } + (0..<7).map { "second \($0)" }
          + (0..<12).map { "third \($0)" }
        return all.count { names[$0] == nil }
      }
    }

    private struct Kind {
      var name: String
      var files: Files
      /// The suffix of the file that is named.
      var file: String
      /// Whether what is there can be written to when the loss was accepted.
      var isWhole = true
      /// Whether the log goes with the file all the same, and is kept.
      var keepsLog = false
    }

    static func used(_ log: Data) -> Int { (log.lastIndex { $0 != 0 } ?? 0) + 1 }

    private static func kinds(_ moments: Moments) throws -> [Kind] {
      let last = moments.last
      let log = try #require(last["-wal"])
      let main = try #require(last[""])
      let used = used(log)
      let frame = Place.frameSize
      func change(_ suffix: String, _ data: Data?) -> Files {
        var files = last
        files[suffix] = data
        return files
      }
      func flipped(_ offset: Int) -> Data {
        var damaged = log
        damaged[offset] ^= 16
        return damaged
      }
      var zeroed = log
      zeroed.replaceSubrange(0..<32, with: Data(count: 32))
      var gap = log
      gap.replaceSubrange(32 + frame..<32 + 2 * frame, with: Data(count: frame))
      var state = try #require(last[".state"])
      state[20] ^= 1
      state[DurableState.distance + 20] ^= 1
      // As it is on disk if power fails when a log was just begun.
      let begun = try moments.state { state in
        state.nextLog = state.log
        (state.log, state.frames, state.copiedFrames, state.sum) = (0, 0, 0, 0)
        state.commits -= 12
      }
      var damagedSince = change("-wal", flipped(32 + (used - 32) / frame * 3 / 4 * frame + 500))
      var damagedAfterBegin = damagedSince
      (damagedSince[".state"], damagedAfterBegin[".state"]) = (moments.part[".state"], begun)
      var oldPair = moments.killed
      oldPair[".state"] = last[".state"]
      var otherPair = moments.foreign
      otherPair[".state"] = last[".state"]
      func afterEnd(_ suffix: String, _ data: Data?) -> Files {
        var files = moments.end
        files[suffix] = data
        return files
      }
      return [
        Kind(name: "the log removed", files: change("-wal", nil), file: "-wal"),
        Kind(name: "the log empty", files: change("-wal", Data()), file: "-wal"),
        Kind(name: "the log's header alone", files: change("-wal", log.prefix(32)), file: "-wal"),
        Kind(
          name: "the log cut between frames",
          files: change("-wal", log.prefix(32 + (used - 32) / frame / 2 * frame)),
          file: "-wal"
        ),
        Kind(
          name: "the log cut in a frame",
          files: change("-wal", log.prefix(used / 2)),
          file: "-wal"
        ),
        Kind(
          name: "the log without its last commit",
          files: change("-wal", log.prefix(used - 100)),
          file: "-wal"
        ),
        Kind(name: "the log's header zero", files: change("-wal", zeroed), file: "-wal"),
        Kind(name: "the log's header damaged", files: change("-wal", flipped(17)), file: "-wal"),
        Kind(name: "the log damaged early", files: change("-wal", flipped(200)), file: "-wal"),
        Kind(name: "the log damaged late", files: change("-wal", flipped(used - 9)), file: "-wal"),
        Kind(name: "a frame of the log zero", files: change("-wal", gap), file: "-wal"),
        Kind(name: "the log older", files: change("-wal", moments.part["-wal"]), file: "-wal"),
        Kind(
          name: "the log of an earlier time",
          files: change("-wal", moments.killed["-wal"]),
          file: "-wal"
        ),
        Kind(name: "another's log", files: change("-wal", moments.foreign["-wal"]), file: "-wal"),
        Kind(name: "the file removed", files: change("", nil), file: ""),
        Kind(name: "the file empty", files: change("", Data()), file: ""),
        Kind(
          name: "the file cut between pages",
          files: change(
            "",
            main.prefix(main.count / Place.pageSize / 2 * Place.pageSize)
          ),
          file: "",
          isWhole: false,
          keepsLog: true
        ),
        Kind(
          name: "the file cut in a page",
          files: change("", main.dropLast(1000)),
          file: "",
          isWhole: false,
          keepsLog: true
        ),
        Kind(
          name: "the log damaged behind what the state knows",
          files: damagedSince,
          file: "-wal",
          keepsLog: true
        ),
        Kind(
          name: "the log damaged, and a state from before it",
          files: damagedAfterBegin,
          file: "-wal",
          keepsLog: true
        ),
        Kind(name: "the file older", files: change("", moments.killed[""]), file: ""),
        Kind(name: "the file much older", files: change("", moments.closed[""]), file: ""),
        Kind(name: "another's file", files: change("", moments.foreign[""]), file: ""),
        Kind(name: "file and log older", files: oldPair, file: ""),
        Kind(name: "file and log of another", files: otherPair, file: ""),
        Kind(name: "file and log removed", files: [".state": last[".state"] ?? Data()], file: ""),
        Kind(name: "the state removed", files: change(".state", nil), file: ".state"),
        Kind(name: "the state damaged", files: change(".state", state), file: ".state"),
        Kind(name: "closed, the file removed", files: afterEnd("", nil), file: ""),
        Kind(name: "closed, the file older", files: afterEnd("", moments.closed[""]), file: ""),
        Kind(
          name: "closed, another's log",
          files: afterEnd("-wal", moments.foreign["-wal"]),
          file: "-wal"
        ),
        Kind(
          name: "closed, an old log",
          files: afterEnd("-wal", moments.killed["-wal"]),
          file: "-wal"
        ),
      ]
    }

    /// Proved by what is missing when the loss is accepted.
    @Test func `every lost, cut, older, or foreign file is noticed, and nothing is changed`()
      async throws
    {
      try await onThread {
        let moments = try Moments()
        let place = moments.place
        var lost = 0
        for kind in try Self.kinds(moments) {
          try Self.put(kind.files, place)
          let check = try place.check()
          #expect(check.status == 74, "\(kind.name): \(check.output)")
          #expect(
            check.output.contains("\(place.store)\(kind.file) "),
            "\(kind.name): \(check.output)"
          )
          try? FileManager.default.removeItem(atPath: place.log)
          let refused = try place.start()
          #expect(place.connect(refused) == nil, "\(kind.name)")
          #expect(refused.wait() == 74, "\(kind.name)")
          let text = place.text(of: place.log)
          #expect(text.contains("--accept-loss"), "\(kind.name): \(text)")
          #expect(try Self.files(place) == kind.files, "\(kind.name)")

          var (daemon, connection) = try place.serve(["--accept-loss"])
          if kind.keepsLog {
            let aside = place.store + "-wal.lost-1"
            #expect(!FileManager.default.fileExists(atPath: aside), "\(kind.name)")
          }
          let names = (try? connection.names()) ?? [:]
          let missing = moments.missing(names)
          if missing > 0 { lost += 1 }
          let told = check.output.firstMatch(of: /At most (\d+) commit/).flatMap { Int($0.1) }
          if let told { #expect(missing <= told, "\(kind.name): \(missing), \(check.output)") }
          // The schema may be gone with everything else.
          if kind.isWhole {
            try connection.define(.items())
            try connection.put("later")
          }
          try connection.shutdown()
          #expect(daemon.wait() == 0, "\(kind.name)")
          (daemon, connection) = try place.serve()
          try connection.ping()
          try connection.shutdown()
          #expect(daemon.wait() == 0, "\(kind.name)")
        }
        #expect(lost > 15)
      }
    }

    /// Proved by those above, of which these differ little.
    @Test func `what a kill, a loss of power, or a copy leaves is served`() async throws {
      try await onThread {
        let moments = try Moments()
        let place = moments.place
        let last = moments.last
        func expect(_ name: String, _ files: Files, missing: Int) throws {
          try Self.put(files, place)
          let (daemon, connection) = try place.serve()
          #expect(moments.missing(try connection.names()) == missing, "\(name)")
          try connection.put("later")
          try connection.shutdown()
          #expect(daemon.wait() == 0, "\(name)")
          #expect(try place.check().status == 0, "\(name)")
        }
        try expect("as it was killed", last, missing: 0)
        try expect("as it was closed", moments.end, missing: 0)
        try expect("the closed file alone", ["": moments.end[""] ?? Data()], missing: 0)
        var closed = moments.end
        closed["-wal"] = nil
        try expect("closed, without its empty log", closed, missing: 0)
        // The state isn't flushed with each commit; power may leave an older one, and a torn commit.
        var torn = last
        torn[".state"] = moments.part[".state"]
        try expect("an older state", torn, missing: 0)
        let log = try #require(last["-wal"])
        torn["-wal"] = log.prefix(Self.used(log) - 100)
        try expect("an older state and a torn commit", torn, missing: 1)
        torn[".state"] = try moments.state { state in
          state.nextLog = state.log
          (state.log, state.frames, state.copiedFrames, state.sum) = (0, 0, 0, 0)
        }
        try expect("a state from before the log, and a torn commit", torn, missing: 1)
        torn["-wal"] = log
        try expect("a state from before the log", torn, missing: 0)
        for files in try Self.torn(moments) {
          try Self.put(files, place)
          let check = try place.check()
          #expect(check.status == 74 && check.output.contains("half written"), "\(check.output)")
          try expect("a first page that is half written", files, missing: 0)
        }
        // Somebody who removes a closed store wants another.
        try Self.put([".state": moments.end[".state"] ?? Data()], place)
        let (daemon, connection) = try place.serve()
        try connection.define(.items())
        #expect(try connection.names().isEmpty)
        try connection.shutdown()
        daemon.wait()
      }
    }

    /// The store after its last clean stop, with the first page as a loss of power tears it.
    private static func torn(_ moments: Moments) throws -> [Files] {
      let main = try #require(moments.end[""])
      try #require(moments.end[".state"])
        .write(to: URL(filePath: moments.place.folder + "/end.state"))
      let state = try #require(try StateFile.state(of: moments.place.folder + "/end"))
      let before = Array(main.prefix(Place.pageSize))
      let after = DatabaseHeader.sealing(before, stamp: state.nextStamp)
      return [before[..<512] + after[512...], after[..<512] + before[512...]].map { page in
        var files = moments.end
        files[""] = Data(page) + main.dropFirst(Place.pageSize)
        return files
      }
    }
  }
}
