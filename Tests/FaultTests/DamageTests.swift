import DepotClient
import DepotEngine
import DepotProtocol
import DepotSQLite
import Foundation
import Glibc
import TestSupport
import Testing

/// Files damaged by hand.
extension FaultTests {
  @Suite struct DamageTests {
    /// Makes a store of a few hundred rows.
    ///
    /// The state as it was before the last commit is kept beside it.
    private static func makeStore(isClean: Bool = true) throws -> Place {
      let place = try Place()
      let (daemon, connection) = try place.serve()
      try connection.define(.items())
      for index in 0..<20 {
        if index == 19 {
          try Self.write(Self.bytes(place.store + ".state"), place.folder + "/before")
        }
        try connection.put("\(index)", rows: 10, bytes: 20 + index * 7)
      }
      if isClean { try connection.shutdown() } else { daemon.signal(SIGKILL) }
      daemon.wait()
      return place
    }

    private static func bytes(_ path: String) throws -> Data {
      try Data(contentsOf: URL(filePath: path))
    }

    private static func write(_ data: Data, _ path: String) throws {
      try data.write(to: URL(filePath: path))
    }

    /// All that the tables of rows hold, or `nil` if SQLite can't read it.
    private static func records(_ path: String) -> [[SQLiteValue]]? {
      var result: [[SQLiteValue]] = []
      do {
        let connection = try Connection(path: path, access: .reader)
        try connection.statement("SELECT * FROM e_Item ORDER BY id").run { row in
          result.append((0..<row.columnCount).map { row[$0] })
        }
        return result
      } catch {
        return nil
      }
    }

    /// Whether a flip went unnoticed although it changed a record.
    private static func isSilent(_ path: String, _ original: [[SQLiteValue]]) -> Bool {
      guard let problems = try? Store.check(path: path) else { return false }
      return problems.isEmpty && records(path) != original
    }

    /// Proved by a row that is deleted behind the service, which nothing can notice.
    @Test func `every bit flip that changes a record is noticed`() async throws {
      let (effective, silent, proof) = try await onThread {
        let place = try Self.makeStore()
        let sound = try Self.bytes(place.store)
        let original = try #require(Self.records(place.store))
        let seed = UInt64.random(in: 1...999_999)
        print("The seed of the bits is \(seed).")
        var generator = SeededGenerator(seed: seed)
        var effective = 0
        var silent: [String] = []
        for _ in 0..<(triesAllPoints ? 10_000 : 500) {
          let offset = Int.random(in: 0..<sound.count, using: &generator)
          let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
          var damaged = sound
          damaged[offset] ^= bit
          try Self.write(damaged, place.store)
          if Self.records(place.store) != original { effective += 1 }
          if Self.isSilent(place.store, original) { silent.append("\(offset):\(bit)") }
        }
        try Self.write(sound, place.store)
        do {
          let connection = try Connection(path: place.store, access: .writer)
          try connection.execute("DELETE FROM e_Item WHERE id = 7")
          _ = try connection.checkpoint(.truncate)
        }
        return (effective, silent, Self.isSilent(place.store, original))
      }
      #expect(silent == [])
      #expect(effective > 20)
      #expect(proof, "a row that is gone without a trace can't be noticed")
    }

    /// Proved by the sound store at the end.
    @Test func `--check names what is damaged and ends with status 74`() async throws {
      try await onThread {
        let place = try Self.makeStore()
        let sound = try Self.bytes(place.store)
        let state = try Self.bytes(place.store + ".state")
        func check(_ damaged: Data, _ expected: String, line: Int = #line) throws {
          try Self.write(damaged, place.store)
          let (status, output) = try place.check()
          #expect(status == 74 && output.contains(expected), "\(line): \(status) \(output)")
          let daemon = try place.start()
          if let connection = place.connect(daemon) {
            if expected.contains("rows of") {
              #expect(throws: DepotError.self, "\(line): \(output)") {
                try connection.fetch(FetchRequest(entity: "Item")) { row in
                  while !row.isAtEndOfRow() { _ = try row.field() }
                }
              }
            }
            try connection.shutdown()
          }
          daemon.wait()
          unlink(place.store + "-wal")
          try Self.write(state, place.store + ".state")
        }
        var row = sound
        let text = try #require(row.range(of: Data("xxxxxxxxxxxxxxxxxxxxxxx".utf8)))
        row[text.lowerBound + 3] ^= 1
        try check(row, "is damaged: rows of Item ")
        try check(
          sound.prefix(sound.count / 2 / Place.pageSize * Place.pageSize),
          "was cut"
        )
        var zeroed = sound
        let page = sound.count / 2 / Place.pageSize * Place.pageSize
        zeroed.replaceSubrange(
          page..<page + Place.pageSize,
          with: Data(count: Place.pageSize)
        )
        try check(zeroed, "damaged")
        try check(Data("hello, this is no database at all".utf8), "was cut")
        try Self.write(sound, place.store)
        do {
          let connection = try Connection(path: place.store, access: .writer)
          try connection.execute("PRAGMA user_version = 99")
          _ = try connection.checkpoint(.truncate)
        }
        let newer = try Self.bytes(place.store)
        let version = try place.check()
        #expect(version.status == 76 && version.output.contains("format 99"))
        #expect(try Self.bytes(place.store) == newer, "it must not be touched")
        do {
          let connection = try Connection(path: place.store, access: .writer)
          try connection.execute("PRAGMA user_version = \(sound[63])")
          _ = try connection.checkpoint(.truncate)
        }
        let last = try place.check()
        #expect(last.status == 0 && last.output.contains("is sound"), "\(last)")
        let none = try place.check(place.store + "2")
        #expect(none.status == 66 && none.output.contains("There is no store"), "\(none)")
      }
    }

