internal import DepotEngine

/// Whether there is room on a store's disk, as its writes and the file system tell.
struct RoomWatch {
  /// A change that is worth telling.
  enum Change {
    case full
    case room
  }

  /// Whether writes were refused for want of room, and no sign of room has come since.
  private(set) var isFull = false
  /// Returns how much room the file system has, if it says.
  private let freeBytes: () -> Int?
  private var refusals = 0
  private var changedRows = 0
  /// When a write was refused last, in nanoseconds of the monotonic clock.
  private var lastRefusal: UInt64 = 0
  /// Whether rows were stored since then.
  private var hasStored = false
  /// Whether the file system had room when writes were refused, as with a quota.
  private var isRoomMisleading = false

  /// For how long no write must be refused before there is room again, in nanoseconds.
  ///
  /// Small writes may succeed between large ones that don't.
  private static let pause: UInt64 = 1_000_000_000
  /// How much room there must be for more than the next write, in bytes.
  private static let enough = 1 << 20

  init(freeBytes: @escaping () -> Int?) {
    self.freeBytes = freeBytes
  }

  /// Returns whether the store became full, or has room again, since the last call.
  mutating func look(_ statistics: StoreStatistics, _ now: UInt64) -> Change? {
    let changed = statistics.rowsInserted + statistics.rowsUpdated + statistics.rowsDeleted
    defer { (refusals, changedRows) = (statistics.writesWithoutRoom, changed) }
    if statistics.writesWithoutRoom > refusals {
      lastRefusal = now
      hasStored = false
      guard !isFull else { return nil }
      isFull = true
      isRoomMisleading = hasRoom
      return .full
    }
    guard isFull else { return nil }
    if changed > changedRows { hasStored = true }
    guard now - lastRefusal >= Self.pause, hasStored || !isRoomMisleading && hasRoom else {
      return nil
    }
    isFull = false
    return .room
  }

  private var hasRoom: Bool { freeBytes().map { $0 >= Self.enough } ?? false }
}
