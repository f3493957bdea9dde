import Foundation
import TestSupport
import Testing

@testable import DepotSQLite

/// The pages that a transaction sees, beside those that SQLite gives it.
@Suite struct SnapshotPagesTests {
  @Test(arguments: seeds(12) as Range<UInt64>)
  func `the pages of a snapshot are the database at its moment`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let store = folder.path + "/store"
    let writer = try Self.writer(store)
    let readers = try (0..<3).map { _ in try Connection(path: store, access: .reader) }
    var expected: [Int: String] = [:]
    var copies = 0
    for step in 0..<300 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5: try Self.change(writer, &random)
      case 5: _ = try writer.checkpoint(.passive)
      case 6..<8:
        let number = Int.random(in: 0..<3, using: &random)
        guard expected[number] == nil else { continue }
        // With all of it in the file, the transaction doesn't keep the log from beginning anew.
        if random.once(in: 2) { _ = try writer.checkpoint(.passive) }
        try readers[number].beginReading()
        expected[number] = try Self.content(readers[number])
      default:
        guard let number = expected.keys.sorted().randomElement(using: &random) else { continue }
        let copy = folder.path + "/copy-\(step)"
        try Self.copy(readers[number], to: copy)
        copies += 1
        let connection = try Connection(path: copy, access: .frozen)
        #expect(try Self.content(connection) == expected[number], "seed \(seed), step \(step)")
        #expect(try connection.texts("PRAGMA integrity_check") == ["ok"], "seed \(seed)")
        if random.once(in: 2) {
          try readers[number].execute("COMMIT")
          expected[number] = nil
        }
      }
    }
    #expect(copies > 10, "seed \(seed)")
  }

  @Test func `a page that isn't as it was written is told, and no copy has it`() throws {
    let folder = try TemporaryFolder()
    let store = folder.path + "/store"
    do {
      let writer = try Self.writer(store)
      var random = SeededGenerator(seed: 1)
      for _ in 0..<50 { try Self.change(writer, &random) }
      _ = try writer.checkpoint(.truncate)
    }
    let bytes = try #require(FileManager.default.contents(atPath: store))
    let last = bytes.count - 4096
    var damaged = bytes
    damaged[last + 100] ^= 4
    #expect(FileManager.default.createFile(atPath: store, contents: damaged))
    let reader = try Connection(path: store, access: .reader)
    try reader.beginReading()
    let pages = try #require(try SnapshotPages(reader))
    let found = try pages.damaged {}
    #expect(found.map(\.number) == [UInt32(bytes.count / 4096)])
    let error = #expect(throws: SQLiteError.self) {
      try Self.copy(reader, to: folder.path + "/copy")
    }
    #expect(error?.kind == .damaged)
  }

  private static func writer(_ path: String) throws -> Connection {
    let connection = try Connection(path: path, access: .writer)
    try connection.execute(
      """
      PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE t (id INTEGER PRIMARY KEY, v BLOB)
      """
    )
    return connection
  }

  private static func change(_ writer: Connection, _ random: inout SeededGenerator) throws {
    try writer.transaction {
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let id = Int64.random(in: 1...60, using: &random)
        if random.once(in: 4) {
          try writer.statement("DELETE FROM t WHERE id = ?1").run([.integer(id)])
        } else {
          let size = Int.random(in: 0...9000, using: &random)
          let value = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: size)
          try writer.statement("INSERT OR REPLACE INTO t VALUES (?1, ?2)")
            .run([.integer(id), .blob(value)])
        }
      }
    }
  }

  private static func content(_ connection: Connection) throws -> String {
    try connection.texts(
      "SELECT id || ':' || length(v) || ':' || hex(substr(v, 1, 1)) FROM t ORDER BY id"
    ).joined(separator: " ")
  }

  private static func copy(_ reader: Connection, to path: String) throws {
    let pages = try #require(try SnapshotPages(reader))
    var file = Data(count: pages.count * pages.size)
    try file.withUnsafeMutableBytes { bytes in
      for number in 0..<pages.count {
        let page = bytes[number * pages.size..<(number + 1) * pages.size]
        try pages.read(UInt32(number + 1), into: UnsafeMutableRawBufferPointer(rebasing: page))
      }
    }
    try file.write(to: URL(filePath: path))
  }
}