    @Test func `a log damaged before later commits is refused with their number`() async throws {
      try await onThread {
        let place = try Self.makeStore(isClean: false)
        let log = place.store + "-wal"
        let sound = try Self.bytes(log)
        let used = try #require(sound.lastIndex { $0 != 0 })
        // A frame in the middle, the header, a whole frame gone.
        var flips: [Data] = []
        for offset in [used / 2, used / 3, 20] {
          var damaged = sound
          damaged[offset] ^= 4
          flips.append(damaged)
        }
        var gap = sound
        gap.replaceSubrange(
          32 + Place.frameSize..<32 + 2 * Place.frameSize,
          with: Data(count: Place.frameSize)
        )
        flips.append(gap)
        for damaged in flips {
          try Self.write(damaged, log)
          let (status, output) = try place.check()
          #expect(status == 74 && output.contains(" missing"), "\(output)")
          let daemon = try place.start()
          #expect(place.connect(daemon) == nil)
          #expect(daemon.wait() == 74)
          #expect(try Self.bytes(log) == damaged, "it must not be touched")
        }
        // The last commit may be torn: it was never acknowledged if power failed in it.
        try Self.write(Self.bytes(place.folder + "/before"), place.store + ".state")
        try Self.write(sound.prefix(used - 100), log)
        let (daemon, connection) = try place.serve()
        let found = try connection.names()
        #expect(found.values.reduce(0, +) == 190)
        try connection.shutdown()
        daemon.wait()
        #expect(try place.check().status == 0)
      }
    }

    @Test func `what isn't a store is refused and left as it is`() async throws {
      try await onThread {
        let place = try Place()
        func refusal(_ status: Int32, _ word: String, line: Int = #line) throws {
          try? FileManager.default.removeItem(atPath: place.log)
          let daemon = try place.start()
          if let connection = place.connect(daemon) {
            Issue.record("it serves; line \(line)")
            try connection.shutdown()
          }
          let ending = daemon.wait()
          let output = place.text(of: place.log)
          #expect(ending == status && output.contains(word), "\(line): \(ending) \(output)")
          #expect(!output.contains("SQLite error 1:"), "\(line): \(output)")
          try? FileManager.default.removeItem(atPath: place.data)
          try FileManager.default.createDirectory(
            atPath: place.data,
            withIntermediateDirectories: false
          )
        }
        do {
          let foreign = try Connection(path: place.store, access: .writer)
          try foreign.execute("CREATE TABLE t (x)")
        }
        try refusal(74, "not a store of Depot")
        try Self.write(Data("a text".utf8), place.store)
        try refusal(74, "isn't a store")
        try FileManager.default.createDirectory(
          atPath: place.store,
          withIntermediateDirectories: false
        )
        try refusal(74, place.store)
        symlink("/tmp/elsewhere", place.store)
        try refusal(74, "symbolic link")
        symlink("/tmp/elsewhere", place.store + ".lock")
        try refusal(74, "symbolic link")
        try Self.write(Data(), place.store)
        symlink("/tmp/elsewhere", place.store + "-wal")
        try refusal(74, "symbolic link")
        // An empty file is a store that was about to be made.
        try Self.write(Data(), place.store)
        let (daemon, connection) = try place.serve()
        try connection.shutdown()
        #expect(daemon.wait() == 0)
      }
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func `a store on a disk that can't be written is read, and says so`() async throws {
      try await onThread {
        // Its log was never copied into its file.
        let place = try Self.makeStore(isClean: false)
        let before = try Self.bytes(place.store + "-wal")
        for arguments in [
          ["mount", "--bind", place.data, place.data],
          ["mount", "-o", "remount,ro,bind", place.data],
        ] {
          guard try TestProcess(arguments, log: place.log).wait() == 0 else {
            throw TestFailure(place.text(of: place.log))
          }
        }
        defer { _ = try? TestProcess(["umount", "-l", place.data], log: "/dev/null").wait() }
        for options in [[], ["--read-only"]] {
          try? FileManager.default.removeItem(atPath: place.log)
          let (daemon, connection) = try place.serve(options)
          #expect(try connection.names().values.reduce(0, +) == 200)
          let error = #expect(throws: DepotError.self) { try connection.put("more") }
          #expect(error?.code == .readOnly)
          #expect((error?.hint == nil) == !options.isEmpty, "\(error?.hint ?? "")")
          try connection.shutdown()
          #expect(daemon.wait() == 0)
          let log = place.text(of: place.log)
          #expect(log.contains("can't be written") == options.isEmpty, "\(log)")
        }
        #expect(try Self.bytes(place.store + "-wal") == before)
      }
    }
  }
}
