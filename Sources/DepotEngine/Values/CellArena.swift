/// Memory for values of one row whose bytes aren't in the request.
///
/// Its buffers are valid until ``removeAll()``.
final class CellArena {
  private var block = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4096)
  private var used = 0
  private var others: [UnsafeMutableBufferPointer<UInt8>] = []

  deinit {
    removeAll()
    block.deallocate()
  }

  /// Allocates `count` bytes.
  func allocate(_ count: Int) -> UnsafeMutableBufferPointer<UInt8> {
    if used + count <= block.count {
      defer { used += count }
      return UnsafeMutableBufferPointer(rebasing: block[used..<used + count])
    }
    let other = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
    others.append(other)
    return other
  }

  /// Returns a copy of `bytes`.
  func copy(_ bytes: some Collection<UInt8>) -> UnsafeBufferPointer<UInt8> {
    let room = allocate(bytes.count)
    _ = room.initialize(from: bytes)
    return UnsafeBufferPointer(room)
  }

  /// Frees all buffers.
  func removeAll() {
    used = 0
    guard !others.isEmpty else { return }
    for other in others { other.deallocate() }
    others = []
  }
}
