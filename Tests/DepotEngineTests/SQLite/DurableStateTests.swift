import DepotLinux
import TestSupport
import Testing

@testable import DepotSQLite

/// The form of a store's state in its file.
@Suite struct DurableStateTests {
  /// Returns what a file holds of which the two places are these.
  private static func file(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
    first + [UInt8](repeating: 0, count: DurableState.distance - first.count) + second
  }

  private static func state(_ random: inout SeededGenerator) -> DurableState {
    var state = DurableState(stamp: .random(in: 0 ... .max, using: &random), now: 1_800_000_000_000)
    // More checkpoints than the file keeps.
    for number in 0..<Int.random(in: 0...40, using: &random) {
      state.didCommit(
        .random(in: 1...9, using: &random),
        frames: UInt32(number + 3),
        sum: .random(in: 0 ... .max, using: &random),
        now: state.time + Int64.random(in: 0...1000, using: &random)
      )
      if Bool.random(using: &random) { state.willClose() }
      state.didCheckpoint(pageCount: UInt32(number * 7))
    }
    state.nextLog = .random(in: 0 ... .max, using: &random)
    return state
  }

  @Test(arguments: seeds(50))
  func `a state reads back as it was written`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (old, new) = (Self.state(&random), Self.state(&random))
    for bytes in [
      Self.file(old.bytes(serial: 8), new.bytes(serial: 9)),
      Self.file(new.bytes(serial: 9), old.bytes(serial: 8)),
    ] {
      let read = try #require(DurableState.newest(in: bytes))
      #expect(read.serial == 9)
      #expect(read.state == new)
    }
  }

  @Test(arguments: seeds(50))
  func `a place that was being written when power failed gives way to the other`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let states = (0..<3).map { _ in Self.state(&random) }
    let before = states[1].bytes(serial: 1)
    let after = states[2].bytes(serial: 3)
    let written = Int.random(in: 0..<before.count, using: &random)
    let torn = Array(after.prefix(written) + before.dropFirst(written))
    guard torn != before, torn != after else { return }
    let read = try #require(DurableState.newest(in: Self.file(states[0].bytes(serial: 2), torn)))
    #expect(read.state == states[0], "seed \(seed)")
    let changed = Int.random(in: 0..<before.count, using: &random)
    var flipped = after
    flipped[changed] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    #expect(DurableState.newest(in: Self.file(flipped, torn)) == nil, "seed \(seed)")
  }

  @Test(arguments: [0, 1, 511, 512, 4095, 4096, 4607, 4608])
  func `a file that is too short has no state, or the older one`(count: Int) {
    let state = DurableState(stamp: 4, now: 5)
    let bytes = Self.file(state.bytes(serial: 1), state.bytes(serial: 2))
    let read = DurableState.newest(in: Array(bytes.prefix(count)))
    #expect(read?.serial == (count == 4608 ? 2 : count >= 512 ? 1 : nil))
  }

  @Test func `a state that can't be read or written isn't taken for one that isn't there`() throws {
    let folder = try TemporaryFolder()
    let store = folder.path + "/store"
    #expect(try StateFile.open(beside: store) == nil)
    try StateFile.set(DurableState(stamp: 4, now: 5), beside: store)
    #expect(try StateFile.open(beside: store)?.current.checkpoint.stamp == 4)
    _ = try folder.write(String(repeating: "x", count: 8192), to: "store.state")
    #expect(throws: SystemError.self) { try StateFile.open(beside: store) }
    // The writer would go on without one.
    _ = try folder.write("", to: "store")
    #expect(throws: SQLiteError.self) {
      try Connection(path: store, access: .writer).execute("CREATE TABLE a (b)")
    }
  }

  @Test func `a first page with the stamp of one moment and the checksum of another is known`()
    throws
  {
    let folder = try TemporaryFolder()
    let store = folder.path + "/store"
    do {
      let connection = try Connection(path: store, access: .writer)
      try connection.execute("PRAGMA page_size = 4096; CREATE TABLE a (b)")
    }
    let page = try StoredFile(path: store).read(4096, at: 0)
    var state = DurableState(stamp: 8, now: 5)
    let (old, new) = (8 as UInt32, state.nextStamp)
    let (before, after) = (
      DatabaseHeader.sealing(page, stamp: old), DatabaseHeader.sealing(page, stamp: new)
    )
    #expect(state.stamp(ofTorn: Array(before[..<512] + after[512...])) == new)
    #expect(state.stamp(ofTorn: Array(after[..<512] + before[512...])) == old)
    var damaged = Array(after[..<512] + before[512...])
    damaged[700] ^= 1
    #expect(state.stamp(ofTorn: damaged) == nil)
    state.willClose()
    #expect(state.stamp(ofTorn: Array(before[..<512] + after[512...])) == nil)
  }
}
