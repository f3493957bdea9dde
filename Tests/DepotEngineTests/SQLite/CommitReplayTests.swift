import Foundation
import TestSupport
import Testing

@testable import DepotSQLite

/// The commits of a database, carried over to a copy of it.
@Suite struct CommitReplayTests {
  @Test(arguments: seeds(12) as Range<UInt64>)
  func `a copy is what the database is after each commit, and readers keep their moment`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let (origin, copy) = try Self.pair(in: folder)
    let home = Recorder()
    origin.setCommitTarget(home)
    let readers = try (0..<3).map { _ in
      try Connection(path: folder.path + "/copy", access: .reader)
    }
    var held: [Int: String] = [:]
    for step in 0..<300 {
      let place = Comment(rawValue: "seed \(seed), step \(step)")
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<6:
        let isRefused = random.once(in: 8)
        home.decision = isRefused ? .refused : .taken
        let before = try Self.content(origin)
        if isRefused {
          do {
            try Self.change(origin, &random)
            // There was nothing to write.
            #expect(home.commits.isEmpty, place)
          } catch let error as SQLiteError {
            #expect(error.kind == .refused, place)
          }
          if origin.isInTransaction { try origin.execute("ROLLBACK") }
          #expect(try Self.content(origin) == before, place)
          home.commits = []
        } else {
          try Self.change(origin, &random)
        }
      case 6: _ = try origin.checkpoint(random.once(in: 2) ? .passive : .truncate)
      case 7: _ = try copy.checkpoint(.passive)
      case 8:
        home.decision = .taken
        if random.once(in: 4) { try origin.vacuum() }
      case 9:
        let number = Int.random(in: 0..<3, using: &random)
        guard held[number] == nil else { continue }
        try readers[number].execute("BEGIN")
        held[number] = try Self.content(readers[number])
      default:
        guard let number = held.keys.sorted().randomElement(using: &random) else { continue }
        #expect(try Self.content(readers[number]) == held[number], place)
        try readers[number].execute("COMMIT")
        held[number] = nil
      }
      for commit in home.commits { try Self.replay(commit, on: copy) }
      home.commits = []
      #expect(try Self.content(copy) == Self.content(origin), place)
    }
    #expect(try copy.texts("PRAGMA integrity_check") == ["ok"], "seed \(seed)")
    #expect(try copy.damagedPages().isEmpty, "seed \(seed)")
  }

  @Test func `a row takes far fewer bytes than its pages`() throws {
    let folder = try TemporaryFolder()
    let (origin, copy) = try Self.pair(in: folder)
    let home = Recorder()
    origin.setCommitTarget(home)
    for number in 0..<50 {
      try origin.execute("INSERT INTO item (name) VALUES ('the item \(number)')")
    }
    let sizes = home.commits.map { $0.parts.reduce(0) { $0 + $1.count } }
    #expect(sizes.allSatisfy { $0 < 600 }, "\(sizes)")
    for commit in home.commits { try Self.replay(commit, on: copy) }
    #expect(try Self.content(copy) == Self.content(origin))
  }

  @Test func `a commit that isn't the copy's next one is refused, and the copy stays as it is`()
    throws
  {
    let folder = try TemporaryFolder()
    let (origin, copy) = try Self.pair(in: folder)
    let home = Recorder()
    origin.setCommitTarget(home)
    try origin.execute("INSERT INTO item (name) VALUES ('a')")
    try origin.execute("INSERT INTO item (name) VALUES ('b')")
    let before = try Self.content(copy)
    let error = #expect(throws: SQLiteError.self) { try Self.replay(home.commits[1], on: copy) }
    #expect(error?.kind == .broken)
    #expect(try Self.content(copy) == before)
    var damaged = home.commits[0]
    damaged.parts[0][40] ^= 1
    #expect(throws: SQLiteError.self) { try Self.replay(damaged, on: copy) }
    for commit in home.commits { try Self.replay(commit, on: copy) }
    #expect(try Self.content(copy) == Self.content(origin))
  }

  /// A home that keeps commits in memory.
  private final class Recorder: CommitTarget {
    struct Commit {
      var parts: [[UInt8]]
      var pageCount: UInt32
    }

    var commits: [Commit] = []
    var decision = CommitDecision.taken

    func take(_ commit: consuming PageCommit) -> CommitDecision {
      var recorded = Commit(parts: [], pageCount: commit.pageCount)
      do {
        var part: [UInt8] = []
        while try commit.writePart(into: &part) {
          recorded.parts.append(part)
          part = []
        }
      } catch {
        Issue.record(error)
      }
      commits.append(recorded)
      return decision
    }
  }

  private static func replay(_ commit: Recorder.Commit, on copy: Connection) throws {
    let replay = try CommitReplay(on: copy)
    for part in commit.parts { try part.withUnsafeBytes { try replay.add($0) } }
    try replay.finish(pageCount: commit.pageCount)
  }

  private static func pair(in folder: TemporaryFolder) throws -> (Connection, Connection) {
    let path = folder.path + "/origin"
    do {
      let connection = try open(path)
      try connection.execute(
        """
        CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, data BLOB) STRICT;
        CREATE INDEX item_name ON item (name);
        CREATE VIRTUAL TABLE words USING fts5(text);
        """
      )
      _ = try connection.checkpoint(.truncate)
    }
    try FileManager.default.copyItem(atPath: path, toPath: folder.path + "/copy")
    return (try open(path), try open(folder.path + "/copy"))
  }

  private static func open(_ path: String) throws -> Connection {
    let connection = try Connection(path: path, access: .writer)
    // A cache that is this small writes pages before the commit.
    try connection.execute(
      "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = 20"
    )
    connection.trustTriggers()
    _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
    return connection
  }

  private static func change(_ connection: Connection, _ random: inout SeededGenerator) throws {
    try connection.begin()
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let row = Int.random(in: 1...400, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let size = random.once(in: 4) ? 20_000 : 30
        try connection.execute(
          "INSERT OR REPLACE INTO item VALUES (\(row), 'name \(row % 37)', zeroblob(\(size)))"
        )
      case 2: try connection.execute("DELETE FROM item WHERE id % 11 = \(row % 11)")
      case 3:
        try connection.execute(
          "UPDATE item SET name = name || 'x', data = randomblob(90) WHERE id < \(row)"
        )
      case 4: try connection.execute("INSERT INTO words VALUES ('some words \(row)')")
      default: try connection.execute("CREATE TABLE IF NOT EXISTS t\(row % 9) (a, b)")
      }
    }
    try connection.commit()
  }

  private static func content(_ connection: Connection) throws -> String {
    let rows = try connection.texts(
      "SELECT id || name || quote(data) FROM item UNION ALL SELECT text FROM words UNION ALL SELECT sql FROM sqlite_schema"
    )
    return rows.joined(separator: "\n")
  }
}
