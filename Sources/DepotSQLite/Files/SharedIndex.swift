internal import CDepotSQLite
internal import Glibc
internal import Synchronization

/// The index of a write-ahead log (sqlite.org/walformat.html#walindex), in this process's memory.
///
/// The connections of this process share it, and no other process has any; SQLite rebuilds it from
/// the log when the first connection needs it.
final class SharedIndex: Sendable {
  private let state = Mutex(State())

  private struct State: ~Copyable {
    var regions: [Region] = []
    var users = 0
    /// The number of connections that hold each lock; -1 for an exclusive lock.
    var holders = [Int](repeating: 0, count: Int(SQLITE_SHM_NLOCK))
  }

  /// A part of the index, at an address that stays the same.
  // because SQLite's protocol decides which of its bytes a connection may read and write
  private struct Region: @unchecked Sendable {
    let memory: UnsafeMutableRawPointer
  }

  deinit {
    state.withLock { state in
      for region in state.regions { free(region.memory) }
    }
  }

  /// Counts one more connection as a user of the index.
  func join() { state.withLock { $0.users += 1 } }

  /// Counts one connection less; the last one frees the memory.
  func leave() {
    state.withLock { state in
      state.users -= 1
      guard state.users == 0 else { return }
      for region in state.regions { free(region.memory) }
      state.regions = []
    }
  }

  /// Returns a region of the index; `nil` if it doesn't exist and may not be allocated.
  func region(_ number: Int, size: Int, extends: Bool) -> UnsafeMutableRawPointer? {
    let region: Region? = state.withLock { state in
      while extends, state.regions.count <= number {
        guard let memory = calloc(1, size) else { return nil }
        state.regions.append(Region(memory: memory))
      }
      return number < state.regions.count ? state.regions[number] : nil
    }
    return region?.memory
  }

  /// The number of committed frames in the log.
  var frameCount: Int { mark.frameCount }

  /// The end of the committed part of the log.
  var mark: SnapshotMark {
    state.withLock { state in
      guard let memory = state.regions.first?.memory else {
        return SnapshotMark(log: 0, frameCount: 0)
      }
      return SnapshotMark(
        log: memory.load(fromByteOffset: 32, as: UInt64.self),
        frameCount: Int(memory.load(fromByteOffset: 16, as: UInt32.self))
      )
    }
  }

  /// Acquires locks.
  ///
  /// - Returns: Whether all of them were free.
  func lock(_ slots: Range<Int>, exclusively: Bool) -> Bool {
    state.withLock { state in
      for slot in slots where exclusively ? state.holders[slot] != 0 : state.holders[slot] < 0 {
        return false
      }
      for slot in slots {
        if exclusively { state.holders[slot] = -1 } else { state.holders[slot] += 1 }
      }
      return true
    }
  }

  /// Releases locks.
  func unlock(_ slots: Range<Int>, exclusively: Bool) {
    state.withLock { state in
      for slot in slots {
        if exclusively { state.holders[slot] = 0 } else { state.holders[slot] -= 1 }
      }
    }
  }
}
