import DepotEngine
import Testing

@testable import DepotServer

/// When a disk counts as full, and when it doesn't any more.
@Suite struct RoomWatchTests {
  private static let second: UInt64 = 1_000_000_000

  @Test func `a refused write is want of room, which is told once`() {
    var free = 0
    var watch = RoomWatch { free }
    var statistics = StoreStatistics()
    #expect(watch.look(statistics, 0) == nil)
    statistics.writesWithoutRoom = 1
    #expect(watch.look(statistics, 0) == .full)
    statistics.writesWithoutRoom = 5
    #expect(watch.look(statistics, Self.second) == nil)
    #expect(watch.isFull)
    free = 1 << 30
    #expect(watch.look(statistics, 2 * Self.second) == .room)
    #expect(!watch.isFull)
    #expect(watch.look(statistics, 3 * Self.second) == nil)
  }

  @Test func `rows that are stored are a sign of room, but not beside writes that are refused`() {
    var watch = RoomWatch { 0 }
    var statistics = StoreStatistics()
    statistics.writesWithoutRoom = 1
    #expect(watch.look(statistics, 0) == .full)
    statistics.rowsInserted = 1
    #expect(watch.look(statistics, Self.second / 2) == nil)
    statistics.writesWithoutRoom = 2
    #expect(watch.look(statistics, Self.second) == nil)
    #expect(watch.look(statistics, 9 * Self.second) == nil)
    statistics.rowsUpdated = 1
    #expect(watch.look(statistics, 10 * Self.second) == .room)
  }

  @Test func `with a quota, the room that the file system has is no sign`() {
    var watch = RoomWatch { 1 << 30 }
    var statistics = StoreStatistics()
    statistics.writesWithoutRoom = 1
    #expect(watch.look(statistics, 0) == .full)
    #expect(watch.look(statistics, 9 * Self.second) == nil)
    statistics.rowsDeleted = 1
    #expect(watch.look(statistics, 10 * Self.second) == .room)
  }
}
