import DepotLinux
import TestSupport
import Testing

@testable import DepotSQLite

/// The log after transactions that were given up.
@Suite struct GivenUpTransactionTests {
  @Test func `frames of a transaction that was given up don't go to the disk with the next`() throws
  {
    let folder = try TemporaryFolder()
    let store = folder.path + "/store"
    let connection = try Connection(path: store, access: .writer)
    try connection.execute(
      """
      PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      PRAGMA cache_size = 10; CREATE TABLE a (b)
      """
    )
    _ = try connection.checkpoint(.truncate)
    // It doesn't fit in the cache, so that some of its pages are written before it ends.
    try connection.execute("BEGIN IMMEDIATE")
    for _ in 0..<60 { try connection.execute("INSERT INTO a VALUES (zeroblob(3000))") }
    try connection.execute("ROLLBACK")
    try connection.execute("INSERT INTO a VALUES (1)")
    let log = try StoredFile(path: store + "-wal")
    let frames = connection.walPageCount
    #expect(frames == 1)
    #expect(try log.size() == 32 + 4120)
    // The same behind a commit.
    try connection.execute("BEGIN IMMEDIATE")
    for _ in 0..<60 { try connection.execute("INSERT INTO a VALUES (zeroblob(3000))") }
    try connection.execute("ROLLBACK")
    try connection.execute("INSERT INTO a VALUES (2)")
    #expect(connection.walPageCount == 2)
    #expect(try log.size() == 32 + 2 * 4120)
  }
}
