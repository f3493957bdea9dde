internal import DepotEngine

/// The detection of a full disk, from refused writes and from the file system.
struct RoomWatch {
  /// A change to report.
  enum Change {
    case full
    case room
  }

  /// Whether writes were refused for lack of space, and none has succeeded since.
  private(set) var isFull = false
  /// Returns the free bytes of the file system, if known.
  private let freeBytes: () -> Int?
  private var refusals = 0
  private var changedRows = 0
  /// The monotonic time of the last refused write, in nanoseconds.
  private var lastRefusal: UInt64 = 0
  /// Whether rows were stored since then.
  private var hasStored = false
  /// Whether the file system had free space when writes were refused, as with a quota.
  private var isRoomMisleading = false

  /// The time without refused writes after which there is room again, in nanoseconds.
  ///
  /// Small writes may succeed between large ones that don't.
  private static let pause: UInt64 = 1_000_000_000
  /// The free space, in bytes, that is enough for more than the next write.
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
