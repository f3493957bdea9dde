internal import CDepotSQLite
internal import Glibc
internal import Synchronization

/// The index of a write-ahead log (sqlite.org/walformat.html#walindex), in this process's memory.
///
/// It is shared by the connections of this process, which are all that there are; SQLite makes it anew from
/// the log when the first of them needs it.
final class SharedIndex: Sendable {
  private let state = Mutex(State())

  private struct State: ~Copyable {
    var regions: [Region] = []
    var users = 0
    /// How many connections share each lock; -1 if one has it alone.
    var holders = [Int](repeating: 0, count: Int(SQLITE_SHM_NLOCK))
  }

  /// A part of the index, at an address that stays the same.
  // because SQLite's own protocol says who may read and write which of its bytes
  private struct Region: @unchecked Sendable {
    let memory: UnsafeMutableRawPointer
  }

  deinit {
    state.withLock { state in
      for region in state.regions { free(region.memory) }
    }
  }

  /// Notes that one more connection uses it.
  func join() { state.withLock { $0.users += 1 } }

  /// Notes that a connection doesn't use it any more; nothing is kept for nobody.
  func leave() {
    state.withLock { state in
      state.users -= 1
      guard state.users == 0 else { return }
      for region in state.regions { free(region.memory) }
      state.regions = []
    }
  }

  /// Returns a part of the index; `nil` if it isn't there and isn't to be made.
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

  /// How many frames of the log are committed.
  var frameCount: Int { mark.frameCount }

  /// How far the log is committed, and which log it is.
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

  /// Takes locks.
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

  /// Gives locks back.
  func unlock(_ slots: Range<Int>, exclusively: Bool) {
    state.withLock { state in
      for slot in slots {
        if exclusively { state.holders[slot] = 0 } else { state.holders[slot] -= 1 }
      }
    }
  }
}
